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

const char *rfs_failure_words(enum rfs_failure_class class, bool many)
{
	static const char *const words[RFS_FAILURE_CLASSES][2] = {
		[RFS_FAILURE_OF_ATOMICITY] = {"harmful atomicity violation", "harmful atomicity violations"},
		[RFS_FAILURE_OF_ORDER] = {"harmful order violation", "harmful order violations"},
		[RFS_FAILURE_DEADLOCKED] = {"deadlock", "deadlocks"},
		[RFS_FAILURE_HANGING] = {"hang", "hangs"},
		[RFS_FAILURE_CRASH] = {"crash", "crashes"},
		[RFS_FAILURE_OTHER] = {"other failure", "other failures"},
	};

	return words[class][many];
}

bool rfs_failure_shows_threads(enum rfs_failure_kind kind)
{
	return kind == RFS_FAILURE_DEADLOCK || kind == RFS_FAILURE_HANG;
}
