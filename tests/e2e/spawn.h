/* spawn.h - runs the built rfsup as a user would, in a scrubbed environment, and keeps what it said. */
#ifndef RFS_TEST_SPAWN_H
#define RFS_TEST_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/* The words of a command line. */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct spawned {
	int status;	 /* exit status, or 128 + signal */
	char *out, *err; /* what it wrote; owned */
	bool timed_out;	 /* killed after SPAWN_LIMIT */
	pid_t pid;	 /* between spawn_start() and spawn_wait() */
	int fd_out, fd_err;
};

/* Wall seconds after which rfsup is killed: far above what any test takes, below Criterion's own limit. */
#define SPAWN_LIMIT 900

/*
 * args: the words after "rfsup", ends with NULL. folder: its working directory; NULL: the test's own. out: a file that
 * gets its standard output; NULL: kept. The binary is $RFSUP or that of the build that the test belongs to. The
 * environment is PATH and LC_ALL only: Criterion's own variables vary in length, which moves the target's stack.
 */
void spawn_rfsup(const char *const *args, const char *folder, const char *out_file, struct spawned *out);
/* The same in two steps: rfsup runs between them. */
void spawn_start(const char *const *args, const char *folder, const char *out_file, struct spawned *out);
void spawn_wait(struct spawned *spawned);
void spawned_release(struct spawned *spawned);

/* A new folder below /tmp; spawn_folder_remove() removes it with all that is in it and frees the name. */
char *spawn_folder(void);
void spawn_folder_remove(char *folder);
/* Removes a file, or a folder with all that is in it, if it is there. */
void spawn_remove(const char *path);
/* Processes whose /proc/PID/LINK leads to path: "exe": that execute it; "cwd": that work there, which rfsup and its
 * targets do in their test's folder, unless they went elsewhere. */
int spawn_running(const char *link, const char *path);
/* Writes FOLDER/NAME with this mode. */
void spawn_file(const char *folder, const char *name, const void *data, unsigned long n, unsigned mode);

#endif
