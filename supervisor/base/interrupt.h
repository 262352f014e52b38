/*
 * interrupt.h - Ctrl-C (SIGINT) and SIGTERM: the first one ends the campaign in order, the second one at once.
 */
#ifndef RFS_INTERRUPT_H
#define RFS_INTERRUPT_H

/* Installs the handlers. *fd becomes readable, for good, with the first signal; it lives as long as the process. 0 or
 * -errno. */
int rfs_interrupt_init(int *fd) __attribute__((warn_unused_result));
/* In a forked process: the signals mean what they mean by default again. */
void rfs_interrupt_reset(void);

#endif
