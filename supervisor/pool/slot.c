/* Makes the executions of a slot: starts a separate process or asks the slot's worker, and takes the answer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/core.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/pool/job.h"
#include "supervisor/pool/job_process.h"
#include "supervisor/pool/pool-priv.h"
#include "supervisor/pool/subreaper.h"
#include "supervisor/pool/wire.h"
#include "supervisor/pool/worker.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"

/* How long a job may take, beyond its own time limit, to clean up and answer. After that, the job is stuck and is
 * killed. */
#define ANSWER_SECONDS 15
/*
 * The smallest batch for which workers are started. For a smaller batch, starting a fork server takes more time than
 * the server saves.
 */
#define WORKER_PAYS 4
/*
 * If a worker's execution is not done after this time, prepare() is called. Most executions take a millisecond, and
 * writing and removing a record would add a tenth to that.
 */
#define PREPARE_SECONDS 0.05
/* After this many workers that died or failed, each execution gets a separate process. */
#define WORKER_FAILURES 3

struct rfs_entry *rfs_entry_of(struct rfs_course *c, uint64_t index)
{
	return &c->ring[index % c->ring_size];
}

bool rfs_entry_restarts(const struct rfs_entry *entry)
{
	const struct rfs_run_result *result = &entry->reply.result;

	return result->end == RFS_END_RESTART || (result->restart == RFS_RESTART_LOCK && !entry->execution.lessons);
}

void rfs_entry_lost(struct rfs_entry *entry, const char *format, ...)
{
	char line[256];
	va_list ap;

	rfs_reply_release(&entry->reply);
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	entry->reply.result.end = RFS_END_UNCONTROLLED;
	entry->reply.result.message = xstrdup(line);
}

int rfs_entry_prepare(const struct rfs_pool *pool, struct rfs_entry *entry, char *why, size_t n)
{
	if (!entry->unprepared)
		return 0;
	entry->unprepared = false;
	entry->has_files = true;
	return pool->settings.prepare(pool->settings.arg, &entry->execution, why, n);
}

void rfs_slot_end_worker(struct rfs_slot *slot)
{
	rfs_worker_end(slot->worker);
	slot->worker = NULL;
}

/* Marks the slot as busy. pid: the job or worker that makes the execution; fd: where its answer arrives. */
static void occupy(struct rfs_course *c, struct rfs_slot *slot, pid_t pid, int fd, uint64_t index)
{
	struct rfs_entry *entry = rfs_entry_of(c, index);
	double timeout = entry->execution.spec.limits.timeout;

	slot->pid = pid;
	slot->fd = fd;
	slot->index = index;
	slot->bytes = NULL;
	slot->n = slot->size = 0;
	slot->terminated = false;
	slot->prepare_at = entry->unprepared ? rfs_clock() + PREPARE_SECONDS : 0;
	/* the setup command has a separate limit, equal to that of the run */
	slot->give_up = timeout > 0 ? rfs_clock() + 2 * timeout + ANSWER_SECONDS : 0;
	entry->state = ENTRY_RUNNING;
	c->running++;
}

/*
 * True if the slot has a worker for this execution. If the slot's worker cannot make it, replaces the worker, but only
 * if the batch is large enough for that.
 */
static bool has_worker(struct rfs_course *c, struct rfs_slot *slot, const struct rfs_execution *execution)
{
	struct rfs_pool *pool = c->pool;

	if (slot->worker && rfs_worker_serves(slot->worker, execution))
		return true;
	if ((execution->alike ? execution->alike : c->batch->n) < WORKER_PAYS)
		return false;
	rfs_slot_end_worker(slot);
	if (rfs_worker_start(&pool->settings, execution, &slot->worker))
		return false;
	c->started_worker = true;
	return true;
}

/* Hands the execution of an entry to the slot's worker. False if the execution needs a separate process. */
static bool serve(struct rfs_course *c, struct rfs_slot *slot, uint64_t index)
{
	struct rfs_entry *entry = rfs_entry_of(c, index);
	struct rfs_pool *pool = c->pool;

	if (c->batch->run || pool->unserved || entry->alone ||
	    !rfs_worker_possible(&pool->settings, &entry->execution) || !has_worker(c, slot, &entry->execution))
		return false;
	if (rfs_worker_ask(slot->worker, &entry->execution)) {
		rfs_slot_end_worker(slot);
		return false;
	}
	entry->unprepared = pool->settings.prepare != NULL;
	occupy(c, slot, rfs_worker_pid(slot->worker), rfs_worker_fd(slot->worker), index);
	slot->served = true;
	return true;
}

