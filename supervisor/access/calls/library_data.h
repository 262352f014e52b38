/*
 * library_data.h - functions of the C library with data that two threads must not use at the same time. A call counts
 * as an access of the calling statement to these data.
 *
 * Some functions keep data to themselves, such as strtok and localtime. Which functions, and which of them share data:
 * the manual of glibc, "MT-Unsafe race" and "const:env" (GNU C Library Reference Manual, section 1.2.2). The
 * library's symbols do not name such data, so the address of one of the functions is used in place of theirs.
 *
 * Others use a stream or an open folder. Streams have a lock, but a call that closes one frees it: this is a write, and
 * all other uses of a stream are reads.
 */
#ifndef RFS_LIBRARY_DATA_H
#define RFS_LIBRARY_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "disasm/addr.h"

/* Whether this function of the C library uses such data. */
bool rfs_library_data_known(const char *function);

struct rfs_library_use {
	const char *function; /* whose address is used for the data; static; NULL: it is a stream or a folder */
	rfs_addr object;      /* the address of the stream or the folder */
	bool write;
};
#define RFS_LIBRARY_USES_MOST 2
/* What a call uses. regs: the registers at the call instruction or at the entry. Returns how many. */
size_t rfs_library_data_look(const char *function, const struct user_regs_struct *regs,
			     struct rfs_library_use out[RFS_LIBRARY_USES_MOST]);

#endif
