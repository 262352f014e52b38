/*
 * dwarf_cache-priv.h - keeps the tables of large debug files between executions of rfsup. Reading the debug information
 * of the C library takes most of a second of CPU time, and a C++ program may need several; copying the tables takes
 * milliseconds.
 *
 * The folder is $XDG_CACHE_HOME/rfsup, or $HOME/.cache/rfsup. If neither variable is set, or the folder cannot be used,
 * nothing is kept. All of this runs in the child process that dwarf.c starts.
 */
#ifndef RFS_DWARF_CACHE_PRIV_H
#define RFS_DWARF_CACHE_PRIV_H

#include <limits.h>
#include <stdbool.h>

/* Where the tables of one debug file are kept. */
struct rfs_dwarf_cache {
	int folder;    /* the open folder, or -1: nothing is kept */
	char name[64]; /* of the file in it */
};

/* Finds the place for the tables that are read from debug (an open file) for the module at path. A file too small to be
 * worth it has none. */
void rfs_dwarf_cache_open(struct rfs_dwarf_cache *cache, int debug, const char *path);
/* Copies kept tables into the empty file `out`. False if there are none; `out` is then empty. */
bool rfs_dwarf_cache_load(const struct rfs_dwarf_cache *cache, int out);
/* Keeps the tables in the file `tables`, which rfs_dwarf_write() wrote, and removes the oldest ones if there are too
 * many. A failure is no error. */
void rfs_dwarf_cache_keep(const struct rfs_dwarf_cache *cache, int tables);

#endif
