/* addr.h - addresses of the target have a type of their own, never a pointer of ours. */
#ifndef RFS_ADDR_H
#define RFS_ADDR_H

#include <stdint.h>

/* A virtual address of the target, or an ELF virtual address where a prototype says "vaddr". */
typedef uint64_t rfs_addr;

#endif
