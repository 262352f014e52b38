/* fault.h - what --faults lets happen to operations of a run, and what happened: plain data. state/operations/faults.h
 * decides. */
#ifndef RFS_FAULT_H
#define RFS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/symbols/place.h"

/* The numbers are bits of a set. The words of the option are in the same order. */
enum rfs_fault {
	RFS_FAULT_WAKEUP, /* a condition wait ends without a signal */
	RFS_FAULT_EINTR,  /* a system call that may wait fails with EINTR */
	RFS_FAULT_SHORT,  /* a read or write moves fewer bytes than it was asked to */
	RFS_FAULT_MALLOC, /* an allocation of the C library fails */
	RFS_FAULT_MMAP,	  /* mmap fails */
	RFS_FAULT_THREAD, /* pthread_create or thrd_create fails */
	RFS_FAULT_LATE,	  /* a sleep or a timed condition wait ends late */
	RFS_FAULTS
};

#define RFS_FAULT_WORDS "wakeup, eintr, short, malloc, mmap, thread, late"

/* The words of --faults; ends with NULL. */
extern const char *const rfs_fault_words[];

/* In the member `access` of an operation that is no access: the fault that may happen to it. */
#define RFS_FAULT_SHIFT 16
#define RFS_FAULT_IN_OP(fault) (((unsigned)(fault) + 1) << RFS_FAULT_SHIFT)

/* A fault that happened. */
struct rfs_fault_taken {
	enum rfs_fault fault;
	int thread;
	char *call;		/* "malloc" */
	char *effect;		/* "returned NULL" */
	struct rfs_place place; /* the return address of the call */
};

/* Whether an operation with this member `access`, which is no access, may have a fault; *out is which one. */
bool rfs_fault_of(unsigned access, enum rfs_fault *out);
/* What happens to an operation, to be added to its text: " (fails)". Static. */
const char *rfs_fault_step(enum rfs_fault fault);
/*
 * Whether one of these faults took a resource from the thread (-1: from any thread), so that the program may end with
 * an error. It must hide all other faults from its user.
 */
bool rfs_faults_excuse_exit(const struct rfs_fault_taken *list, size_t n, int thread);
/* Frees the array, and what its elements point to. */
void rfs_faults_free(struct rfs_fault_taken *list, size_t n);

#endif
