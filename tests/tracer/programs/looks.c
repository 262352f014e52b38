/* Calls wait4 with WNOHANG again and again, so that it never sleeps. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	if (fork() == 0)
		for (;;)
			pause();
	getppid();
	for (;;)
		waitpid(-1, NULL, WNOHANG);
}
