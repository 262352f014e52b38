/*
 * gdb_watch.c - gdb's watchpoints, which use the debug registers of each thread.
 *
 * A thread's debug registers are set right before the thread runs. They cannot be set earlier for a thread that sleeps
 * in the kernel, or that does not exist yet.
 *
 * Debug registers do not see writes by rfsup itself, such as a copy that it carries out or the result of a system call
 * that it answers. rfs_gdb_watchpoint_written() compares these writes with the watched regions.
 */
#include <errno.h>

#include "disasm/addr.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/debugreg.h"

/* The size of the largest piece at this address that one debug register can watch. left: bytes to watch from there. */
static unsigned piece(rfs_addr address, uint64_t left)
{
	unsigned size = 8;

	while (address % size || size > left)
		size /= 2;
	return size;
}

int rfs_gdb_watchpoint_add(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads)
{
	size_t n = gdb->n_watched;

	while (size > 0) {
		unsigned part = piece(address, size);

		if (n == RFS_DEBUG_REGISTERS)
			return -ENOSPC;
		gdb->watched[n++] = (struct rfs_watched){address, part, reads};
		address += part;
		size -= part;
	}
	gdb->n_watched = n;
	gdb->watches++;
	return 0;
}

void rfs_gdb_watchpoint_remove(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads)
{
	size_t kept = 0;

	for (size_t i = 0; i < gdb->n_watched; i++) {
		const struct rfs_watched *w = &gdb->watched[i];

		if (w->address < address || w->address - address >= size || w->reads != reads)
			gdb->watched[kept++] = *w;
	}
	gdb->n_watched = kept;
	gdb->watches++;
}

void rfs_gdb_watchpoints_lend(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment)
{
	for (size_t i = 0; i < moment->n && gdb->n_watched < RFS_DEBUG_REGISTERS; i++) {
		const struct rfs_gdb_leg *leg = &moment->legs[i];
		bool has = leg->mark != RFS_MARK_WATCH;

		for (size_t k = 0; k < gdb->n_watched && !has; k++)
			has = gdb->watched[k].address == leg->address && gdb->watched[k].size == leg->size &&
			      gdb->watched[k].reads == leg->reads;
		if (has)
			continue;
		gdb->watched[gdb->n_watched++] = (struct rfs_watched){leg->address, leg->size, leg->reads};
		gdb->n_lent++;
		gdb->watches++;
	}
}

void rfs_gdb_watchpoints_return(struct rfs_gdb *gdb)
{
	gdb->n_watched -= gdb->n_lent;
	gdb->watches += gdb->n_lent > 0;
	gdb->n_lent = 0;
}

void rfs_gdb_watchpoint_apply(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;
	int error;

	if (thread->gdb.watches == gdb->watches)
		return;
	error = rfs_task_watchpoint(thread->task, gdb->watched, gdb->n_watched);
	if (error && error != -ESRCH)
		rfs_gdb_send_text(gdb, "cannot set the debug registers; watchpoints will not stop the program\n");
	thread->gdb.watches = gdb->watches;
}

int rfs_gdb_watchpoint_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_stop *out)
{
	const struct rfs_gdb *gdb = run->gdb;
	int i = gdb->n_watched ? rfs_task_watchpoint_hit(thread->task) : -1;

	if (i < 0 || (size_t)i >= gdb->n_watched)
		return -1;
	out->watch = gdb->watched[i].reads ? "awatch" : "watch";
	out->address = gdb->watched[i].address;
	return i;
}

void rfs_gdb_watchpoint_written(struct rfs_run *run, rfs_addr address, size_t n)
{
	struct rfs_gdb *gdb = run->gdb;

	for (size_t i = 0; i < gdb->n_watched && !gdb->poked; i++)
		if (address < gdb->watched[i].address + gdb->watched[i].size && gdb->watched[i].address < address + n)
			gdb->poked = gdb->watched[i].address;
}
