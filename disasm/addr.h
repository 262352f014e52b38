/* addr.h - the type of addresses in the target. These are never C pointers. */
#ifndef RFS_ADDR_H
#define RFS_ADDR_H

#include <stdint.h>

/* A virtual address of the target. A parameter named vaddr is an ELF virtual address, before the module is loaded. */
typedef uint64_t rfs_addr;

#endif
