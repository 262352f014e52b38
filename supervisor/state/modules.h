#ifndef RFS_MODULES_H
#define RFS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_task;
struct rfs_elf;
struct rfs_run;
struct rfs_module;

/* A module as the run saw it; kept after it and the target are gone, because reports still name it. */
struct rfs_module_info {
	unsigned number;
	char *path;
	uint64_t bias;
	rfs_addr start, end;
	const struct rfs_elf *elf;
	bool gone;
	bool program;
	bool interpreter;
	bool libc; /* C library or interpreter: calls it makes for itself are not visible */
	bool watched;
	size_t sites;
};

struct rfs_module_info *rfs_info_at(const struct rfs_run *run, rfs_addr address); /* NULL: in no module */
struct rfs_module_info *rfs_info_new(struct rfs_run *run, const struct rfs_module *module);
rfs_site rfs_site_of(const struct rfs_run *run, rfs_addr address);
/* The run-time address of a site; 0 where its module is gone. */
rfs_addr rfs_site_address(const struct rfs_run *run, rfs_site site);
/* task: of `to`, a copy of the target of `from`. */
void rfs_infos_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to);
void rfs_infos_release(struct rfs_run *run);

#endif
