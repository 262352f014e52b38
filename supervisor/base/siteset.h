/* siteset.h - a sorted set of sites. Because it is sorted, equal sets have the same bytes in a record. */
#ifndef RFS_SITESET_H
#define RFS_SITESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A site, named in a way that is the same in all runs: path of the module, and ELF virtual address in the module. */
struct rfs_site_ref {
	const char *module;
	uint64_t offset;
};

/*
 * Code that the target generates at run time is in no file. Its module has this name, with the address from which the
 * offset counts.
 */
#define RFS_GENERATED_PREFIX "generated-code-0x"
/* Whether this is the name of such a module. If so, sets *base to its address. name may be NULL. */
bool rfs_generated_base(const char *name, uint64_t *base);

/* The sites, sorted by module, then by offset. Owns the strings. A zeroed struct is the empty set. */
struct rfs_site_set {
	struct rfs_site_ref *sites;
	size_t n;
};

/* Adds a site. True if the site was not in the set before. */
bool rfs_site_set_add(struct rfs_site_set *set, const char *module, uint64_t offset);
bool rfs_site_set_has(const struct rfs_site_set *set, const char *module, uint64_t offset);
/* Adds all sites of other. True if the set has grown. */
bool rfs_site_set_join(struct rfs_site_set *set, const struct rfs_site_set *other);
bool rfs_site_set_equal(const struct rfs_site_set *a, const struct rfs_site_set *b);
void rfs_site_set_release(struct rfs_site_set *set);

/*
 * Compares two sites; returns a negative number, 0 or a positive number, like strcmp(). Everything that sorts sites
 * uses this order.
 */
int rfs_site_compare(const char *module_a, uint64_t offset_a, const char *module_b, uint64_t offset_b);

#endif
