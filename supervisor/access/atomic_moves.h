/*
 * atomic_moves.h - which plain moves are atomic loads and stores, as debug information says.
 *
 * Compilers make the same instruction of an ordinary access and of an acquire load or a release store. If the
 * instruction is in the body of a function such as core::sync::atomic::AtomicUsize::load, inlined or not, it is atomic.
 */
#ifndef RFS_ATOMIC_MOVES_H
#define RFS_ATOMIC_MOVES_H

#include <stdbool.h>

struct rfs_code_site;
struct rfs_dwarf;
struct rfs_elf;

/* Finds the moves of a file whose debug information was read already; dwarf NULL: it has none. */
void rfs_atomic_moves_find(const struct rfs_elf *elf, const struct rfs_dwarf *dwarf);
/*
 * Whether the site, which is one of rfs_code_cache_get(elf), is such a move. If
 * rfs_atomic_moves_find() was not called for the file, in this process or one that it was forked from, the first call
 * reads the debug information.
 */
bool rfs_is_atomic_move(const struct rfs_elf *elf, const struct rfs_code_site *site);

#endif
