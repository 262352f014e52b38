/*
 * input_file.h - the file that holds what came from outside (rfsup-record(5), "The input file"): magic, entries, and a
 * hash of all before it. Integers as this machine has them.
 */
#ifndef RFS_INPUT_FILE_H
#define RFS_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFS_INPUT_MAGIC "rfsinp02"

enum rfs_input_kind {
	RFS_INPUT_CALL,	   /* value: result */
	RFS_INPUT_BACK,	   /* the same, of a call that had been waiting in the kernel */
	RFS_INPUT_READY,   /* value: whether the thread's call would not wait */
	RFS_INPUT_SIGNAL,  /* value: its number */
	RFS_INPUT_HORIZON, /* value: of the run, as nobody could go on */
	RFS_INPUT_TIME,	   /* value: virtual time, for the same reason */
	RFS_INPUT_CLOCK,   /* value: the real time, as nanoseconds of virtual time; thread -1: as the run began */
};

struct rfs_input_entry {
	uint64_t choice; /* that it comes before, from 1 */
	uint32_t kind, pieces;
	int32_t thread, number; /* number: of the system call */
	int64_t value;
};

/* Memory of the target's that the call wrote; the bytes follow. */
struct rfs_input_piece {
	uint64_t address, size;
};

/* The bytes of a file, without the hash. */
struct rfs_input_bytes {
	unsigned char *bytes;
	size_t n, size;
};

/* Puts the magic there. */
void rfs_input_begin(struct rfs_input_bytes *to);
void rfs_input_put(struct rfs_input_bytes *to, const void *data, size_t n);
/* More than is kept was put there: it is no file any more. */
bool rfs_input_overflows(const struct rfs_input_bytes *bytes);
/* 0 or -errno. */
int rfs_input_save(struct rfs_input_bytes *bytes, const char *path) __attribute__((warn_unused_result));
/*
 * 0 and *out, with the offsets of its entries, all whole (free both); or -errno and a line in why: unreadable, damaged.
 */
int rfs_input_load(const char *path, struct rfs_input_bytes *out, size_t **offsets, size_t *n_offsets, char *why,
		   size_t n) __attribute__((warn_unused_result));

#endif
