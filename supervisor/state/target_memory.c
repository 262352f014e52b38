/*
 * target_memory.c - the target's memory, as the model of synchronisation reads it.
 *
 * The state of a lock is only in the target's memory. rfsup reads the memory again whenever it may have changed. It
 * cannot change while no thread runs. Therefore rfs_target_memory_prefetch() reads everything that the parked threads
 * wait for with one system call. rfs_peek() uses these bytes until a thread is resumed or rfsup writes to memory.
 */
#include "supervisor/state/target_memory.h"

#include <string.h>

#include "disasm/addr.h"
#include "supervisor/model/memory.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_observer.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

struct rfs_space *rfs_run_space(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->task && run->threads[i]->state != RFS_STATE_ENDED)
			return rfs_task_space(run->threads[i]->task);
	return NULL;
}

bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n)
{
	struct rfs_space *space;

	for (size_t i = 0; i < run->n_ahead; i++) {
		const struct rfs_read_ahead *ahead = &run->ahead[i];

		if (address >= ahead->address && n <= ahead->size && address - ahead->address <= ahead->size - n) {
			memcpy(buf, ahead->bytes + (address - ahead->address), n);
			return true;
		}
	}
	space = rfs_run_space(run);
	return space && rfs_space_read(space, address, buf, n) == 0;
}

bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n)
{
	struct rfs_space *space = rfs_run_space(run);

	rfs_target_memory_forget(run);
	if (run->observer)
		run->observer->writes(run, address, n);
	return space && rfs_space_write(space, address, buf, n) == 0;
}

static bool model_reads(void *run, rfs_addr address, void *buf, size_t n)
{
	return rfs_peek(run, address, buf, n);
}

static bool model_writes(void *run, rfs_addr address, const void *buf, size_t n)
{
	return rfs_poke(run, address, buf, n);
}

struct rfs_model_memory rfs_target_memory(struct rfs_run *run)
{
	return (struct rfs_model_memory){model_reads, model_writes, run};
}

void rfs_target_memory_forget(struct rfs_run *run)
{
	run->n_ahead = 0;
}

static void want(struct rfs_run *run, struct rfs_piece *pieces, size_t *n, rfs_addr address, size_t size)
{
	struct rfs_read_ahead *ahead;

	if (*n == RFS_READ_AHEAD_MAX)
		return;
	for (size_t i = 0; i < *n; i++)
		if (run->ahead[i].address == address && run->ahead[i].size >= size)
			return;
	ahead = &run->ahead[*n];
	ahead->address = address;
	ahead->size = size;
	pieces[(*n)++] = (struct rfs_piece){.address = address, .buf = ahead->bytes, .n = size};
}

void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_piece pieces[RFS_READ_AHEAD_MAX];
	size_t n = 0;

	want(run, pieces, &n, regs->rsp, sizeof(rfs_addr));
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state == RFS_STATE_PARKED && t->ready != rfs_ready_always && t->next.object)
			want(run, pieces, &n, t->next.object, RFS_OBJECT_SIZE);
	}
	/*
	 * this piece comes last, because rdi may not be an address, and reading ends at the first piece that is not
	 * mapped
	 */
	if (object)
		want(run, pieces, &n, regs->rdi, RFS_OBJECT_SIZE);
	run->n_ahead = rfs_space_read_pieces(rfs_task_space(thread->task), pieces, n);
}