void rfs_slot_start(struct rfs_course *c, unsigned number, uint64_t index)
{
	struct rfs_pool *pool = c->pool;
	struct rfs_slot *slot = &pool->slots[number];
	struct rfs_entry *entry = rfs_entry_of(c, index);
	rfs_run_fn *run = c->batch->run ? c->batch->run : pool->settings.run;
	pid_t parent = getpid(), pid;
	int ends[2];

	entry->execution.spec.core =
		entry->execution.any_core ? -1 : rfs_core_of(&pool->cores, pool->first_core, number);
	entry->execution.spec.cancel_fd = pool->settings.cancel_fd;
	rfs_lessons_give(&entry->used, &entry->execution.spec.lessons);
	rfs_passes_give(entry);
	entry->state = ENTRY_READY;
	if (serve(c, slot, index))
		return;
	entry->unprepared = false;
	entry->has_files = true;
	if (pipe2(ends, O_CLOEXEC)) {
		rfs_entry_lost(entry, "cannot create a pipe for a job: %s", strerror(errno));
		(void)rfs_passes_keep_failure(entry);
		return;
	}
	/* without this, both processes would write what is still in the buffers of stdio */
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		rfs_job_process(&pool->settings, run, &entry->execution, number, parent, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		rfs_entry_lost(entry, "cannot start a process for a job: %s", strerror(errno));
		(void)rfs_passes_keep_failure(entry);
		close(ends[0]);
		return;
	}
	occupy(c, slot, pid, ends[0], index);
}

void rfs_slots_sweep(struct rfs_course *c)
{
	struct rfs_pool *pool = c->pool;
	pid_t *keep;
	size_t n = 0;

	if (c->commands && c->running)
		return;
	keep = xcalloc(pool->settings.jobs, sizeof(*keep));
	for (size_t i = 0; i < pool->settings.jobs; i++)
		if (pool->slots[i].pid)
			keep[n++] = pool->slots[i].pid;
		else if (pool->slots[i].worker)
			keep[n++] = rfs_worker_pid(pool->slots[i].worker);
	rfs_subreaper_kill(keep, n);
	free(keep);
}

/* Adds what the run learnt to the entry's lessons. True if something was new, so that a restart makes sense. */
static bool grow_for_restart(struct rfs_entry *entry)
{
	bool grown = rfs_lessons_learn(&entry->used, &entry->reply.result);

	if (!grown)
		rfs_entry_lost(entry, "bug in rfsup: the run asked to be restarted, but learnt nothing new");
	return grown;
}

/*
 * Decodes the answer that the slot has read into the entry's reply, and marks the slot as idle. False if the answer is
 * incomplete.
 */
static bool take_answer(struct rfs_slot *slot, struct rfs_entry *entry)
{
	bool answered = rfs_wire_decode(slot->bytes, slot->n, &entry->reply) == 0;

	free(slot->bytes);
	slot->bytes = NULL;
	slot->pid = 0;
	entry->state = ENTRY_READY;
	entry->has_files |= !answered || entry->reply.filed;
	return answered;
}

/*
 * The first start of an execution may have left something behind, such as a lock file, that makes the second start
 * fail. It cannot be undone, so there is a warning.
 */
static void note_effect(struct rfs_pool *pool, const struct rfs_entry *entry)
{
	const struct rfs_run_spec *spec = &entry->execution.spec;
	const char *file = entry->reply.result.message;

	/* with another end, the message is something else, and no file was created */
	if (entry->reply.result.end != RFS_END_RESTART || !file || pool->remade || spec->job.setup ||
	    spec->job.fresh_dir)
		return;
	pool->remade =
		xasprintf("run %s was started twice, because rfsup learnt only after main how to control it; its "
			  "first start had created '%s'. If the program fails because of that file, remove it with "
			  "--setup or use --fresh-dir",
			  entry->execution.name, file);
}

/*
 * Starts the next pass of an execution, if it has one. If the pool stops, an execution between two passes is cancelled,
 * unless it has failed: without the second pass it has predicted nothing.
 */
static void next_pass(struct rfs_course *c, unsigned number, uint64_t index)
{
	struct rfs_entry *entry = rfs_entry_of(c, index);

	if (!rfs_passes_continue(&c->pool->settings, entry))
		return;
	if (c->end == RFS_POOL_DONE) {
		rfs_slot_start(c, number, index);
		return;
	}
	if (rfs_passes_keep_failure(entry))
		return;
	rfs_reply_release(&entry->reply);
	entry->reply.result.end = RFS_END_CANCELLED;
}

