/* record-priv.h - names in a record, shared by its writer (record.c) and its reader (record_read.c). */
#ifndef RFS_RECORD_PRIV_H
#define RFS_RECORD_PRIV_H

#include <stddef.h>

/* A spin read with this module name means that rdtsc must trap. No file has such a name. */
#define RFS_RECORD_TRAPS_RDTSC "[rdtsc]"

/* The last key of a record. Its value is the checksum of all bytes before the comma. */
#define RFS_CHECKSUM_KEY ",\"checksum\":\""

struct rfs_record_resource {
	const char *name;
	int number; /* RLIMIT_* */
};
extern const struct rfs_record_resource rfs_record_resources[];
extern const size_t rfs_record_n_resources;

#endif
