/*
 * The file starts with a magic number of 8 bytes. An entry of fixed size follows for each operation. The last entry
 * contains a hash of all bytes before it, so that a shortened or changed trace is rejected. Addresses are stored as a
 * module, stack or heap and an offset in it, so that runs with different addresses can be compared.
 */
#ifndef RFS_TRACE_FILE_H
#define RFS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFS_TRACE_MAGIC "rfstrc02"

/* What an address in an entry is relative to. */
enum rfs_trace_name {
	RFS_NAME_RAW,	 /* not an address: a descriptor, or nothing */
	RFS_NAME_MODULE, /* index: see rfs_trace_module() */
	RFS_NAME_STACK,	 /* index: the thread; the offset counts down from the top of its stack */
	RFS_NAME_HEAP,	 /* offset from the program; only in static programs; index: of the process */
	RFS_NAME_MAPPED, /* offset from the interpreter; index: of the process */
};

struct rfs_trace_entry {
	uint64_t chain;	 /* hash of all operations up to and including this one, and of the values read */
	uint64_t site;	 /* the number of the site (base/site.h) */
	uint64_t offset; /* of the object; `name` and `index` say what the offset is relative to */
	uint16_t kind;	 /* enum rfs_op_kind, RFS_TRACE_OUTPUT or RFS_TRACE_END */
	uint16_t thread;
	uint8_t outcome;
	uint8_t name; /* enum rfs_trace_name */
	uint16_t index;
	/* accesses: the first bytes of the value that was read or, for a write, written; a condition wait:
	 * rfs_trace_object() of the mutex that it releases, or 0 if that is not known */
	uint64_t value;
	uint32_t size;	 /* accesses: bytes */
	uint32_t access; /* accesses: enum rfs_access_flags; start: the signal of a handler, or
			    0; others: the fault that may happen (record/fault.h), or 0 */
};

/* FILE.stacks begins with this number. */
#define RFS_TRACE_STACKS_MAGIC 0x326b636174736672 /* "rfstack2" */

#define RFS_TRACE_OUTPUT 0xffff /* the target wrote output; offset: how many bytes */
#define RFS_TRACE_END 0xfffe	/* the last entry; chain: the hash of all bytes before it; offset: how many entries */

/*
 * The index has the number of a module, and above these bits one of the process whose memory it is, if that is not the
 * program's. Processes whose numbers are far apart may have the same one.
 */
#define RFS_TRACE_MODULE_BITS 12
static inline unsigned rfs_trace_module(const struct rfs_trace_entry *entry)
{
	return entry->index & ((1u << RFS_TRACE_MODULE_BITS) - 1);
}

/* A number of the entry's object: a hash of offset, name and index. Never 0. */
uint64_t rfs_trace_object(const struct rfs_trace_entry *entry);

struct rfs_trace_writer;

/* Creates a trace. stacks: also creates FILE.stacks. Returns 0 and *out, or -errno and a line in why. */
int rfs_trace_writer_new(const char *path, bool stacks, struct rfs_trace_writer **out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_trace_write(struct rfs_trace_writer *writer, const struct rfs_trace_entry *entry);
bool rfs_trace_wants_stacks(const struct rfs_trace_writer *writer);
/* The call stack of a thread at its operation. */
struct rfs_trace_stack {
	const uint64_t *sites; /* innermost first; numbers as in an entry; addresses outside modules are raw */
	size_t n;
	/* If the operation's object is on a stack: the site of the frame that contains it, and the distance of the
	 * object below the frame's canonical frame address. 0: not known. */
	uint64_t frame, below_cfa;
};

/* Call once for each entry if stacks are requested. */
void rfs_trace_write_stack(struct rfs_trace_writer *writer, const struct rfs_trace_stack *stack);
/* Gives the file its final name, and frees the writer. On an error, frees the writer too. 0 or -errno. */
int rfs_trace_writer_close(struct rfs_trace_writer *writer) __attribute__((warn_unused_result));

/*
 * Returns 0 and *n entries in *out, which the caller frees. The last entry, which contains the hash, is left out. On an
 * error, returns -errno and a line in why.
 */
int rfs_trace_read(const char *path, struct rfs_trace_entry **out, size_t *n, char *why, size_t room)
	__attribute__((warn_unused_result));
/* The index of the entry of this operation: output has entries too, and is no operation. n: there is none. */
size_t rfs_trace_row(const struct rfs_trace_entry *entries, size_t n, uint64_t operation);
struct rfs_trace_stacks;

/* Reads the stacks of the trace `path`. NULL if it has none. The caller frees them with rfs_trace_stacks_free(). */
struct rfs_trace_stacks *rfs_trace_stacks_read(const char *path);
void rfs_trace_stacks_free(struct rfs_trace_stacks *stacks);
/* The stack of entry `index`; empty if it has none, or if stacks is NULL. Borrowed. */
struct rfs_trace_stack rfs_trace_stack_of(const struct rfs_trace_stacks *stacks, size_t index);

#endif
