/*
 * site.h - how a run numbers the instructions of its target (the type rfs_site of policy/policy.h).
 *
 * The number is (index of the module + 1) << 40 | ELF virtual address in the module. 0 means no site. Equal modules
 * and addresses give equal numbers, so a replay gets the same numbers. Traces contain them.
 */
#ifndef RFS_SITE_H
#define RFS_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

#define RFS_SITE_SHIFT 40

static inline rfs_site rfs_site_make(size_t module, uint64_t vaddr)
{
	return (rfs_site)(module + 1) << RFS_SITE_SHIFT | vaddr;
}

/* Splits a site into module and address. False if the site is in no module; *module and *vaddr are then unchanged. */
static inline bool rfs_site_split(rfs_site site, size_t *module, uint64_t *vaddr)
{
	if (site >> RFS_SITE_SHIFT == 0)
		return false;
	*module = (size_t)(site >> RFS_SITE_SHIFT) - 1;
	*vaddr = site & ((1ull << RFS_SITE_SHIFT) - 1);
	return true;
}

#endif
