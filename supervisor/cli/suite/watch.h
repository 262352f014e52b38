/* watch.h - one run of a test without control: how it ends, whether it has threads, and which files it consists of. */
#ifndef RFS_SUITE_WATCH_H
#define RFS_SUITE_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_suite_runs;
struct rfs_suite_test;

enum rfs_watched {
	RFS_WATCHED_NOTHING, /* it could not be started; `why` says the reason */
	RFS_WATCHED_EXIT,
	RFS_WATCHED_SIGNAL,
	RFS_WATCHED_ENDLESS, /* it did not end in time */
	RFS_WATCHED_ASLEEP,  /* all its threads wait for each other forever */
};

/* All is owned. */
struct rfs_watch {
	enum rfs_watched end;
	int number; /* exit status or signal */
	bool threads;
	char *follow;	/* the program that has threads, if it is another one that the test starts; NULL: none */
	char **files;	/* programs, libraries and arguments that are files; ends with NULL */
	double seconds; /* wall time */
	char *output;	/* the last part of what it wrote */
	bool cut;	/* it wrote more */
	char *why;
};

/* A run that is being made in a separate process. */
struct rfs_watching {
	pid_t pid;
	int fd; /* of the result */
};

/* Starts the run. seconds: the time in which it must end. 0 or -errno. */
int rfs_watch_start(const struct rfs_suite_test *test, const struct rfs_suite_runs *runs, double seconds,
		    struct rfs_watching *out) __attribute__((warn_unused_result));
/* The result, after the process has ended. Free with rfs_watch_release(). */
void rfs_watch_finish(struct rfs_watching *watching, struct rfs_watch *out);
void rfs_watch_release(struct rfs_watch *watch);

#endif
