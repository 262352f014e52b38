/*
 * interrupt.c - the handler writes a byte to a pipe. Nobody reads it, so this process and all jobs see that the pipe
 * is readable.
 */
#include "supervisor/base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/*
 * The signal flag, and the end of the pipe to which the handler writes. They are global because a signal handler gets
 * no argument of ours.
 */
static volatile sig_atomic_t interrupted;
static int wake_fd = -1;
static pid_t owner;

static void on_signal(int number)
{
	int saved = errno;

	/* a child that got a signal before it could call rfs_interrupt_reset(): the pipe is shared, and a byte in
	 * it would end the whole campaign */
	if (getpid() != owner) {
		signal(number, SIG_DFL);
		/* takes effect when the handler returns */
		raise(number);
		errno = saved;
		return;
	}
	if (interrupted) {
		/*
		 * The second signal kills this process. The kernel then kills the jobs (parent-death signal), and
		 * their targets with them.
		 */
		signal(number, SIG_DFL);
		raise(number);
	}
	interrupted = 1;
	/* the byte is never read, so the pipe stays readable in this process and in every job */
	if (write(wake_fd, "", 1) < 0) {
		/* the write fails only if the pipe is full, and then it is readable already */
	}
	errno = saved;
}

int rfs_interrupt_init(int *fd)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	wake_fd = ends[1];
	owner = getpid();
	*fd = ends[0];
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL))
		return -errno;
	/* the terminal has gone; under nohup(1) the campaign continues */
	if (sigaction(SIGHUP, NULL, &before) || (before.sa_handler != SIG_IGN && sigaction(SIGHUP, &action, NULL)))
		return -errno;
	/* if the report is piped into head, SIGPIPE must not kill the campaign while jobs are running */
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

bool rfs_interrupted(int fd)
{
	struct pollfd cancel = {.fd = fd, .events = POLLIN};

	return poll(&cancel, 1, 0) > 0;
}

void rfs_interrupt_adopt(void)
{
	owner = getpid();
}

void rfs_interrupt_reset(void)
{
	struct sigaction action;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == on_signal)
		signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}
