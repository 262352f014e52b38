/* openmp_atomic.h - whether a plain move is an atomic access of OpenMP. */
#ifndef RFS_OPENMP_ATOMIC_H
#define RFS_OPENMP_ATOMIC_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_symbols;

/*
 * Whether source or code says that the move at vaddr belongs to an atomic construct or a reduction. writes: it is a
 * store. False if nothing says so.
 */
bool rfs_symbols_openmp_atomic(struct rfs_symbols *symbols, const char *module, rfs_addr vaddr, bool writes);

#endif
