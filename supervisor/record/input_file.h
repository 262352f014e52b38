/*
 * The file has a magic number, entries, and a hash of all bytes before the hash. Integers have this machine's byte
 * order.
 */
#ifndef RFS_INPUT_FILE_H
#define RFS_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFS_INPUT_MAGIC "rfsinp03"

enum rfs_input_kind {
	RFS_INPUT_CALL,	   /* value: the call's result */
	RFS_INPUT_BACK,	   /* a call returned after it was blocked in the kernel; value: the call's result */
	RFS_INPUT_READY,   /* value: whether the thread's call would complete without blocking */
	RFS_INPUT_SIGNAL,  /* value: the signal's number */
	RFS_INPUT_HORIZON, /* no thread could continue; value: the new horizon of the run */
	RFS_INPUT_TIME,	   /* no thread could continue; value: the new virtual time */
	RFS_INPUT_CLOCK,   /* value: a read of the real clock, as virtual time; thread -1: the read at the start of the
			      run */
	RFS_INPUT_MADE, /* accept or connect gave a connection to a process of the target, so a replay makes the call,
			   too; value: the call's result */
};

struct rfs_input_entry {
	uint64_t choice; /* the event happened before the choice with this number; the first is 1 */
	uint32_t kind, pieces;
	int32_t thread, number; /* number: of the system call */
	int64_t value;
};

/* A part of the target's memory that the call wrote. Its bytes follow in the file. */
struct rfs_input_piece {
	uint64_t address, size;
};

/* The contents of an input file, without the hash. */
struct rfs_input_bytes {
	unsigned char *bytes;
	size_t n, size;
};

/* Adds the magic number. */
void rfs_input_begin(struct rfs_input_bytes *to);
void rfs_input_put(struct rfs_input_bytes *to, const void *data, size_t n);
/* True if more bytes were added than may be saved. rfs_input_save() must then not be called. */
bool rfs_input_overflows(const struct rfs_input_bytes *bytes);
/* Appends the hash and writes the file. 0 or -errno. */
int rfs_input_save(struct rfs_input_bytes *bytes, const char *path) __attribute__((warn_unused_result));
/*
 * Reads an input file and checks that all entries are complete. Returns 0, *out, and the offsets of the entries in
 * *offsets; the caller frees both. Returns -errno and a line in why if the file is unreadable or damaged.
 */
int rfs_input_load(const char *path, struct rfs_input_bytes *out, size_t **offsets, size_t *n_offsets, char *why,
		   size_t n) __attribute__((warn_unused_result));

#endif
