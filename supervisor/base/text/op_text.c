/* op_text.c - two tables of words: by access, and by kind of operation. */
#include "supervisor/base/text/op_text.h"

#include <stdbool.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/text/syscall_name.h"

/*
 * For each form: the word for a free, then the words for plain and for atomic accesses. The index of a word is made of
 * the flags READ (1) and WRITE (2). The last words are for delayed writes: the oldest one, or all of the thread.
 */
static const struct {
	const char *free, *plain[4], *atomic[4], *flush, *flush_all;
} forms[] = {
	[RFS_ACCESS_NOUN] = {"free",
			     {"access", "read", "write", "read-write"},
			     {"access", "atomic read", "atomic write", "atomic read-write"},
			     "end of a delay",
			     "end of all delays"},
	[RFS_ACCESS_VERB] = {"frees",
			     {"accesses", "reads", "writes", "reads and writes"},
			     {"accesses", "atomically reads", "atomically writes", "atomically updates"},
			     "makes visible",
			     "makes all writes visible, first"},
	[RFS_ACCESS_STEP] = {"frees",
			     {"writes", "reads", "writes", "updates"},
			     {"atomically writes", "atomically reads", "atomically writes", "atomically updates"},
			     "makes visible",
			     "makes all writes visible, first"},
	[RFS_ACCESS_COMMAND] = {"free",
				{"write", "read", "write", "update"},
				{"write", "read", "write", "update"},
				"make visible",
				"make all visible, first"},
};

static const char *call_text(unsigned access, enum rfs_access_form form)
{
	const long number = (long)(access >> RFS_ACCESS_CALL_SHIFT) - 1;
	const bool is_verb = form == RFS_ACCESS_VERB || form == RFS_ACCESS_STEP;
	const char *known = is_verb ? rfs_syscall_verb(number) : rfs_syscall_noun(number);

	return known ? known : is_verb ? "makes a system call on" : "system call";
}

const char *rfs_access_text(unsigned access, enum rfs_access_form form)
{
	unsigned column = access & (RFS_ACCESS_READ | RFS_ACCESS_WRITE);

	if (access & RFS_ACCESS_CALL)
		return call_text(access, form);
	if (access & RFS_ACCESS_FLUSH)
		return access & RFS_ACCESS_ATOMIC ? forms[form].flush_all : forms[form].flush;
	if (access & RFS_ACCESS_FREE)
		return forms[form].free;
	return access & RFS_ACCESS_ATOMIC ? forms[form].atomic[column] : forms[form].plain[column];
}

char *rfs_op_text(enum rfs_op_kind kind, unsigned access, const char *object)
{
	const bool named = object && *object;
	const char *name = kind == RFS_OP_TRYLOCK && (access & RFS_ACCESS_WRITE) ? "begins wrlock" : rfs_op_name(kind);

	return xasprintf("%s%s%s", name, named ? " " : "", named ? object : "");
}

char *rfs_thread_text(int thread, int signo)
{
	const char *name = sigabbrev_np(signo);

	if (!signo)
		return xasprintf("thread %d", thread);
	return name ? xasprintf("handler of SIG%s", name) : xasprintf("handler of signal %d", signo);
}
