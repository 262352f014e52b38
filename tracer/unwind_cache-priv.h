/* unwind_cache-priv.h - what libunwind has learnt of a space. */
#ifndef RFS_TRACER_UNWIND_CACHE_PRIV_H
#define RFS_TRACER_UNWIND_CACHE_PRIV_H

#include <libunwind.h>

struct rfs_space;

/* Shared by copies of a program, as long as they have the same modules: what was learnt of an address holds for all. */
struct rfs_unwind {
	unw_addr_space_t space;
	unsigned references;
};
/* Modules changed, or the space goes: what was learnt is forgotten. */
void rfs_unwind_release(struct rfs_space *space);
/* to is a copy of from, with the same modules. */
void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to);

#endif
