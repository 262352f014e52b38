/* memory-priv.h - reads lines of /proc/PID/maps. */
#ifndef RFS_TRACER_MEMORY_PRIV_H
#define RFS_TRACER_MEMORY_PRIV_H

#include <stdbool.h>

struct rfs_mapping;

/* Parses a line of /proc/PID/maps (proc(5)). */
bool rfs_mapping_parse(const char *line, struct rfs_mapping *out);

#endif
