/* calls answer|restart|errors: makes system calls whose results come from the tracer. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handler(int signo)
{
	printf("handler %d\n", signo);
}

int main(int argc, char **argv)
{
	setbuf(stdout, NULL);
	signal(SIGUSR1, handler);
	if (argc > 1 && !strcmp(argv[1], "errors")) {
		long first = syscall(SYS_getuid), error = errno;

		printf("%ld %s\n", first, strerror((int)error));
		return 0;
	}
	printf("result %ld\n", syscall(SYS_getppid));
	return 0;
}
