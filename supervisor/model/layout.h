/*
 * layout.h - how glibc 2.x on x86-64 lays out its synchronisation objects.
 *
 * The layouts are part of glibc's ABI (struct __pthread_mutex_s, struct __pthread_rwlock_arch_t, struct
 * pthread_barrier). The values of the bits are in its pthreadP.h.
 */
#ifndef RFS_MODEL_LAYOUT_H
#define RFS_MODEL_LAYOUT_H

struct rfs_mutex_memory {
	int lock; /* 0: free; in robust and priority-inheriting mutexes: the owner's tid and FUTEX_* bits */
	unsigned count;
	int owner;
	unsigned users;
	int kind;
};
#define RFS_MUTEX_TYPE 3
#define RFS_MUTEX_RECURSIVE 1
#define RFS_MUTEX_ERRORCHECK 2
#define RFS_MUTEX_ADAPTIVE 3
#define RFS_MUTEX_ROBUST 16
#define RFS_MUTEX_INHERIT 32
#define RFS_MUTEX_PROTECT 64
#define RFS_MUTEX_SHARED 128
#define RFS_MUTEX_ELISION 256
#define RFS_MUTEX_NO_ELISION 512
#define RFS_MUTEX_DESTROYED (-1)		/* the whole kind, after pthread_mutex_destroy() */
#define RFS_MUTEX_NOT_RECOVERABLE (INT_MAX - 1) /* the owner; INT_MAX: a thread holds it that may repair the data */
#define RFS_MUTEX_CEILING_SHIFT 19

struct rfs_rwlock_memory {
	unsigned readers, writers, wrphase_futex, writers_futex, pad3, pad4;
	int cur_writer, shared;
	signed char elision;
	unsigned char pad1[7];
	unsigned long pad2;
	unsigned flags; /* the kind: who is preferred */
};
#define RFS_RWLOCK_PREFER_WRITER 2u /* PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP */
#define RFS_RWLOCK_WRLOCKED 2u
#define RFS_RWLOCK_READER_SHIFT 3

/* pthread_cond_t has __wrefs at this offset, with these bits. */
#define RFS_COND_WREFS 36
#define RFS_COND_SHARED 1u
#define RFS_COND_MONOTONIC 2u
#define RFS_COND_DESTROYED 4u
#define RFS_COND_WAITERS_SHIFT 3
/* Its words from this one on count references, waiters and signals. Two counters of 64 bits are before them. */
#define RFS_COND_COUNTS 4

/* sem_t on 64 bits. */
struct rfs_semaphore_memory {
	unsigned value, waiters;
	int shared; /* 0 or FUTEX_PRIVATE_FLAG */
};

/* FILE has the address of its lock at this offset (struct_FILE.h). The lock begins with a word; 0: free. */
#define RFS_FILE_LOCK 136

/* pthread_attr_t has its flags at this offset. */
#define RFS_ATTR_FLAGS 8
#define RFS_ATTR_DETACHED 1u
#define RFS_ATTR_STACK_GIVEN 8u /* by pthread_attr_setstack() */

struct rfs_barrier_memory {
	unsigned in, current_round, count;
	int shared; /* 0 or FUTEX_PRIVATE_FLAG */
	unsigned out;
};
#define RFS_OBJECT_SHARED 128 /* glibc's LLL_SHARED */

/* pthread_mutexattr_t is one word: the type, a priority ceiling, and these bits. */
#define RFS_MUTEXATTR_TYPE 0xfffu
#define RFS_MUTEXATTR_PROTOCOL_SHIFT 28
#define RFS_BARRIER_COUNT_MAX 0x7ffffffeu /* less than BARRIER_IN_THRESHOLD */

#endif
