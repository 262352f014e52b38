/* Looks for a child that has ended, without waiting for one, and never sleeps. */
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
