/*
 * records.c - from what stubs wrote to events: the very ones that access.c makes of a stop at the same instruction.
 */
#include "supervisor/run-priv.h"
#include "tracer/patch.h"

/* Sizes that the hardware reads and writes in one piece. */
static bool is_word(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void emit(struct rfs_run *run, struct rfs_event *event, unsigned access)
{
	event->op.access = access;
	run->result->accesses++;
	rfs_emit(run, event);
}

void rfs_records_convert(struct rfs_run *run, int thread, uint64_t fs_base, const struct rfs_stub_record *records,
			 size_t n)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread, .op = rfs_op_make(RFS_OP_ACCESS, 0, 0)};

	for (size_t i = 0; i < n; i++) {
		const struct rfs_operand *operand;

		/* the target can write there too */
		if (records[i].number >= run->n_operands)
			continue;
		operand = &run->operands[records[i].number];
		event.op.site = operand->site;
		event.op.object = records[i].address + (operand->fs ? fs_base : 0);
		event.op.size = operand->size;
		if (operand->access == (RFS_ACCESS_READ | RFS_ACCESS_WRITE)) {
			emit(run, &event, RFS_ACCESS_READ | RFS_ACCESS_RMW);
			emit(run, &event, RFS_ACCESS_WRITE | RFS_ACCESS_RMW);
		} else if (operand->may_be_atomic && is_word(operand->size) && event.op.object % operand->size == 0) {
			emit(run, &event, operand->access | RFS_ACCESS_ALIGNED_MOVE);
		} else {
			emit(run, &event, operand->access);
		}
	}
}

size_t rfs_records_drain(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread,
			 const struct rfs_stub_record **out)
{
	uint64_t before = run->result->accesses;
	size_t n = rfs_records_take(task, out);

	if (!n || !thread)
		return 0;
	rfs_records_convert(run, thread->number, rfs_task_regs(task)->fs_base, *out, n);
	run->result->recorded += run->result->accesses - before;
	return n;
}
