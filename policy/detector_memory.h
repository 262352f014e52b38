/* detector_memory.h - what a detector says of the memory that it needs. Its limit is in struct rfs_policy_args. */
#ifndef RFS_DETECTOR_MEMORY_H
#define RFS_DETECTOR_MEMORY_H

#include <stdint.h>

/* What a detector has needed for past accesses. */
struct rfs_detector_memory {
	uint64_t peak;	    /* bytes; up to 64 KiB less than the exact number */
	uint64_t forgotten; /* MiB of the target's memory whose past accesses were forgotten because of the limit */
};

#endif
