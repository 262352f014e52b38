/*
 * call_place.c - walks the stack of the thread up to the first frame in a watched module. The answer is kept for the
 * call.
 */
#include "supervisor/kernel/call_place.h"

#include <stddef.h>

#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/thread.h"

/* How many frames are between a system call and the program's code at most. */
#define FRAMES 24

rfs_addr rfs_call_place(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_call_place *place)
{
	rfs_addr frames[FRAMES];
	size_t n;

	if (place->known)
		return place->address;
	place->known = true;
	n = rfs_thread_stack(thread, frames, FRAMES);
	for (size_t i = 0; i < n && !place->address; i++) {
		const struct rfs_module_info *info = rfs_info_at(run, frames[i]);

		if (info && info->watched && !info->libc) {
			place->address = frames[i];
			place->depth = i;
		}
	}
	return place->address;
}
