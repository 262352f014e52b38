/*
 * file_locks: two threads, each with its own open file description, lock the same file. They use F_OFD_SETLKW, flock,
 * and F_OFD_SETLK, which one of them may fail to get. Then main waits for a lock of a child process with F_SETLKW,
 * because these locks belong to processes.
 *
 * Answer: pairs on the counts are predicted, because a file lock is no lock to hybrid detection, but cannot be created.
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

/* The child writes to the pipe once it has the lock, and holds the lock until it ends. */
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
