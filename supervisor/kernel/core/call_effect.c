/* call_effect.c - makes a table by number of the rows in call_effects.def. */
#include "supervisor/kernel/core/call_effect.h"

#include <stddef.h>
#include <sys/syscall.h>

const struct rfs_call_effect *rfs_call_effect(long number)
{
	static const struct rfs_call_effect effects[] = {
#define EFFECT(name, form, does) [SYS_##name] = {SYS_##name, RFS_##form, RFS_DOES_##does},
#include "supervisor/kernel/core/call_effects.def"
	};

	if (number < 0 || (size_t)number >= sizeof(effects) / sizeof(*effects))
		return NULL;
	/* a row that is not in the list is zero */
	return effects[number].form ? &effects[number] : NULL;
}
