/* rdtsc.h - whether the processor of this machine traps rdtsc. */
#ifndef RFS_RDTSC_H
#define RFS_RDTSC_H

#include <stdbool.h>

/*
 * Whether a process that asked for it (PR_SET_TSC) gets a signal at rdtsc. Some virtual machines accept the request,
 * but the instruction goes on. Tries it with a child.
 */
bool rfs_rdtsc_traps(void);

#endif
