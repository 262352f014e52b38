/*
 * own_sockets.c HOW - a program and a process that it forks talk to each other. Exit status 0: each got what the other sent.
 *
 * pair, packets: through a socketpair, with shutdown(2) at the end. pipes: through two pipes. rights: the socketpair
 * carries one end of a pipe, and the process answers through it. exec: the process executes this program again. path:
 * the process connects to a local socket of the program. listens: the program connects to a local socket of the
 * process. threads: like pair, but with a thread in place of the process.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "talks.socket"

static const char question[] = "how many?", reply[] = "forty-two";

/* Sends the text, and the descriptor unless it is -1. */
static void tell(int fd, const char *text, int descriptor)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)text, strlen(text) + 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (descriptor >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	}
	if (sendmsg(fd, &message, 0) != (ssize_t)part.iov_len)
		exit(2);
}

/* Receives the text, and returns the descriptor that came with it; -1: none. */
static int hear(int fd, const char *text)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char got[64] = "";
	struct iovec part = {got, strlen(text) + 1};
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	int descriptor = -1;

	if (recvmsg(fd, &message, MSG_WAITALL) < 0 || strcmp(got, text) != 0)
		exit(3);
	if (message.msg_controllen && CMSG_FIRSTHDR(&message)->cmsg_type == SCM_RIGHTS)
		memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

/* Answers until the other end shuts down. */
static void *answers(void *arg)
{
	int fd = *(int *)arg, to = hear(fd, question);
	char byte;

	if (to >= 0 && write(to, reply, sizeof(reply)) != sizeof(reply))
		exit(4);
	if (to < 0)
		tell(fd, reply, -1);
	if (read(fd, &byte, 1) != 0)
		exit(5);
	return NULL;
}

static int end_of(pid_t child)
{
	int status = 0;

	if (child > 0 && waitpid(child, &status, 0) != child)
		return 6;
	printf("the other one got %s, and ended with %d\n", question, WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

static int pair(int type, const char *how, const char *program)
{
	int ends[2], through[2], fd = -1;
	const int rights = strcmp(how, "rights") == 0;
	pthread_t thread;
	pid_t child = 0;
	char text[64], number[16];

	if (socketpair(AF_UNIX, type, 0, ends) != 0 || pipe(through) != 0)
		return 7;
	if (strcmp(how, "threads") == 0)
		pthread_create(&thread, NULL, answers, &ends[1]);
	else if ((child = fork()) == 0) {
		close(ends[0]);
		snprintf(number, sizeof(number), "%d", ends[1]);
		if (strcmp(how, "exec") == 0)
			execl(program, program, "answers", number, (char *)NULL);
		answers(&ends[1]);
		_exit(0);
	}
	tell(ends[0], question, rights ? through[1] : -1);
	if (rights) {
		close(through[1]);
		if (read(through[0], text, sizeof(text)) != sizeof(reply) || strcmp(text, reply) != 0)
			return 8;
	} else
		fd = hear(ends[0], reply);
	shutdown(ends[0], SHUT_WR);
	if (!child)
		pthread_join(thread, NULL);
	return fd >= 0 ? 9 : end_of(child);
}

static int pipes(void)
{
	int there[2], back[2];
	char text[64] = "";
	pid_t child;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 7;
	child = fork();
	if (child == 0)
		_exit(read(there[0], text, sizeof(text)) != sizeof(question) ||
		      write(back[1], reply, sizeof(reply)) != sizeof(reply));
	if (write(there[1], question, sizeof(question)) != sizeof(question) ||
	    read(back[0], text, sizeof(text)) != sizeof(reply))
		return 8;
	return end_of(child);
}

/* Whether the program or the process that it forks listens. */
static int by_name(int child_listens)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = NAME};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), ready[2], fd;
	pid_t child;

	unlink(NAME);
	if (pipe(ready) != 0)
		return 7;
	if (!child_listens && (bind(listener, (struct sockaddr *)&name, sizeof(name)) != 0 || listen(listener, 4) != 0))
		return 7;
	child = fork();
	if (child == 0) {
		if (child_listens) {
			if (bind(listener, (struct sockaddr *)&name, sizeof(name)) != 0 || listen(listener, 4) != 0 ||
			    write(ready[1], "", 1) != 1)
				_exit(7);
			fd = accept(listener, NULL, NULL);
		} else {
			fd = socket(AF_UNIX, SOCK_STREAM, 0);
			if (connect(fd, (struct sockaddr *)&name, sizeof(name)) != 0)
				_exit(7);
		}
		answers(&fd);
		_exit(0);
	}
	if (child_listens) {
		char byte;

		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (read(ready[0], &byte, 1) != 1 || connect(fd, (struct sockaddr *)&name, sizeof(name)) != 0)
			return 7;
	} else
		fd = accept(listener, NULL, NULL);
	tell(fd, question, -1);
	hear(fd, reply);
	shutdown(fd, SHUT_WR);
	unlink(NAME);
	return end_of(child);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int fd;

	if (strcmp(how, "answers") == 0 && argc > 2) {
		fd = atoi(argv[2]);
		answers(&fd);
		return 0;
	}
	if (strcmp(how, "pipes") == 0)
		return pipes();
	if (strcmp(how, "path") == 0 || strcmp(how, "listens") == 0)
		return by_name(strcmp(how, "listens") == 0);
	return pair(strcmp(how, "packets") == 0 ? SOCK_SEQPACKET : SOCK_STREAM, how, argv[0]);
}
