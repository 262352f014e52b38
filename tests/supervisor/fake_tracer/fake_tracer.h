/*
 * fake_tracer.h - a tracer without a process, for unit tests. It defines the functions of the headers in tracer/, and a
 * test program is linked with it instead of the tracer.
 *
 * The target is a table: what each of its threads does, one step after another. Its memory is a block of bytes. A
 * thread calls functions of the C library, which stops it if there is a breakpoint; when it is resumed, it does to
 * memory what the function does (library.c). No thread of the target sleeps in such a function: if the supervisor lets
 * it run although it would have to wait, that is noted in the log.
 */
#ifndef RFS_TEST_FAKE_TRACER_H
#define RFS_TEST_FAKE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_task;
struct rfs_tracer;

/* The target's memory. Its objects are in the first half, and the stacks of its threads in the second. */
#define FAKE_MEMORY UINT64_C(0x100000)
#define FAKE_MEMORY_SIZE 0x10000u
#define FAKE_THREADS 8
/* The process, whose leader has this id. The next threads have the next ids. It is above the kernel's
 * PID_MAX_LIMIT, so no process of the system has it. */
#define FAKE_PID 4500000

/* One step of a thread. A step that is all zeroes ends the thread; if it is the leader, it ends the process. */
struct fake_step {
	const char *function; /* it calls this function of the C library; NULL: a system call, or what follows */
	uint64_t args[6];     /* of the function, or of the system call */
	long number;	      /* it makes this system call (the number of read(2), 0, is not used) */
	long result;	      /* what the kernel returns */
	/* In the system call, it sleeps: these are its next states (rfs_task_state()), and the last one stays. */
	const char *sleeps;
	int wakes;	    /* this system call ends the sleep of this thread; 0: of none */
	int signo;	    /* it gets this signal */
	int interval;	    /* it computes for so many ticks of the supervisor's clock */
	const char *asleep; /* if `interval`: its states meanwhile, as above; NULL: it uses the processor */
};

/* Sets the target up: its memory is zero. scripts[0] is the leader's, the others are those of the threads that it makes
 * with pthread_create(), whose third argument is the index. Each script ends with a step of zeroes. */
void fake_program(const struct fake_step *const *scripts);
/* Starts a thread of the target without a call of it. script: the index in the list of fake_program(). */
struct rfs_task *fake_thread(size_t script);
struct rfs_tracer *fake_tracer(void);
/* From now on the leader has the id of a process that exists, of which only /proc and the like is looked at. */
void fake_process(pid_t pid);

void fake_put(rfs_addr address, const void *object, size_t n);
int fake_word(rfs_addr address);
/*
 * What the threads have done so far, in order, with a space between two entries. "1:pthread_mutex_lock=0": a function
 * or system call of thread 1 returned 0. "1:sleeps": the thread called a function that would have to wait.
 * "1:signal=15": it got the signal. "1:end".
 */
const char *fake_log(void);
void fake_log_clear(void);

/* The functions of the C library that the target can call (library.c). */
enum fake_effect { FAKE_RETURNS, FAKE_SLEEPS, FAKE_CLONES };
enum fake_effect fake_library_call(const char *function, int tid, const uint64_t args[6], long *result);
/* The pthread_t of the n-th thread of the target. */
uint64_t fake_tls(int number);
/* Whether a thread runs, in its own code or in the kernel. */
bool fake_moves(void);
/* Whether the thread with this pthread_t has ended. */
bool fake_has_ended(uint64_t tls);

#endif
