/* input_pieces.h - finds what a system call wrote to the target's memory. Recorded input stores it in pieces. */
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

/*
 * Adds a piece for each part of memory that the call wrote. result: the kernel's result. Ends the run as uncontrolled
 * if the call cannot be recorded.
 */
void rfs_input_collect(struct rfs_run *run, const struct rfs_thread *thread, long result,
		       struct rfs_input_pieces *pieces);

#endif
