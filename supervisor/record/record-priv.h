/* record-priv.h - the names in a record that its writer (record.c) and its reader (record_read.c) share. */
#ifndef RFS_RECORD_PRIV_H
#define RFS_RECORD_PRIV_H

#include <stddef.h>

/* In the place of a module's name, among the spin reads: rdtsc has to trap. */
#define RFS_RECORD_TRAPS_RDTSC "[rdtsc]"

/* Before the closing brace: the checksum of all before the comma. */
#define RFS_CHECKSUM_KEY ",\"checksum\":\""

struct rfs_record_resource {
	const char *name;
	int number; /* RLIMIT_* */
};
extern const struct rfs_record_resource rfs_record_resources[];
extern const size_t rfs_record_n_resources;

#endif
