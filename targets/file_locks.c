/*
 * file_locks: two threads, each with an open file description of its own, lock a file against each other: by
 * F_OFD_SETLKW, by flock, and by F_OFD_SETLK, which one of them may miss. F_SETLKW, which holds between processes,
 * waits for a child.
 *
 * Answer: the counts are predicted (a file's lock is none to hybrid detection), and can never be created.
 */
#include "target.h"
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static char name[] = "/tmp/file_locks.XXXXXX";
int by_ofd, by_flock, by_try;

static void whole(int file, int command, short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET};

	if (fcntl(file, command, &lock))
		fail("fcntl");
}

static void *count(void *arg)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int file = open(name, O_RDWR);

	if (file < 0)
		fail("open");
	whole(file, F_OFD_SETLKW, F_WRLCK);
	by_ofd++; /* RACE: ofd */
	whole(file, F_OFD_SETLKW, F_UNLCK);

	flock(file, LOCK_EX);
	by_flock++; /* RACE: flock */
	flock(file, LOCK_UN);

	if (fcntl(file, F_OFD_SETLK, &lock) == 0) {
		by_try++; /* RACE: try */
		whole(file, F_OFD_SETLK, F_UNLCK);
	}
	close(file);
	return arg;
}

/* The child holds the lock when the pipe tells so, and until it ends. */
static void wait_for_child(int file)
{
	int ends[2], status;
	char byte;
	pid_t child;

	if (pipe(ends))
		fail("pipe");
	child = fork();
	if (child == 0) {
		whole(file, F_SETLKW, F_WRLCK);
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		usleep(20000);
		_exit(0);
	}
	if (child < 0 || read(ends[0], &byte, 1) != 1)
		fail("fork");
	whole(file, F_SETLKW, F_WRLCK);
	if (waitpid(child, &status, 0) != child || status)
		fail("child");
}

int main(void)
{
	int file = mkstemp(name);
	pthread_t first, second;

	if (file < 0)
		fail("mkstemp");
	first = start(count, NULL);
	second = start(count, NULL);
	join(first);
	join(second);
	wait_for_child(file);
	unlink(name);
	printf("%d %d %d\n", by_ofd, by_flock, by_try);
	return by_ofd != 2 || by_flock != 2 || by_try < 1;
}
