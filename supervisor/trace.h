/*
 * trace.h - the visible operations of a run, in order, as a chain of hashes and as a file.
 *
 * The file: 8 bytes magic, then one fixed entry an operation. Addresses are named (module + offset, stack + offset,
 * heap + offset), never raw, so that two runs compare where the addresses differ.
 */
#ifndef RFS_TRACE_H
#define RFS_TRACE_H

#include <stdint.h>

#define RFS_TRACE_MAGIC "rfstrc01"

/* What an address in an entry is relative to. */
enum rfs_trace_name {
	RFS_NAME_RAW,	 /* no address: a descriptor, nothing */
	RFS_NAME_MODULE, /* index: the module's number */
	RFS_NAME_STACK,	 /* index: the thread; offset below its top */
	RFS_NAME_HEAP,	 /* offset from the start of the break's heap */
	RFS_NAME_MAPPED, /* offset from the interpreter, or from the program where there is none */
};

struct rfs_trace_entry {
	uint64_t chain;	 /* of everything up to and with this operation, values read included */
	uint64_t site;	 /* (module number + 1) << 40 | offset */
	uint64_t offset; /* of the object */
	uint16_t kind;	 /* enum rfs_op_kind, or RFS_TRACE_OUTPUT */
	uint16_t thread;
	uint8_t outcome;
	uint8_t name; /* enum rfs_trace_name */
	uint16_t index;
};

#define RFS_TRACE_OUTPUT 0xffff /* bytes that the target wrote; offset: how many */

#endif
