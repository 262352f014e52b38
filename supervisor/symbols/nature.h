/*
 * nature.h - whether an access is a legal atomic. Compilers make the same plain move of an ordinary access and of an
 * acquire load or a release store. Debug information, symbols and the source text tell them apart.
 */
#ifndef RFS_NATURE_H
#define RFS_NATURE_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "supervisor/symbols/atomic_text.h"

struct rfs_evidence;
struct rfs_function;
struct rfs_symbols;

/* What is known about one access to an object. */
enum rfs_access_nature {
	/* proven: the instruction is atomic, or debug information or the source says that the access is */
	RFS_NATURE_ATOMIC,
	/* not known, but more likely plain: nothing but the builtins of the compiler could make it atomic */
	RFS_NATURE_MAYBE,
	/*
	 * not known: there is no debug information, or it shows a pointer to atomics of this size, or the source has a
	 * volatile cast or assembly
	 */
	RFS_NATURE_AMBIGUOUS,
	RFS_NATURE_PLAIN, /* proven: not a legal atomic */
};
enum rfs_access_nature rfs_symbols_nature(struct rfs_symbols *symbols, const struct rfs_evidence *evidence);

/*
 * What debug information, symbols and source say about the instruction at vaddr. Unknown if it does more than load and
 * store one word of 1, 2, 4 or 8 bytes. An xchg counts as atomic only if it is a store.
 */
enum rfs_move_says rfs_symbols_move(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr);
/*
 * False: rfs_symbols_move() finds no atomic in this function. Ask this first, because the search takes long in large
 * files without debug information. function may be NULL.
 */
bool rfs_symbols_may_move(struct rfs_symbols *symbols, const char *module, const struct rfs_function *function);

#endif
