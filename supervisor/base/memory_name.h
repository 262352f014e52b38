/*
 * memory_name.h - names for the memory of processes that the program has forked.
 *
 * Two processes have different memory at one address. Such memory has a name in place of its address: the address, and
 * the number of the process in bits that no address of a program has. Offsets can be added to a name as to an address.
 * Memory of the program itself, and memory that processes share, has its address.
 */
#ifndef RFS_MEMORY_NAME_H
#define RFS_MEMORY_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

/* Processes have the numbers 1 to RFS_PROCESSES_MOST. 0: the program. */
#define RFS_PROCESSES_MOST 64
/* Addresses of user space have fewer bits, and those of kernel_objects.h have higher ones too. */
#define RFS_MEMORY_NAME_SHIFT 48
#define RFS_MEMORY_ADDRESS_MASK ((UINT64_C(1) << RFS_MEMORY_NAME_SHIFT) - 1)

/* The name of the memory at this address of the process; the address itself if the process is 0. */
static inline rfs_addr rfs_memory_name(unsigned process, rfs_addr address)
{
	return address | (rfs_addr)process << RFS_MEMORY_NAME_SHIFT;
}

/* The process of a name; 0 if it is none. */
static inline unsigned rfs_memory_process(rfs_addr name)
{
	const rfs_addr process = name >> RFS_MEMORY_NAME_SHIFT;

	return process <= RFS_PROCESSES_MOST ? (unsigned)process : 0;
}

/* The address in a name; any other address itself. */
static inline rfs_addr rfs_memory_address(rfs_addr name)
{
	return rfs_memory_process(name) ? name & RFS_MEMORY_ADDRESS_MASK : name;
}

/* Whether memory of user space may have this address. Nothing is mapped in the first page. */
static inline bool rfs_memory_is_user(rfs_addr address)
{
	return address >= 4096 && address <= RFS_MEMORY_ADDRESS_MASK;
}

#endif
