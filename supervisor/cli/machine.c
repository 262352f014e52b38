/*
 * machine.c - what rfsup needs of the machine before it can run a program.
 *
 * rfsup reads the states, memory maps and descriptors of the target in /proc. In a new mount or pid namespace, /proc
 * may be missing, or it may show the processes of another namespace.
 */
#include "supervisor/cli/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/base/error.h"

int rfs_machine_check(char *why, size_t n)
{
	char pid[32] = "";
	ssize_t length = readlink("/proc/self", pid, sizeof(pid) - 1);

	if (length < 0)
		return rfs_why(why, n, -ENOENT,
			       "/proc is not mounted, and rfsup needs it; run mount -t proc proc /proc");
	if (strtol(pid, NULL, 10) != getpid())
		return rfs_why(
			why, n, -ENOENT,
			"/proc shows the processes of another pid namespace; run mount -t proc proc /proc in this "
			"one");
	return 0;
}
