/*
 * busy: keeps all allowed cores busy, with one process pinned to each, until it is killed. It writes one byte to
 * standard output when all of them run. They end if their parent ends.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static void burn(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		_exit(1);
	for (volatile unsigned long i = 0;; i++)
		;
}

int main(void)
{
	pid_t parent = getpid();
	cpu_set_t cores;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
		return 1;
	for (int core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &cores))
			continue;
		switch (fork()) {
		case -1:
			return 1;
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			burn(core);
		}
	}
	if (write(1, "", 1) != 1)
		return 1;
	for (;;)
		pause();
}