/* Restarts an execution whose result asks for it. */
static void restart_if_told(struct rfs_course *c, unsigned number, uint64_t index)
{
	struct rfs_entry *entry = rfs_entry_of(c, index);

	if (c->end != RFS_POOL_DONE || entry->reply.error || !rfs_entry_restarts(entry) || !grow_for_restart(entry))
		return;
	c->pool->restarts++;
	note_effect(c->pool, entry);
	if (entry->reply.result.restart == RFS_RESTART_TRAP_RDTSC)
		rfs_note("run %s: unknown code may run; restarting with rdtsc trapping enabled", entry->execution.name);
	else if (entry->reply.result.restart == RFS_RESTART_LOCK)
		rfs_note("run %s: learnt which atomic instructions acquire a lock; restarting with this",
			 entry->execution.name);
	else if (entry->reply.result.restart == RFS_RESTART_FAMILY)
		rfs_note("run %s: a process that the program forks uses memory that both share; restarting with both "
			 "under control",
			 entry->execution.name);
	else if (entry->reply.result.restart == RFS_RESTART_PROCESS)
		rfs_note("run %s: the program has one thread, but a process that it forks has several; restarting with "
			 "that process under control",
			 entry->execution.name);
	else
		rfs_note("run %s: a thread spins on memory; restarting with its read treated as a spin read",
			 entry->execution.name);
	rfs_reply_release(&entry->reply);
	rfs_slot_start(c, number, index);
}

/*
 * Counts a failure of a worker. No more workers are used if the program cannot be served at all (-ENOTSUP), or after
 * too many failures.
 */
static void note_failure(struct rfs_pool *pool, int error, const char *why)
{
	if (pool->unserved || (error != -ENOTSUP && ++pool->worker_failures < WORKER_FAILURES))
		return;
	pool->unserved = xstrdup(why && *why ? why : "the fork server died");
	rfs_note("no fork server: %s", pool->unserved);
}

/*
 * Called when the worker's answer is complete or the worker is gone. If the worker could not make the execution, a
 * separate process makes it.
 */
static void finish_served(struct rfs_course *c, unsigned number)
{
	struct rfs_slot *slot = &c->pool->slots[number];
	struct rfs_entry *entry = rfs_entry_of(c, slot->index);
	uint64_t index = slot->index;
	bool answered = take_answer(slot, entry);

	c->running--;
	slot->served = false;
	if (answered && !entry->reply.error) {
		c->pool->served++;
		restart_if_told(c, number, index);
		return;
	}
	rfs_slot_end_worker(slot);
	rfs_slots_sweep(c);
	if (c->end != RFS_POOL_DONE) {
		rfs_reply_release(&entry->reply);
		entry->reply.result.end = RFS_END_CANCELLED;
	} else if (slot->terminated) {
		rfs_entry_lost(entry, "the process that controls this run did not answer in time");
	} else {
		note_failure(c->pool, entry->reply.error, entry->reply.why);
		rfs_reply_release(&entry->reply);
		entry->alone = true;
		rfs_slot_start(c, number, index);
	}
}

/* Takes the answer of a job that has closed its pipe. */
static void slot_finish(struct rfs_course *c, unsigned number)
{
	struct rfs_pool *pool = c->pool;
	struct rfs_slot *slot = &pool->slots[number];
	struct rfs_entry *entry = rfs_entry_of(c, slot->index);
	uint64_t index = slot->index;
	bool answered;
	int status = 0;

	close(slot->fd);
	while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->running--;
	answered = take_answer(slot, entry);
	if (!answered && c->end == RFS_POOL_DONE) {
		if (slot->terminated)
			rfs_entry_lost(entry, "the process that controls this run did not answer in time");
		else if (WIFSIGNALED(status))
			rfs_entry_lost(entry, "the process that controls this run was killed by signal %d",
				       WTERMSIG(status));
		else
			rfs_entry_lost(entry,
				       "the process that controls this run exited with status %d without an answer",
				       WEXITSTATUS(status));
	}
	if (!answered || c->commands)
		rfs_slots_sweep(c);
	if (entry->execution.spec.job.fresh_dir) {
		char *copy = rfs_job_fresh(&entry->execution.spec.job, number);

		if (rfs_tree_remove(copy))
			rfs_warn("cannot remove %s", copy);
		free(copy);
	}
	if (!answered && !rfs_passes_keep_failure(entry) && c->end != RFS_POOL_DONE)
		entry->reply.result.end = RFS_END_CANCELLED;
	if (answered && (entry->pass == RFS_PASS_SECOND || !rfs_entry_restarts(entry)))
		next_pass(c, number, index);
	else if (answered)
		restart_if_told(c, number, index);
}

void rfs_slot_read(struct rfs_course *c, unsigned number)
{
	struct rfs_slot *slot = &c->pool->slots[number];
	ssize_t got;

	if (slot->size - slot->n < 4096) {
		slot->size = slot->size ? slot->size * 2 : 65536;
		slot->bytes = xrealloc(slot->bytes, slot->size);
	}
	got = read(slot->fd, slot->bytes + slot->n, slot->size - slot->n);
	if (got > 0)
		slot->n += (size_t)got;
	else if (got < 0 && errno == EINTR)
		return;
	if (slot->served && (got <= 0 || rfs_wire_whole(slot->bytes, slot->n)))
		finish_served(c, number);
	else if (got <= 0)
		slot_finish(c, number);
}
