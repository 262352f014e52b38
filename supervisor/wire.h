/*
 * wire.h - the result of a controlled run as bytes, on its way from the job's process to the campaign's.
 *
 *     length of the body (8 bytes) | error (8) | line for the user | struct rfs_run_result, field by field
 *
 * Both ends are one program, forked, so there is no version and no byte order to agree on. But the job may die in the
 * middle of a write, so the decoder trusts nothing: every length is checked against what is there.
 */
#ifndef RFS_WIRE_H
#define RFS_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/run.h"

/* What a job has to say: the return value of the run, its line where that is not 0, and the result where it is. */
struct rfs_reply {
	int error;
	char *why; /* from malloc; NULL where there is none */
	struct rfs_run_result result;
};

/* *out (caller frees) of *n bytes. */
void rfs_wire_encode(const struct rfs_reply *reply, uint8_t **out, size_t *n);

/* 0 and *out filled (rfs_reply_release), or -EBADMSG where the bytes are cut short or damaged: *out is empty then. */
int rfs_wire_decode(const uint8_t *bytes, size_t n, struct rfs_reply *out) __attribute__((warn_unused_result));

void rfs_reply_release(struct rfs_reply *reply);

#endif
