/* core.c - the core of a slot. If the kernel refuses to pin the process, it runs on any core. */
#include "supervisor/base/core.h"

int rfs_core_of(const cpu_set_t *cores, int first, unsigned number)
{
	const int n = CPU_COUNT(cores);
	int core = first;

	if (n == 0 || first < 0)
		return -1;
	for (unsigned wanted = number % (unsigned)n; !CPU_ISSET(core, cores) || wanted-- > 0;)
		core = (core + 1) % CPU_SETSIZE;
	return core;
}

void rfs_core_pin(int core)
{
	cpu_set_t one;

	if (core < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}
