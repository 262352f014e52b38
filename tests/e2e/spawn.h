/* spawn.h - runs the built rfsup as a user would, in a scrubbed environment, and keeps what it said. */
#ifndef RFS_TEST_SPAWN_H
#define RFS_TEST_SPAWN_H

struct spawned {
	int status;	 /* exit status, or 128 + signal */
	char *out, *err; /* what it wrote; owned */
};

/*
 * args: the words behind "rfsup", ends with NULL. folder: its working directory; NULL: the test's own. out: a file that
 * gets its standard output; NULL: kept. The binary is $RFSUP or that of the build that the test belongs to. The
 * environment is PATH and LC_ALL only: Criterion's own variables vary in length, which moves the target's stack.
 */
void spawn_rfsup(const char *const *args, const char *folder, const char *out_file, struct spawned *out);
void spawned_release(struct spawned *spawned);

/* A new folder below /tmp; spawn_folder_remove() removes it with all that is in it and frees the name. */
char *spawn_folder(void);
void spawn_folder_remove(char *folder);
/* Writes FOLDER/NAME with this mode. */
void spawn_file(const char *folder, const char *name, const void *data, unsigned long n, unsigned mode);

#endif
