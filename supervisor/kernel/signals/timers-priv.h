/* timers-priv.h - the list of timers, for timers.c and timer_calls.c. */
#ifndef RFS_TIMERS_PRIV_H
#define RFS_TIMERS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rfs_run;

enum rfs_timer_kind {
	RFS_TIMER_INTERVAL, /* id: ITIMER_* */
	RFS_TIMER_POSIX,    /* id: of timer_create() */
	RFS_TIMER_FD,	    /* id: our duplicate */
};

struct rfs_timer {
	enum rfs_timer_kind kind;
	int id;
	pid_t pid; /* of its process; RFS_TIMER_FD: of the one that armed it first */
	bool gone; /* timer_delete() */
	clockid_t clock;
	uint64_t due, interval; /* virtual nanoseconds; RFS_NEVER: not armed */
	uint64_t expired; /* RFS_TIMER_FD: expirations since the last read; RFS_TIMER_POSIX: overruns of the last signal
			   */
	int notify, signo; /* RFS_TIMER_POSIX: SIGEV_* */
	pid_t thread;	   /* SIGEV_THREAD_ID: the kernel's id of the thread; 0: none */
	uint64_t value;	   /* sigev_value */
};

struct rfs_timers {
	struct rfs_timer *list;
	size_t n;
};

/* Adds a timer that is not armed. Valid until the next one is added. */
struct rfs_timer *rfs_timer_add(struct rfs_run *run, enum rfs_timer_kind kind, int id, pid_t pid);
/* The number of timers in the list, whose storage may not exist yet. */
size_t rfs_timers_count(const struct rfs_run *run);
/* The timer of a timerfd; NULL: none. fd: our duplicate; the target may have several descriptors of the same timer. */
struct rfs_timer *rfs_timer_of_fd(struct rfs_run *run, int fd);
/* Makes the timerfd not expired in the kernel. */
void rfs_timer_disarm(int fd);
/* The signal that the timer sends; 0: none. */
int rfs_timer_signal(const struct rfs_timer *timer);

#endif
