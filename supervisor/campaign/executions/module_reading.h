/*
 * module_reading.h - reads the code of watched modules before the runs that need it. All runs inherit what was read.
 *
 * Reading a very large module takes seconds. Reading gets a part of the budget, if there is one. A module that is not
 * read in this time is not watched, and a warning says so. The spec of a run lists the modules that the run does not
 * watch, because the run depends on them.
 */
#ifndef RFS_MODULE_READING_H
#define RFS_MODULE_READING_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_campaign;

struct rfs_module_reading {
	char **unread; /* paths of modules that were not read in time; ends with NULL */
	size_t n_unread;
	/* Lists of paths for specs. Each ends with NULL. The specs of saved runs point to them, so they never change.
	 */
	char ***lists;
	size_t n_lists;
	double seconds; /* the time of all reading so far */
	bool ended;	/* no more modules are read */
};

/* Reads the modules that earlier runs have watched, and the program. Must not be called during a batch. */
void rfs_module_reading_modules(struct rfs_campaign *c);
/*
 * The modules that the next runs do not watch: those that were not read and, with program_only, all libraries that
 * earlier runs have watched. The list ends with NULL and belongs to the campaign; NULL: there are none.
 */
char *const *rfs_module_reading_unwatched(struct rfs_campaign *c, bool program_only);
void rfs_module_reading_release(struct rfs_module_reading *reading);

#endif
