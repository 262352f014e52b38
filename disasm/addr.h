/* addr.h - the type of addresses in the target, which are never C pointers, and the size of words. */
#ifndef RFS_ADDR_H
#define RFS_ADDR_H

#include <stdbool.h>
#include <stdint.h>

/* A virtual address of the target. A parameter named vaddr is an ELF virtual address, before the module is loaded. */
typedef uint64_t rfs_addr;

/* Whether the hardware reads and writes this many bytes at once: 1, 2, 4 or 8. */
static inline bool rfs_is_word_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

#endif
