/*
 * records.c - what stubs wrote, handed to the detector: it learns the very accesses that access.c makes of a stop at
 * the same instruction.
 */
#include "supervisor/run-priv.h"
#include "supervisor/stream.h"
#include "tracer/patch.h"

#define BLOCK 1024 /* records handed over at a time */

static void tell(struct rfs_run *run, int thread, uint64_t fs_base, const struct rfs_stub_record *records, size_t n)
{
	struct rfs_stream_record block[BLOCK];
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		/* the target can write there too */
		if (records[i].number >= run->n_operands)
			continue;
		block[at].site = (uint32_t)records[i].number;
		block[at].extra = 0;
		block[at++].address = records[i].address + (run->operands[records[i].number].fs ? fs_base : 0);
		if (at == BLOCK) {
			rfs_stream_block(run->stream, thread, block, at);
			at = 0;
		}
	}
	rfs_stream_block(run->stream, thread, block, at);
}

size_t rfs_records_drain(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread,
			 const struct rfs_stub_record **out)
{
	size_t n = rfs_records_take(task, out);

	if (!n || !thread)
		return 0;
	tell(run, thread->number, rfs_task_regs(task)->fs_base, *out, n);
	return n;
}
