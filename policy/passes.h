/*
 * passes.h - a detector that works in two passes. Both passes are executions of one run, with the same events. The
 * first pass reports nothing and finds where races are. The second one looks there only, and reports what the detector
 * itself reports in one execution.
 */
#ifndef RFS_PASSES_H
#define RFS_PASSES_H

#include "policy/operations.h"

struct rfs_access;
struct rfs_blob;
struct rfs_detector_ops;

struct rfs_detector_passes {
	const struct rfs_detector_ops *first, *second; /* both have these passes too */
	/*
	 * state: of either pass. What the first pass saves is given to the second one in args->blob. *out is empty
	 * if there is no race; then no second pass is needed. The caller frees out->data.
	 */
	void (*save)(void *state, struct rfs_blob *out);
	/*
	 * blob: what the first pass has saved. Calls f for all memory at which the second pass must see accesses. It
	 * must also see all atomic accesses, frees and ranges, and need not see others. Calls nothing if the blob
	 * cannot be read.
	 *
	 * The first pass need not see an access if the same thread has accessed the same bytes since the last event
	 * or free. But it must see the first write after reads, and all atomic accesses, frees and ranges.
	 */
	void (*places)(const struct rfs_blob *blob, void (*f)(void *arg, rfs_addr address, uint64_t size), void *arg);
	/*
	 * state: of the first pass. Adds n accesses of the thread that are not atomic. *first is the first one; each
	 * other one is `distance` bytes behind the one before it. The order of such accesses does not matter if there
	 * is no event, atomic access or free between them.
	 */
	void (*run)(void *state, int thread, const struct rfs_access *first, int64_t distance, size_t n);
};

/*
 * What a pass saves begins with a checksum of this size: of the addresses in all events that are not plain accesses,
 * and of the messages from which a thread learnt something. If the checksums of the passes differ, the second one
 * cannot use what the first one found.
 */
#define RFS_PASSES_CHECK sizeof(uint64_t)

#endif
