/* failure.c - the table of names. */
#include "supervisor/report/data/failure.h"

const char *rfs_failure_name(enum rfs_failure_kind kind)
{
	static const char *const names[] = {
		[RFS_FAILURE_SIGNAL] = "signal",
		[RFS_FAILURE_EXIT] = "exit",
		[RFS_FAILURE_DEADLOCK] = "deadlock",
		[RFS_FAILURE_HANG] = "hang",
		[RFS_FAILURE_USE_AFTER_FREE] = "use-after-free",
	};

	return names[kind];
}

bool rfs_failure_shows_threads(enum rfs_failure_kind kind)
{
	return kind == RFS_FAILURE_DEADLOCK || kind == RFS_FAILURE_HANG;
}
