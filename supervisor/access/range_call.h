/* range_call.h - calls that access ranges of memory for the calling statement: mem*, str*, free. */
#ifndef RFS_RANGE_CALL_H
#define RFS_RANGE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "disasm/addr.h"

struct rfs_stub_call;
struct rfs_code_site;

/* What a call does with its ranges. rfsup carries out COPY and FILL itself, in two parts. */
enum rfs_range_shape {
	RFS_RANGE_TOUCH, /* the call runs natively; rfsup reports its accesses */
	RFS_RANGE_COPY,	 /* range[0] is copied to range[1] */
	RFS_RANGE_FILL,	 /* range[0] is filled with one byte */
	RFS_RANGE_FREE,	 /* range[0] is freed */
};

struct rfs_touched_range {
	rfs_addr address;
	uint64_t size; /* 0 if the shape is RFS_RANGE_FREE; rfs_heap_chunk_size() then finds the size */
	bool write;
};

struct rfs_range_call {
	enum rfs_range_shape shape;
	struct rfs_touched_range range[3];
	size_t n;
	uint64_t result; /* COPY, FILL: what the function returns */
	unsigned char fill;
};

/* Whether this function is a known range call. */
bool rfs_range_call_known(const char *callee);

/*
 * For the member `call` of struct rfs_plan_request: says which arguments a stub records, so that the ranges can be
 * computed later. False if the arguments are not enough, because memory has to be read (as for strlen).
 */
bool rfs_range_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

/*
 * Finds what a call of `callee` will access. regs: the registers at the function's entry, or at the call instruction.
 * read(): reads the target's memory, to find the ends of strings. False if the arguments make no sense or nothing is
 * accessed.
 */
bool rfs_range_call_look(const char *callee, const struct user_regs_struct *regs,
			 bool (*read)(void *arg, rfs_addr address, void *buf, size_t n), void *arg,
			 struct rfs_range_call *out);

#endif
