/* message.h - names of happens-before messages for detectors. */
#ifndef RFS_MESSAGE_H
#define RFS_MESSAGE_H

#include <stdint.h>

/* Happens-before messages for detectors. Kind and number together identify a message. */
enum rfs_message_kind {
	RFS_MESSAGE_START = 1,	/* number: the new thread */
	RFS_MESSAGE_SIGNAL,	/* number: counts the signals of condition variables */
	RFS_MESSAGE_POST,	/* number: identifies the post of a semaphore */
	RFS_MESSAGE_BARRIER,	/* number: identifies the round of a barrier */
	RFS_MESSAGE_ONCE,	/* number: the address of the pthread_once_t or of the guard */
	RFS_MESSAGE_EXIT,	/* number: the thread that ended */
	RFS_MESSAGE_CHANNEL,	/* number: the channel (kernel/descriptors/channel.h) */
	RFS_MESSAGE_OPENMP,	/* number: given by model/openmp.c */
	RFS_MESSAGE_KILL,	/* number: the signal, plus (thread + 1) << 8 if it was sent to one thread */
	RFS_MESSAGE_TASK,	/* number: the address of a task of libtbb */
	RFS_MESSAGE_ANNOTATION, /* number: the address that the annotation names */
	RFS_MESSAGE_ARMED,	/* number: a signal: what precedes the call from which on it may come */
	RFS_MESSAGE_HANDLED,	/* number: a signal: what its handler has done */
	RFS_MESSAGE_FAMILY,	/* number: 0; what a process has told others through the kernel (state/core/family.h) */
	RFS_MESSAGE_READERS, /* number: the address of an annotated readers-writer lock: what its readers have done */
};

static inline uint64_t rfs_message(enum rfs_message_kind kind, uint64_t number)
{
	return (uint64_t)kind << 56 | (number & ((1ull << 56) - 1));
}

#endif
