/* input_pieces.h - what a system call has written to the target's memory, for the record of its input. */
#ifndef RFS_INPUT_PIECES_H
#define RFS_INPUT_PIECES_H

#include <stdint.h>

struct rfs_run;
struct rfs_thread;
struct rfs_input_piece;

struct rfs_input_pieces {
	struct rfs_input_piece *list; /* owned */
	uint32_t n;
};

/* Adds the pieces that the call wrote, with the result as the kernel gave it. A call that cannot be recorded ends the
 * run. */
void rfs_input_collect(struct rfs_run *run, const struct rfs_thread *thread, long result,
		       struct rfs_input_pieces *pieces);

#endif
