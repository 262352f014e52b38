/*
 * records.c - what stubs wrote, handed to the detector: it learns the very accesses that access.c makes of a stop at
 * the same instruction.
 */
#include "supervisor/run-priv.h"
#include "supervisor/stream.h"
#include "tracer/patch.h"

static void tell(struct rfs_run *run, int thread, uint64_t fs_base, const struct rfs_stub_record *records, size_t n)
{
	while (n > 0) {
		size_t part = n, at = 0;
		struct rfs_stream_record *out = rfs_stream_room(run->stream, thread, &part);

		for (size_t i = 0; i < part; i++) {
			/* the target can write there too */
			if (records[i].number >= run->n_operands)
				continue;
			out[at].site = (uint32_t)records[i].number;
			out[at].extra = 0;
			out[at++].address = records[i].address + (run->operands[records[i].number].fs ? fs_base : 0);
		}
		rfs_stream_fill(run->stream, at);
		records += part;
		n -= part;
	}
}

size_t rfs_records_drain(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread,
			 const struct rfs_stub_record **out)
{
	size_t n = rfs_records_take(task, out);
	uint64_t fs_base;

	if (!n || !thread)
		return 0;
	fs_base = rfs_task_regs(task)->fs_base;
	/* 0: it executes another program by now */
	tell(run, thread->number, fs_base ? fs_base : thread->tls, *out, n);
	return n;
}
