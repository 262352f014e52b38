/*
 * memory.h - reads and writes the target's memory. Data goes through process_vm_readv() and process_vm_writev(), code
 * through /proc/PID/mem.
 */
#ifndef RFS_MEMORY_H
#define RFS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_space;

/*
 * Both transfer the whole range. They return 0; -EFAULT if a part is not mapped (the content of buf is then undefined);
 * or -ESRCH. Reads show the program's own bytes under breakpoints and patches.
 */
int rfs_space_read(struct rfs_space *space, rfs_addr address, void *buf, size_t n) __attribute__((warn_unused_result));
/* Reads only the bytes before the first one that is not mapped. Returns how many they are, at most n; 0: none. */
size_t rfs_space_read_mapped(struct rfs_space *space, rfs_addr address, void *buf, size_t n);
int rfs_space_write(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));
/* A number that grows with each write of ours to the space. */
uint64_t rfs_space_writes(const struct rfs_space *space);
/* A part of the target's memory, and the buffer to which it is read. */
struct rfs_piece {
	rfs_addr address;
	void *buf;
	size_t n;
};
/*
 * Reads several pieces (at most RFS_PIECES_MAX) with one system call. Returns how many of them, from the first on, were
 * read whole. If that is less than n, the next piece is not mapped, or the target is gone.
 */
#define RFS_PIECES_MAX 16
size_t rfs_space_read_pieces(struct rfs_space *space, const struct rfs_piece *pieces, size_t n);
/* Reads a string of at most n - 1 bytes; a longer one is cut off. buf always ends with a NUL. Returns 0, -EFAULT or
 * -ESRCH. */
int rfs_space_read_string(struct rfs_space *space, rfs_addr address, char *buf, size_t n);

/* One line of /proc/PID/maps. path is a file, "" for anonymous memory, or a name such as "[heap]" or "[stack]". */
struct rfs_mapping {
	rfs_addr start, end;
	bool read, write, exec, shared;
	char path[4096];
};
/* The mapping that contains address. False if there is none. */
bool rfs_space_mapping(struct rfs_space *space, rfs_addr address, struct rfs_mapping *out);

#endif
