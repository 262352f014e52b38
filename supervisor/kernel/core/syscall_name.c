#include "supervisor/kernel/core/syscall_name.h"

#include <stdio.h>
#include <sys/syscall.h>

/*
 * The Makefile makes the list that is included here from the kernel headers. It has one line NAME(call) for each call.
 */
static const char *const names[] = {
#define NAME(call) [__NR_##call] = #call,
#include "syscall_names.def"
};

void rfs_syscall_name(long number, char *out, size_t n)
{
	const char *name = number >= 0 && (size_t)number < sizeof(names) / sizeof(*names) ? names[number] : NULL;

	if (name)
		snprintf(out, n, "%s(2)", name);
	else
		snprintf(out, n, "system call %ld", number);
}
