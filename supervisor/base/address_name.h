/* address_name.h - an address by a name that means the same in every run. */
#ifndef RFS_ADDRESS_NAME_H
#define RFS_ADDRESS_NAME_H

#include <stdint.h>

enum rfs_address_kind {
	RFS_ADDRESS_NONE, /* the address has no such name */
	RFS_ADDRESS_STATIC,
	RFS_ADDRESS_HEAP,
	RFS_ADDRESS_STACK,
};

struct rfs_address_name {
	uint64_t kind;	 /* enum rfs_address_kind */
	uint64_t object; /* a hash that names the module, the block or the thread: state/core/stable_names.c */
	uint64_t offset; /* in the module or the block; on a stack, the distance from its end */
};

#endif
