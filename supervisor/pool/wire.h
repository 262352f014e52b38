/*
 * wire.h - the bytes of the messages between the campaign's process, its jobs and its workers.
 *
 * Jobs and workers (worker.h) send replies to the campaign's process, which sends requests to workers. A reply is:
 *
 *     length of the body (8 bytes) | error (int) | line for the user | struct rfs_run_result, field by field | the rest
 *
 * Both ends are the same program, forked, so they need no version and no agreed byte order. But a job may die in the
 * middle of a write, so the decoder checks every length against the bytes that are there.
 */
#ifndef RFS_WIRE_H
#define RFS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/results.h"
#include "supervisor/record/run_result.h"

/*
 * The answer of a job or worker. error: the return value of the run. If it is 0, `result` is valid; otherwise `why` is
 * a line for the user.
 */
struct rfs_reply {
	int error;
	char *why; /* from malloc; NULL: no line */
	struct rfs_run_result result;
	bool served; /* made by a worker: the execution has no files unless `filed` is set */
	bool filed;  /* the output was too long to be sent; the worker wrote it to the execution's files */
	struct rfs_blob output[2]; /* the target's standard output and error */
};

/*
 * What differs between the executions of one worker. The members have the names and meanings of members of struct
 * rfs_execution and its spec.
 */
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
	unsigned stood_thread;
	/* of a spec with from_main */
	uint64_t detector;	  /* the address of its table; 0: none */
	struct rfs_place pair[2]; /* the sites of its statements; no module: there is no pair */
};

/* Encodes the reply. *out receives *n bytes, which the caller frees. */
void rfs_wire_encode(const struct rfs_reply *reply, uint8_t **out, size_t *n);

/*
 * Returns 0 and fills *out, to be freed with rfs_reply_release(). Returns -EBADMSG and an empty *out if the bytes are
 * incomplete or damaged.
 */
int rfs_wire_decode(const uint8_t *bytes, size_t n, struct rfs_reply *out) __attribute__((warn_unused_result));

void rfs_reply_release(struct rfs_reply *reply);

/* Encode and decode a request in the same way. A decoded request is freed with rfs_request_release(). */
void rfs_wire_encode_request(const struct rfs_request *request, uint8_t **out, size_t *n);
int rfs_wire_decode_request(const uint8_t *bytes, size_t n, struct rfs_request *out)
	__attribute__((warn_unused_result));
void rfs_request_release(struct rfs_request *request);

/* True if the bytes contain at least one complete message. */
bool rfs_wire_whole(const uint8_t *bytes, size_t n);
/* Writes all bytes. 0 or -errno. */
int rfs_wire_send(int fd, const uint8_t *bytes, size_t n) __attribute__((warn_unused_result));

#endif
