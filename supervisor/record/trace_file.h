/*
 * trace_file.h - the visible operations of a run as a file (rfsup-record(5)).
 *
 * 8 bytes magic, then one fixed entry an operation, and one more that ends it and holds a hash of all bytes before, so
 * that a trace that was cut short or altered is never taken for that of a shorter run. Addresses are named (module +
 * offset, stack + offset, heap + offset), never raw, so that two runs compare where the addresses differ.
 *
 * Where the stacks are asked for as well, FILE.stacks holds for each entry a count (2 bytes) and so many sites.
 */
#ifndef RFS_TRACE_FILE_H
#define RFS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFS_TRACE_MAGIC "rfstrc02"

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
	uint64_t site;	 /* base/site.h */
	uint64_t offset; /* of the object */
	uint16_t kind;	 /* enum rfs_op_kind, RFS_TRACE_OUTPUT or RFS_TRACE_END */
	uint16_t thread;
	uint8_t outcome;
	uint8_t name; /* enum rfs_trace_name */
	uint16_t index;
	uint64_t value;	 /* accesses: what was read there, or stands there after the write; its first bytes */
	uint32_t size;	 /* accesses: bytes */
	uint32_t access; /* accesses: enum rfs_access_flags */
};

#define RFS_TRACE_OUTPUT 0xffff /* bytes that the target wrote; offset: how many */
#define RFS_TRACE_END 0xfffe	/* the last entry; chain: XXH3 of all before it; offset: how many entries */

struct rfs_trace_writer;

/* 0 and *out, or -errno and a line in why. */
int rfs_trace_writer_new(const char *path, bool stacks, struct rfs_trace_writer **out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_trace_write(struct rfs_trace_writer *writer, const struct rfs_trace_entry *entry);
bool rfs_trace_wants_stacks(const struct rfs_trace_writer *writer);
/* Once for each entry, where they are wanted. Sites as in an entry; addresses outside modules as they are. */
void rfs_trace_write_stack(struct rfs_trace_writer *writer, const uint64_t *sites, size_t n);
/* Only now the file gets its name. 0 or -errno; the writer is gone either way. */
int rfs_trace_writer_close(struct rfs_trace_writer *writer) __attribute__((warn_unused_result));

/* 0 and *out (free()) with *n entries, without the last; or -errno and a line in why. */
int rfs_trace_read(const char *path, struct rfs_trace_entry **out, size_t *n, char *why, size_t room)
	__attribute__((warn_unused_result));
/* The stack of entry index; 0 where none was written. */
size_t rfs_trace_read_stack(const char *path, size_t index, uint64_t *out, size_t max);

#endif
