/* failure.h - how a run can fail. */
#ifndef RFS_FAILURE_H
#define RFS_FAILURE_H

#include <stdbool.h>

enum rfs_failure_kind {
	RFS_FAILURE_SIGNAL,
	RFS_FAILURE_EXIT,
	RFS_FAILURE_DEADLOCK,
	RFS_FAILURE_HANG,
	/* only of a pair: its race is with a free, so in one of the two orders the block is used after it is freed */
	RFS_FAILURE_USE_AFTER_FREE,
};

/* The name in the JSON. Static data. */
const char *rfs_failure_name(enum rfs_failure_kind kind);
/* True for a deadlock and a hang: their report shows where each thread is. */
bool rfs_failure_shows_threads(enum rfs_failure_kind kind);

/* What a failure is, in all outputs: harm of a violation, or its own kind. */
enum rfs_failure_class {
	RFS_FAILURE_OF_ATOMICITY,
	RFS_FAILURE_OF_ORDER,
	RFS_FAILURE_DEADLOCKED,
	RFS_FAILURE_HANGING,
	RFS_FAILURE_CRASH,
	RFS_FAILURE_OTHER,
	RFS_FAILURE_CLASSES
};

/* How failures of a class are counted: "harmful atomicity violation". Static data. */
const char *rfs_failure_words(enum rfs_failure_class class, bool many);

#endif
