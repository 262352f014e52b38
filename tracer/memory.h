/*
 * memory.h - the target's memory. Data through process_vm_readv/writev, code through /proc/PID/mem.
 */
#ifndef RFS_MEMORY_H
#define RFS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_space;

/*
 * Whole ranges: 0, -EFAULT if a part is not mapped (then the content of buf is undefined), -ESRCH. Reads show the
 * program's own bytes at breakpoints.
 */
int rfs_space_read(struct rfs_space *space, rfs_addr address, void *buf, size_t n) __attribute__((warn_unused_result));
int rfs_space_write(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));
/* A part of the target's memory and its destination. */
struct rfs_piece {
	rfs_addr address;
	void *buf;
	size_t n;
};
/*
 * Reads several pieces (at most RFS_PIECES_MAX) with one system call. Returns how many of them, from the first on, were
 * read whole; the next one, if any, is not mapped, or the target is gone.
 */
#define RFS_PIECES_MAX 16
size_t rfs_space_read_pieces(struct rfs_space *space, const struct rfs_piece *pieces, size_t n);
/* Reads at most n - 1 bytes up to a NUL, always terminates. 0, -EFAULT, -ESRCH. */
int rfs_space_read_string(struct rfs_space *space, rfs_addr address, char *buf, size_t n);

/* One line of /proc/PID/maps. path is "" for anonymous memory, "[heap]", "[stack]". */
struct rfs_mapping {
	rfs_addr start, end;
	bool read, write, exec, shared;
	char path[4096];
};
/* The mapping that contains address. False if there is none. */
bool rfs_space_mapping(struct rfs_space *space, rfs_addr address, struct rfs_mapping *out);

#endif
