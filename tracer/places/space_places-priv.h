/* space_places-priv.h - what the files of this folder keep of a space: the memory that we mapped in the target. */
#ifndef RFS_TRACER_SPACE_PLACES_PRIV_H
#define RFS_TRACER_SPACE_PLACES_PRIV_H

#include "disasm/addr.h"

struct rfs_arena;
struct rfs_region;
struct rfs_slot;
struct rfs_stub_buffer;

struct rfs_space_places {
	rfs_addr trampolines;	     /* trampoline.c: the first trampoline; 0: none */
	struct rfs_region *regions;  /* slot.c: list */
	struct rfs_slot *slots;	     /* slot.c: hash by the address of the original instruction */
	struct rfs_slot *lent_slots; /* in a copy: the slots of its original, searched after `slots` */

	struct rfs_stub_buffer *records; /* stub_buffer.c; NULL: none */
	struct rfs_arena *arenas;	 /* arena.c */
	struct rfs_arena *lent_arenas;	 /* in a copy: from this element on, `arenas` belongs to its original */
};

#endif
