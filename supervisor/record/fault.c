/* fault.c - the words of --faults, and what follows from a fault for the end of a run. */
#include "supervisor/record/fault.h"

#include <stdlib.h>

static const struct {
	const char *step;
	bool excuses_exit;
} kinds[RFS_FAULTS] = {
	[RFS_FAULT_WAKEUP] = {" (will end without a signal)", false},
	[RFS_FAULT_EINTR] = {" (fails with EINTR)", false},
	[RFS_FAULT_SHORT] = {" (moves fewer bytes)", false},
	[RFS_FAULT_MALLOC] = {" (fails)", true},
	[RFS_FAULT_MMAP] = {" (fails)", true},
	[RFS_FAULT_THREAD] = {" (fails)", true},
	[RFS_FAULT_LATE] = {" (ends late)", false},
};

const char *const rfs_fault_words[] = {
	[RFS_FAULT_WAKEUP] = "wakeup", [RFS_FAULT_EINTR] = "eintr", [RFS_FAULT_SHORT] = "short",
	[RFS_FAULT_MALLOC] = "malloc", [RFS_FAULT_MMAP] = "mmap",   [RFS_FAULT_THREAD] = "thread",
	[RFS_FAULT_LATE] = "late",     [RFS_FAULTS] = NULL,
};

bool rfs_fault_of(unsigned access, enum rfs_fault *out)
{
	const unsigned fault = access >> RFS_FAULT_SHIFT;

	if (fault == 0 || fault > RFS_FAULTS)
		return false;
	*out = (enum rfs_fault)(fault - 1);
	return true;
}

const char *rfs_fault_step(enum rfs_fault fault)
{
	return kinds[fault].step;
}

bool rfs_faults_excuse_exit(const struct rfs_fault_taken *list, size_t n, int thread)
{
	for (size_t i = 0; i < n; i++)
		if (kinds[list[i].fault].excuses_exit && (thread < 0 || list[i].thread == thread))
			return true;
	return false;
}

void rfs_faults_free(struct rfs_fault_taken *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].call);
		free(list[i].effect);
		free(list[i].place.module);
	}
	free(list);
}
