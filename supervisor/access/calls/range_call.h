/* range_call.h - calls that access memory for the calling statement: mem*, str*, free, localtime. */
#ifndef RFS_RANGE_CALL_H
#define RFS_RANGE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/addr.h"
#include "supervisor/access/calls/library_data.h"

struct rfs_stub_call;
struct rfs_code_site;

/* What a call does with its ranges. rfsup carries out COPY and FILL itself, in two parts. */
enum rfs_range_shape {
	RFS_RANGE_TOUCH,  /* the call runs natively; rfsup reports its accesses */
	RFS_RANGE_COPY,	  /* range[0] is copied to range[1] */
	RFS_RANGE_FILL,	  /* range[0] is filled with one byte */
	RFS_RANGE_FREE,	  /* range[0] is freed */
	RFS_RANGE_RESIZE, /* range[0] is a block that gets another size, and perhaps another place */
};

struct rfs_touched_range {
	rfs_addr address;
	uint64_t size; /* 0 if the shape is FREE or RESIZE; rfs_heap_chunk_size() then finds the size */
	bool write;
	/*
	 * The call writes there shortly before it returns, for example when data has arrived. How much is known only
	 * then: rfs_range_call_result().
	 */
	bool late;
};
#define RFS_RANGES_MAX 10

struct rfs_range_call {
	enum rfs_range_shape shape;
	struct rfs_touched_range range[RFS_RANGES_MAX];
	size_t n;
	struct rfs_library_use use[RFS_LIBRARY_USES_MOST];
	size_t n_uses;
	uint64_t result; /* COPY, FILL: what the function returns */
	unsigned char fill;
};

/* How to read the target's memory, to find the ends of strings. False: it cannot be read. */
struct rfs_range_reader {
	bool (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	void *arg;
};
/* The size of a string with its NUL, at most max bytes. 0: memory cannot be read before the NUL is found. */
uint64_t rfs_range_string_size(const struct rfs_range_reader *reader, rfs_addr s, uint64_t max);

/* Whether this function is a known range call. */
bool rfs_range_call_known(const char *callee);

/* Whether a site calls such a function, and not one of the program that has the same name, such as "send". */
bool rfs_range_call_is(const struct rfs_code_site *site);

/*
 * For the member `call` of struct rfs_plan_request: says which arguments a stub records, so that the ranges can be
 * computed later. False if the arguments are not enough, because memory has to be read (as for strlen).
 */
bool rfs_range_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

/*
 * Finds what a call of `callee` will access. regs: the registers at the function's entry (entry true), or at the call
 * instruction. False if the arguments make no sense or nothing is accessed.
 */
bool rfs_range_call_look(const char *callee, const struct user_regs_struct *regs, bool entry,
			 const struct rfs_range_reader *reader, struct rfs_range_call *out);
/* Finds what a call with late ranges has written. regs, entry: as above; result: what the function returned. */
bool rfs_range_call_result(const char *callee, const struct user_regs_struct *regs, bool entry, uint64_t result,
			   const struct rfs_range_reader *reader, struct rfs_range_call *out);

#endif
