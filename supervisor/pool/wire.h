/*
 * wire.h - the messages between the campaign's process, its jobs and its workers as bytes.
 *
 * A job sends the result of a controlled run to the campaign's process. A worker (worker.h) is sent requests. A result
 * is:
 *
 *     length of the body (8 bytes) | error (8) | line for the user | struct rfs_run_result, field by field | output
 *
 * Both ends are the same program, forked, so they need no version and no agreed byte order. But a job may die in the
 * middle of a write, so the decoder checks every length against the bytes that are there.
 */
#ifndef RFS_WIRE_H
#define RFS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"

/* The answer of a job: the return value of the run; if it is not 0, a line for the user, otherwise the result. */
struct rfs_reply {
	int error;
	char *why; /* from malloc; NULL: no line */
	struct rfs_run_result result;
	bool served;		   /* made by a worker: the execution has no files unless `filed` is set */
	bool filed;		   /* its output was too long to be sent, and is in files */
	struct rfs_blob output[2]; /* the target's standard output and error */
};

/* How the executions of one worker differ. */
struct rfs_request {
	char *name;
	uint64_t seed;
	/* The address of the policy's table. It is the same in the worker, which is a fork of the campaign and was made
	 * after all policies were loaded. */
	uint64_t policy;
	char *policy_options; /* NULL: none */
	bool has_blob;
	struct rfs_blob blob;
	bool stood;
};

/* *out (caller frees) gets *n bytes. */
void rfs_wire_encode(const struct rfs_reply *reply, uint8_t **out, size_t *n);

/* 0 and *out filled (rfs_reply_release). -EBADMSG if the bytes are cut short or damaged; *out is then empty. */
int rfs_wire_decode(const uint8_t *bytes, size_t n, struct rfs_reply *out) __attribute__((warn_unused_result));

void rfs_reply_release(struct rfs_reply *reply);

/* The same for a request, with rfs_request_release(). */
void rfs_wire_encode_request(const struct rfs_request *request, uint8_t **out, size_t *n);
int rfs_wire_decode_request(const uint8_t *bytes, size_t n, struct rfs_request *out)
	__attribute__((warn_unused_result));
void rfs_request_release(struct rfs_request *request);

/* True if bytes contain a complete first message. */
bool rfs_wire_whole(const uint8_t *bytes, size_t n);
/* Writes all bytes. 0 or -errno. */
int rfs_wire_send(int fd, const uint8_t *bytes, size_t n) __attribute__((warn_unused_result));

#endif
