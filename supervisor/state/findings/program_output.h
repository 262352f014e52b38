/*
 * program_output.h - keeps the last bytes that the controlled program wrote to its standard output and standard error,
 * for reports. The descriptors may be pipes to a test driver.
 */
#ifndef RFS_PROGRAM_OUTPUT_H
#define RFS_PROGRAM_OUTPUT_H

#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;

/* Appends what is at `data` in the target to result->said, and drops the oldest bytes. */
void rfs_program_output_add(struct rfs_run *run, rfs_addr data, uint64_t size);
/* Notes what the thread wrote to its standard error: it may be why the program ends. */
void rfs_program_output_error(struct rfs_run *run, int thread, rfs_addr data, uint64_t size);
/*
 * The last line that the thread wrote to its standard error, or the two lines of std::terminate. A thread that wrote
 * nothing: NULL. Caller frees.
 */
#define RFS_LAST_WRITER (-1) /* the thread that wrote last */
char *rfs_program_output_last(const struct rfs_run *run, int thread);
/* Frees what rfs_program_output_error() has noted. */
void rfs_program_output_release(struct rfs_run *run);
/* Copies it from the original of a fork server to a copy. */
void rfs_program_output_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
