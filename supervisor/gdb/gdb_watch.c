/*
 * gdb_watch.c - gdb's watchpoints, which use the debug registers of each thread.
 *
 * A thread's debug registers are set right before the thread runs. They cannot be set earlier for a thread that sleeps
 * in the kernel, or that does not exist yet.
 *
 * Debug registers do not see writes by the kernel or by rfsup itself, such as the result of a system call. So the
 * watched memory is also compared with its last value when a thread has stopped, because it is the only one that ran.
 * Where debug registers stop no program, gdb_pages.c stops the thread at each write to the pages of that memory. If
 * that cannot be, the thread is stepped. In both cases a write counts if it changes the value.
 */
#include <errno.h>

#include "disasm/addr.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/debugreg.h"
#include "tracer/memory.h"

/* The size of the largest piece at this address that one debug register can watch. left: bytes to watch from there. */
static unsigned piece(rfs_addr address, uint64_t left)
{
	unsigned size = 8;

	while (address % size || size > left)
		size /= 2;
	return size;
}

void rfs_gdb_watchpoints_look(struct rfs_run *run)
{
	struct rfs_space *space = rfs_run_space(run);
	struct rfs_gdb *gdb = run->gdb;

	gdb->known = gdb->moved = 0;
	for (size_t i = 0; i < gdb->n_watched && space; i++) {
		gdb->values[i] = 0;
		if (rfs_space_read(space, gdb->watched[i].address, &gdb->values[i], gdb->watched[i].size) == 0)
			gdb->known |= 1u << i;
	}
}

int rfs_gdb_watchpoint_add(struct rfs_run *run, rfs_addr address, uint64_t size, bool reads)
{
	struct rfs_gdb *gdb = run->gdb;
	size_t n = gdb->n_watched;

	if (reads && gdb->watches_by != RFS_WATCHES_BY_REGISTERS)
		return -EOPNOTSUPP;

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
	if (kept != gdb->n_watched)
		gdb->known = gdb->moved = 0;
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

static void set_registers(struct rfs_run *run, struct rfs_thread *thread)
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

void rfs_gdb_watchpoint_apply(struct rfs_run *run, struct rfs_thread *thread, bool free, enum rfs_resume *how,
			      int signo)
{
	struct rfs_gdb *gdb = run->gdb;

	gdb->watches_step = false;
	if (gdb->watches_by == RFS_WATCHES_BY_REGISTERS)
		set_registers(run, thread);
	if (gdb->watches_by != RFS_WATCHES_BY_PAGES || !gdb->n_watched || !gdb->begun || !free ||
	    *how != RFS_RESUME_RUN)
		return;
	/* for a signal, the kernel writes to the stack */
	gdb->watches_step = signo || !rfs_gdb_pages_close(run, thread);
	if (!gdb->watches_step)
		*how = RFS_RESUME_SYSCALL;
}

bool rfs_gdb_watchpoints_step(const struct rfs_gdb *gdb)
{
	return gdb->n_watched && gdb->begun &&
	       (gdb->watches_by == RFS_WATCHES_BY_STEPS ||
		(gdb->watches_by == RFS_WATCHES_BY_PAGES && gdb->watches_step));
}

void rfs_gdb_watchpoints_compare(struct rfs_run *run, const struct rfs_thread *by)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_space *space = gdb->n_watched ? rfs_run_space(run) : NULL;

	for (size_t i = 0; i < gdb->n_watched && space; i++) {
		const unsigned bit = 1u << i;
		uint64_t value = 0;

		if (rfs_space_read(space, gdb->watched[i].address, &value, gdb->watched[i].size)) {
			gdb->known &= ~bit;
			continue;
		}
		if (gdb->known & bit && value != gdb->values[i]) {
			gdb->moved |= bit;
			gdb->moved_by = by ? by->number : -1;
		}
		gdb->known |= bit;
		gdb->values[i] = value;
	}
}

int rfs_gdb_watchpoint_changed(struct rfs_gdb *gdb)
{
	int i = gdb->moved ? __builtin_ctz(gdb->moved) : -1;

	if (i >= 0)
		gdb->moved &= gdb->moved - 1;
	return i;
}

int rfs_gdb_watchpoint_hit(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;
	int i;

	if (!gdb->n_watched)
		return -1;
	rfs_gdb_watchpoints_compare(run, thread);
	if (gdb->watches_by != RFS_WATCHES_BY_REGISTERS)
		return rfs_gdb_watchpoint_changed(gdb);
	i = rfs_task_watchpoint_hit(thread->task);
	if (i < 0 || (size_t)i >= gdb->n_watched)
		return -1;
	/* the trap tells it */
	gdb->moved &= ~(1u << i);
	return i;
}

void rfs_gdb_watchpoint_tell(const struct rfs_gdb *gdb, int i, struct rfs_gdb_stop *out)
{
	out->watch = gdb->watched[i].reads ? "awatch" : "watch";
	out->address = gdb->watched[i].address;
}
