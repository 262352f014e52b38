/*
 * interrupt.h - handles Ctrl-C (SIGINT), SIGTERM and SIGHUP. After the first signal the campaign ends in order, with a
 * report. The second one ends the program at once.
 */
#ifndef RFS_INTERRUPT_H
#define RFS_INTERRUPT_H

#include <stdbool.h>

/*
 * Installs the handlers. *fd becomes readable at the first signal and stays readable. The descriptor is never closed.
 * 0 or -errno.
 */
int rfs_interrupt_init(int *fd) __attribute__((warn_unused_result));
/* Whether a signal came. fd: from rfs_interrupt_init(), or -1 for none. */
bool rfs_interrupted(int fd);
/* Call in a forked process that ends in order itself, as the process that has forked it. */
void rfs_interrupt_adopt(void);
/* Call in a forked process: restores the default actions of SIGINT, SIGTERM, SIGHUP and SIGPIPE. */
void rfs_interrupt_reset(void);

#endif
