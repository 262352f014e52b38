/* modules.h - the modules that a run has seen, and the sites in them. */
#ifndef RFS_MODULES_H
#define RFS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_code_site;
struct rfs_task;
struct rfs_elf;
struct rfs_run;
struct rfs_module;

/*
 * A module as the run saw it. The run keeps it after dlclose() and after the target has ended, because reports still
 * name the module.
 */
struct rfs_module_info {
	unsigned number;
	char *path;
	uint64_t path_hash; /* the same in every run; part of the names of objects in this module */
	uint64_t bias;
	rfs_addr start, end;
	const struct rfs_elf *elf;
	bool gone;
	bool program;
	bool interpreter;
	bool libc;   /* the C library or the interpreter: calls that it makes for itself are not visible operations */
	bool openmp; /* libgomp: its futexes and accesses are not visible either */
	bool generated; /* no file: stands for code that the target generates (generated_names.h); elf is NULL */
	bool allocates; /* a library that replaces the heap of the C library */
	bool cxx;	/* C++: an object may end, and another one begin in its place, without a call */
	bool watched;
	/* 0: this run watches the whole module; otherwise 1/parts of it, because it has too much code (stubs.c) */
	unsigned parts;
	size_t sites;
	/* Plain accesses that get a breakpoint when the program has a second thread. The array is the module's. */
	const struct rfs_code_site **waiting;
	size_t n_waiting;
};

/* The module that contains the address; NULL: no module contains it. Borrowed from the run. */
struct rfs_module_info *rfs_info_at(const struct rfs_run *run, rfs_addr address);
/*
 * Whether the address may be in the heap of brk, which begins at the page after the program. *offset: from its start.
 */
bool rfs_in_heap(const struct rfs_run *run, rfs_addr address, uint64_t *offset);
/* Adds a newly mapped module to the run, which owns the result. */
struct rfs_module_info *rfs_info_new(struct rfs_run *run, const struct rfs_module *module);
/* The site at a run-time address. 0: in no module. */
rfs_site rfs_site_of(const struct rfs_run *run, rfs_addr address);
/* The run-time address of a site. 0: its module is unknown. */
rfs_addr rfs_site_address(const struct rfs_run *run, rfs_site site);
/*
 * Copies the modules of the run `from` to the run `to`. The target of `to` is a copy of the target of `from`. task: the
 * copy's task.
 */
void rfs_infos_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to);
/* Frees the modules of the run. */
void rfs_infos_release(struct rfs_run *run);
/* Whether a pattern of --module matches this file, with or without its folder. */
bool rfs_names_module(const char *glob, const char *path);

#endif
