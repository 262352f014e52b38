/*
 * syscall_name.c - the table is made from the kernel headers by the Makefile. A call without a name gets its number.
 */
#include "supervisor/base/text/syscall_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>

/*
 * The Makefile makes the list that is included here from the kernel headers. It has one line NAME(call) for each call.
 */
static const struct {
	const char *noun, *verb;
} calls[] = {
#define NAME(call) [__NR_##call] = {#call "(2)", "calls " #call "(2) on"},
#include "syscall_names.def"
};

static bool syscall_name_is_known(long number)
{
	return number >= 0 && (size_t)number < sizeof(calls) / sizeof(*calls) && calls[number].noun;
}

const char *rfs_syscall_noun(long number)
{
	return syscall_name_is_known(number) ? calls[number].noun : NULL;
}

const char *rfs_syscall_verb(long number)
{
	return syscall_name_is_known(number) ? calls[number].verb : NULL;
}

void rfs_syscall_name(long number, char *out, size_t n)
{
	if (syscall_name_is_known(number))
		snprintf(out, n, "%s", calls[number].noun);
	else
		snprintf(out, n, "system call %ld", number);
}
