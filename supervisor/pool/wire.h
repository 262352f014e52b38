/*
 * wire.h - the result of a controlled run as bytes, on its way from the job's process to the campaign's; and what a
 * worker (worker.h) is asked for, on its way there.
 *
 *     length of the body (8 bytes) | error (8) | line for the user | struct rfs_run_result, field by field | output
 *
 * Both ends are one program, forked, so there is no version and no byte order to agree on. But the job may die in the
 * middle of a write, so the decoder trusts nothing: every length is checked against what is there.
 */
#ifndef RFS_WIRE_H
#define RFS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"

/* What a job has to say: the return value of the run, its line where that is not 0, and the result where it is. */
struct rfs_reply {
	int error;
	char *why; /* from malloc; NULL where there is none */
	struct rfs_run_result result;
	bool served;		   /* by a worker: the execution has no files but where `filed` says so */
	bool filed;		   /* its output was too long to be sent */
	struct rfs_blob output[2]; /* what the target wrote to standard output and error */
};

/* What executions of one worker differ in. */
struct rfs_request {
	char *name;
	uint64_t seed;
	char *policy_options; /* NULL: none */
	bool has_blob;
	struct rfs_blob blob;
	bool stood;
};

/* *out (caller frees) of *n bytes. */
void rfs_wire_encode(const struct rfs_reply *reply, uint8_t **out, size_t *n);

/* 0 and *out filled (rfs_reply_release), or -EBADMSG where the bytes are cut short or damaged: *out is empty then. */
int rfs_wire_decode(const uint8_t *bytes, size_t n, struct rfs_reply *out) __attribute__((warn_unused_result));

void rfs_reply_release(struct rfs_reply *reply);

/* The same for a request: rfs_request_release(). */
void rfs_wire_encode_request(const struct rfs_request *request, uint8_t **out, size_t *n);
int rfs_wire_decode_request(const uint8_t *bytes, size_t n, struct rfs_request *out)
	__attribute__((warn_unused_result));
void rfs_request_release(struct rfs_request *request);

/* True where the first message in bytes is whole. */
bool rfs_wire_whole(const uint8_t *bytes, size_t n);
/* Writes all of it. 0 or -errno. */
int rfs_wire_send(int fd, const uint8_t *bytes, size_t n) __attribute__((warn_unused_result));

#endif
