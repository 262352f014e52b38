/*
 * range_call.h - calls whose callee touches ranges of memory on behalf of the calling statement: mem*, str*, free.
 */
#ifndef RFS_RANGE_CALL_H
#define RFS_RANGE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "disasm/addr.h"

struct rfs_stub_call;
struct rfs_code_site;

/* How a call can be carried out in two parts by whoever supervises it. */
enum rfs_range_shape {
	RFS_RANGE_TOUCH, /* only seen: the call runs natively */
	RFS_RANGE_COPY,	 /* range[0] is read, range[1] written with it */
	RFS_RANGE_FILL,	 /* range[0] is written with one byte */
	RFS_RANGE_FREE,	 /* range[0] ends its life */
};

struct rfs_touched_range {
	rfs_addr address;
	uint64_t size; /* FREE: 0, the caller knows the heap */
	bool write;
};

struct rfs_range_call {
	enum rfs_range_shape shape;
	struct rfs_touched_range range[3];
	size_t n;
	uint64_t result; /* COPY, FILL: what the function returns */
	unsigned char fill;
};

bool rfs_range_call_known(const char *callee);

/*
 * For struct rfs_plan_request: the arguments that say what rfs_range_call_look() would, for a stub at the call. False
 * where these do not: the memory has to be looked at.
 */
bool rfs_range_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

/*
 * What the call to callee with these registers (at its entry or before the call instruction) is going to touch. read is
 * asked for the bytes of strings. False where the arguments make no sense or nothing is touched.
 */
bool rfs_range_call_look(const char *callee, const struct user_regs_struct *regs,
			 bool (*read)(void *arg, rfs_addr address, void *buf, size_t n), void *arg,
			 struct rfs_range_call *out);

#endif
