/* nondet.c - the kinds of nondeterminism in words. */
#include "supervisor/record/nondet.h"

#include <stddef.h>

const char *rfs_nondet_cause(unsigned kinds)
{
	static const char *const causes[RFS_NONDET_KINDS] = {
		[RFS_NONDET_NETWORK] = "input from the network",
		[RFS_NONDET_TERMINAL] = "input from a terminal",
		[RFS_NONDET_PROCESSES] = "actions of other processes",
		[RFS_NONDET_SHARED_MEMORY] = "memory shared with other processes",
		[RFS_NONDET_FILES] = "files that change during the run",
		[RFS_NONDET_CLOCK] = "the real time (--clock=real)",
		[RFS_NONDET_ADDRESSES] = "address-space randomisation, which cannot be disabled here",
		[RFS_NONDET_DEVICES] = "input from a device",
		[RFS_NONDET_KERNEL] = "values in /proc that change with time, such as memory in use",
		[RFS_NONDET_UNRECORDED] = "what a process that is not controlled gets from outside",
	};

	for (int i = 0; i < RFS_NONDET_KINDS; i++)
		if (kinds & (1u << i))
			return causes[i];
	return NULL;
}
