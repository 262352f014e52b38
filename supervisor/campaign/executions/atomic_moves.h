/*
 * atomic_moves.h - which plain moves of the watched modules are atomic loads and stores of the language. Runs stop at
 * them, and detectors take happens-before from them.
 *
 * The list is part of the spec and of the record of each run, because the source files that it comes from may change.
 * It grows only between batches, when new modules are known. So it does not depend on --jobs.
 */
#ifndef RFS_ATOMIC_MOVES_H
#define RFS_ATOMIC_MOVES_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/base/siteset.h"

struct rfs_code_stop;
struct rfs_run_sites;
struct rfs_symbols;

/* Zeroed memory is a list without modules. */
struct rfs_atomic_moves {
	/* All lists so far, because earlier specs point to them. The last one is in use. */
	struct rfs_site_set **lists;
	size_t n_lists;
	char **modules; /* paths of the modules that were looked at */
	size_t n_modules;
};

/* Looks at a module, unless that was done before. False: `stop` ended the search, so moves may be missing. */
bool rfs_atomic_moves_add(struct rfs_atomic_moves *moves, struct rfs_symbols *symbols, const char *module,
			  const struct rfs_code_stop *stop);
/* Stores the list in a spec. The spec points to memory of moves. */
void rfs_atomic_moves_give(const struct rfs_atomic_moves *moves, struct rfs_run_sites *sites);
void rfs_atomic_moves_release(struct rfs_atomic_moves *moves);

#endif
