/* addr.h - addresses of the target have their own type and are never C pointers. */
#ifndef RFS_ADDR_H
#define RFS_ADDR_H

#include <stdint.h>

/* A virtual address of the target, or an ELF virtual address if a prototype says "vaddr". */
typedef uint64_t rfs_addr;

#endif
