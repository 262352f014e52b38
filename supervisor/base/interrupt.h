/*
 * interrupt.h - Ctrl-C (SIGINT) and SIGTERM: the first one ends the campaign in order, the second one ends it at once.
 */
#ifndef RFS_INTERRUPT_H
#define RFS_INTERRUPT_H

/* Installs the handlers. *fd becomes readable with the first signal and stays readable. It is open as long as the
 * process lives. 0 or -errno. */
int rfs_interrupt_init(int *fd) __attribute__((warn_unused_result));
/* For a forked process: restores the default actions of the two signals. */
void rfs_interrupt_reset(void);

#endif
