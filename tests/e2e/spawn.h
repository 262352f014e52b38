/* spawn.h - runs the built rfsup as a user would, with a minimal environment, and keeps its output. */
#ifndef RFS_TEST_SPAWN_H
#define RFS_TEST_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/* A command line, as an array that ends with NULL. */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct spawned {
	int status;	 /* exit status, or 128 + signal */
	char *out, *err; /* standard output and standard error; freed by spawned_release() */
	bool timed_out;	 /* killed after SPAWN_LIMIT */
	pid_t pid;	 /* valid between spawn_start() and spawn_wait() */
	int fd_out, fd_err;
};

/* Seconds until rfsup is killed. Far more than any test takes, and less than Criterion's own limit. */
#define SPAWN_LIMIT 900

/*
 * Runs rfsup and waits for its end. args: the words after "rfsup", ending with NULL. folder: the working directory;
 * NULL: that of the test. out_file: a file for standard output; NULL: it goes to out->out. The binary is $RFSUP, or the
 * one of this build. The environment has only PATH and LC_ALL, because Criterion's variables vary in length, which
 * would move the target's stack.
 */
void spawn_rfsup(const char *const *args, const char *folder, const char *out_file, struct spawned *out);
/* The same in two steps. rfsup runs between them. */
void spawn_start(const char *const *args, const char *folder, const char *out_file, struct spawned *out);
void spawn_wait(struct spawned *spawned);
void spawned_release(struct spawned *spawned);

/* Makes a new folder in /tmp. spawn_folder_remove() removes it with its contents, and frees the name. */
char *spawn_folder(void);
void spawn_folder_remove(char *folder);
/* Removes a file, or a folder with its contents. Does nothing if it does not exist. */
void spawn_remove(const char *path);
/*
 * How many processes have a /proc/PID/LINK that leads to path. With "exe": processes that execute this file. With
 * "cwd": processes whose working directory it is, such as rfsup and its targets in their test's folder.
 */
int spawn_running(const char *link, const char *path);
/* Writes the file FOLDER/NAME and sets its mode. */
void spawn_file(const char *folder, const char *name, const void *data, unsigned long n, unsigned mode);

#endif
