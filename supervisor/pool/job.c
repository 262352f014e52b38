/*
 * job.c - starts executions in free slots, waits for them, and commits results in order. slot.c and job_process.c
 * have one job.
 */
#include "supervisor/pool/job.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/pool/job_process.h"
#include "supervisor/pool/journal.h"
#include "supervisor/pool/pool-priv.h"
#include "supervisor/pool/subreaper.h"
#include "supervisor/pool/wire.h"
#include "supervisor/pool/worker.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"

/*
 * For each job, at most this many executions may have started without being committed. The number is large enough that
 * the other cores are not idle during one long execution.
 */
#define AHEAD 4
/* How many seconds jobs get to end after Ctrl-C, and again after SIGTERM. */
#define STOP_SECONDS 2

int rfs_pool_new(const struct rfs_pool_settings *settings, struct rfs_pool **out)
{
	struct rfs_pool *pool = xcalloc(1, sizeof(*pool));
	int error = rfs_subreaper_adopt();

	if (!error && sched_getaffinity(0, sizeof(pool->cores), &pool->cores))
		error = -errno;
	if (error) {
		free(pool);
		return error;
	}
	pool->first_core = sched_getcpu();
	pool->settings = *settings;
	if (pool->settings.jobs == 0)
		pool->settings.jobs = 1;
	pool->slots = xcalloc(pool->settings.jobs, sizeof(*pool->slots));
	*out = pool;
	return 0;
}

void rfs_pool_free(struct rfs_pool *pool)
{
	if (!pool)
		return;
	rfs_pool_rest(pool);
	rfs_subreaper_kill(NULL, 0);
	rfs_lessons_release(&pool->lessons);
	free(pool->slots);
	free(pool->unserved);
	free(pool->remade);
	free(pool);
}

void rfs_pool_use_journal(struct rfs_pool *pool, struct rfs_journal *journal)
{
	pool->settings.journal = journal;
}

const char *rfs_pool_remade(const struct rfs_pool *pool)
{
	return pool->remade;
}

const struct rfs_site_set *rfs_pool_spin(const struct rfs_pool *pool)
{
	return &pool->lessons.spin;
}

uint64_t rfs_pool_restarts(const struct rfs_pool *pool)
{
	return pool->restarts;
}

void rfs_pool_until(struct rfs_pool *pool, double deadline)
{
	pool->until = deadline;
}

void rfs_pool_rest(struct rfs_pool *pool)
{
	bool any = false;

	for (unsigned i = 0; i < pool->settings.jobs; i++) {
		any |= pool->slots[i].worker != NULL;
		rfs_slot_end_worker(&pool->slots[i]);
	}
	/* when a worker has ended, its targets become our children; this loop reaps those that are dead by now */
	while (any && waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
}

uint64_t rfs_pool_served(const struct rfs_pool *pool)
{
	return pool->served;
}

const char *rfs_pool_unserved(const struct rfs_pool *pool)
{
	return pool->unserved;
}

static void clear_entry(struct rfs_entry *entry)
{
	rfs_reply_release(&entry->reply);
	rfs_passes_end(entry);
	rfs_lessons_release(&entry->used);
	memset(entry, 0, sizeof(*entry));
}

static void remove_file(const struct rfs_pool *pool, const char *name, const char *suffix)
{
	char *path = rfs_job_file(&pool->settings, name, suffix);

	unlink(path);
	free(path);
}

void rfs_pool_discard(struct rfs_pool *pool, const struct rfs_execution *execution)
{
	if (pool->settings.output) {
		remove_file(pool, execution->name, "out");
		remove_file(pool, execution->name, "err");
	}
	if (pool->settings.discard)
		pool->settings.discard(pool->settings.arg, execution);
}

/* Takes the result of an earlier campaign, which this one continues. */
static bool take_known(const struct rfs_pool *pool, struct rfs_entry *entry)
{
	struct rfs_journal *journal = pool->settings.journal;
	struct rfs_lessons used = {0};

	if (!journal || !rfs_journal_take(journal, entry->execution.name, &used, &entry->reply)) {
		rfs_lessons_release(&used);
		return false;
	}
	rfs_lessons_release(&entry->used);
	entry->used = used;
	rfs_lessons_give(&entry->used, &entry->execution.spec.lessons);
	entry->known = entry->has_files = true;
	/* its files were written then */
	entry->reply.served = false;
	entry->state = ENTRY_READY;
	return true;
}

/* Fills the entry of execution `index`, and starts the execution in slot `number`. */
static void job_launch(struct rfs_course *c, unsigned number, uint64_t index)
{
	struct rfs_entry *entry = rfs_entry_of(c, index);
	const struct rfs_lessons *own;
	/* of an execution that is made again */
	const bool has_files = entry->has_files;

	clear_entry(entry);
	entry->has_files = has_files;
	c->batch->make(c->batch->arg, index, &entry->execution);
	c->commands |= entry->execution.spec.job.setup || entry->execution.spec.job.drive;
	own = entry->execution.lessons;
	rfs_lessons_join(&entry->used, own ? own : &c->pool->lessons);
	entry->version = c->pool->version;
	if (take_known(c->pool, entry))
		return;
	if (c->pool->settings.journal && rfs_journal_is_whole(c->pool->settings.journal)) {
		entry->state = ENTRY_READY;
		entry->reply.error = -EBADMSG;
		entry->reply.why = xasprintf("the result of run %s is missing", entry->execution.name);
		return;
	}
	rfs_passes_begin(entry);
	rfs_slot_start(c, number, index);
}

/* Starts no more executions. Running executions get `grace` seconds to end by themselves. */
static void job_stop(struct rfs_course *c, enum rfs_pool_end end, double grace)
{
	double at = rfs_clock() + grace;

	if (c->end != RFS_POOL_DONE)
		return;
	c->end = end;
	for (size_t i = 0; i < c->n_slots; i++)
		if (c->pool->slots[i].pid && !c->pool->slots[i].terminated)
			c->pool->slots[i].give_up = at;
}

/*
 * Prepares an execution of a worker that takes long. After an error, this is tried again if the files are to be kept.
 */
static void prepare_late(struct rfs_course *c, struct rfs_slot *slot)
{
	struct rfs_entry *entry = rfs_entry_of(c, slot->index);
	char why[256];

	slot->prepare_at = 0;
	if (rfs_entry_prepare(c->pool, entry, why, sizeof(why)))
		entry->unprepared = true;
}

/*
 * Checks the pool's deadline and the time limits of the jobs. Stops jobs whose time is over by SIGTERM, then by
 * SIGKILL.
 */
static void job_check_limits(struct rfs_course *c)
{
	double now = rfs_clock();

	if (c->deadline > 0 && now >= c->deadline)
		job_stop(c, RFS_POOL_BUDGET, 0);
	for (size_t i = 0; i < c->n_slots; i++) {
		struct rfs_slot *slot = &c->pool->slots[i];

		if (slot->pid && slot->prepare_at > 0 && now >= slot->prepare_at)
			prepare_late(c, slot);
		if (!slot->pid || slot->give_up <= 0 || now < slot->give_up)
			continue;
		kill(slot->pid, slot->terminated ? SIGKILL : SIGTERM);
		slot->terminated = true;
		slot->give_up = now + STOP_SECONDS;
	}
}

/* The earlier of two deadlines; 0: none. */
static double earlier(double a, double b)
{
	return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* How many milliseconds remain until job_check_limits() must check again. */
static int next_limit(const struct rfs_course *c)
{
	double next = 0, now = rfs_clock();

	if (c->end == RFS_POOL_DONE)
		next = c->deadline;
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct rfs_slot *slot = &c->pool->slots[i];

		if (slot->pid)
			next = earlier(next, earlier(slot->give_up, slot->prepare_at));
	}
	if (next <= 0 || next > now + 3600)
		return 3600000;
	return next <= now ? 0 : (int)((next - now) * 1000) + 1;
}

static void wait_for_jobs(struct rfs_course *c)
{
	struct pollfd *fds = xcalloc(c->n_slots + 1, sizeof(*fds));

	for (size_t i = 0; i < c->n_slots; i++)
		fds[i] = (struct pollfd){.fd = c->pool->slots[i].pid ? c->pool->slots[i].fd : -1, .events = POLLIN};
	/* cancel_fd stays readable after the first Ctrl-C, so it is not polled once the pool stops */
	fds[c->n_slots] = (struct pollfd){
		.fd = c->end == RFS_POOL_DONE ? c->pool->settings.cancel_fd : -1,
		.events = POLLIN,
	};
	if (poll(fds, c->n_slots + 1, next_limit(c)) > 0) {
		if (fds[c->n_slots].revents)
			job_stop(c, RFS_POOL_INTERRUPTED, STOP_SECONDS);
		for (size_t i = 0; i < c->n_slots; i++)
			if (fds[i].revents)
				rfs_slot_read(c, i);
	}
	job_check_limits(c);
	free(fds);
}

/* True if the entry ran with the right lessons: those that it would have had after all earlier executions. */
static bool started_right(const struct rfs_course *c, const struct rfs_entry *entry)
{
	return entry->known || entry->execution.lessons || entry->version == c->pool->version ||
	       rfs_lessons_equal(&entry->used, &c->pool->lessons);
}

/* For an execution that a worker made and whose files are kept: writes the files that a job would have written. */
static int keep_served(struct rfs_course *c, struct rfs_entry *entry)
{
	int error = rfs_entry_prepare(c->pool, entry, c->why, c->why_n);

	if (!error && !entry->reply.filed)
		error = rfs_worker_file(&c->pool->settings, &entry->execution, &entry->reply, c->why, c->why_n);
	if (error)
		job_stop(c, RFS_POOL_FAILED, 0);
	return error;
}

/* Whether done() may want to keep the files of an execution with this result. */
static bool may_be_kept(const struct rfs_pool *pool, const struct rfs_entry *entry)
{
	return !pool->settings.keeps ||
	       pool->settings.keeps(pool->settings.arg, &entry->execution, &entry->reply.result);
}

/* Hands a result to the batch. False: the execution cannot be committed. */
static bool hand_over(struct rfs_course *c, struct rfs_entry *entry)
{
	struct rfs_pool *pool = c->pool;
	struct rfs_run_result *result = &entry->reply.result;

	/* done() may free what the spec points to, so this comes before */
	if (may_be_kept(pool, entry) && rfs_entry_prepare(pool, entry, c->why, c->why_n)) {
		job_stop(c, RFS_POOL_FAILED, 0);
		return false;
	}
	if (!c->batch->done(c->batch->arg, c->committed, &entry->execution, result)) {
		if (entry->has_files)
			rfs_pool_discard(pool, &entry->execution);
		return true;
	}
	return !entry->reply.served || keep_served(c, entry) == 0;
}

/* Adds a new result to the journal. If the pool stops before the second pass, both are made when the campaign
 * continues.
 */
static int job_note_result(struct rfs_course *c, const struct rfs_entry *entry)
{
	struct rfs_journal *journal = c->pool->settings.journal;
	bool begun = entry->unrepeated && c->end != RFS_POOL_DONE;
	int error = journal && !entry->known && !begun
			    ? rfs_journal_add(journal, entry->execution.name, &entry->used, &entry->reply)
			    : 0;

	if (error) {
		snprintf(c->why, c->why_n, "cannot write the journal: %s", strerror(-error));
		job_stop(c, RFS_POOL_FAILED, 0);
	}
	return error;
}

/* Commits finished executions in order: hands each result to batch->done(). */
static void job_commit(struct rfs_course *c)
{
	struct rfs_pool *pool = c->pool;

	while (c->committed < c->next) {
		struct rfs_entry *entry = rfs_entry_of(c, c->committed);
		struct rfs_run_result *result = &entry->reply.result;

		if (entry->state != ENTRY_READY)
			return;
		if (c->end == RFS_POOL_FAILED || c->end == RFS_POOL_ENOUGH || rfs_entry_restarts(entry))
			return;
		if (!started_right(c, entry)) {
			/* this execution started with too few lessons; launch_some() makes it again */
			entry->state = ENTRY_EMPTY;
			return;
		}
		if (entry->reply.error) {
			/*
			 * after the pool was stopped, the stop itself may have caused the error, so the error is not
			 * reported
			 */
			if (c->end == RFS_POOL_DONE) {
				snprintf(c->why, c->why_n, "%s", entry->reply.why ? entry->reply.why : "");
				job_stop(c, RFS_POOL_FAILED, 0);
			}
			return;
		}
		if (result->end == RFS_END_CANCELLED) {
			if (c->end != RFS_POOL_DONE)
				return;
			rfs_entry_lost(entry, "the process that controls this run was asked to stop");
		}
		rfs_passes_end(entry);
		if (job_note_result(c, entry))
			return;
		if (!entry->execution.lessons &&
		    (rfs_lessons_join(&pool->lessons, &entry->used) | rfs_lessons_learn(&pool->lessons, result)))
			pool->version++;
		if (!hand_over(c, entry))
			return;
		clear_entry(entry);
		c->committed++;
		if (c->batch->enough && *c->batch->enough)
			job_stop(c, RFS_POOL_ENOUGH, 0);
	}
}

static bool idle_slot(const struct rfs_course *c, unsigned *number)
{
	for (size_t i = 0; i < c->n_slots; i++)
		if (!c->pool->slots[i].pid) {
			*number = i;
			return true;
		}
	return false;
}

/* Fills the idle slots. An entry that must be made again has priority over new entries. */
static void launch_some(struct rfs_course *c)
{
	unsigned number;

	while (c->end == RFS_POOL_DONE && idle_slot(c, &number)) {
		struct rfs_entry *first = rfs_entry_of(c, c->committed);

		if (c->committed < c->next && first->state == ENTRY_EMPTY)
			job_launch(c, number, c->committed);
		else if (c->next < c->batch->n && c->next - c->committed < c->ring_size)
			job_launch(c, number, c->next++);
		else
			return;
	}
}

enum rfs_pool_end rfs_pool_run(struct rfs_pool *pool, const struct rfs_batch *batch, char *why, size_t n)
{
	struct rfs_course c = {
		.pool = pool,
		.batch = batch,
		.n_slots = batch->one_by_one ? 1 : pool->settings.jobs,
		.why = why,
		.why_n = n,
	};

	c.deadline = earlier(earlier(pool->settings.deadline, pool->until), batch->deadline);
	c.ring_size = batch->one_by_one ? 1 : c.n_slots * AHEAD;
	c.ring = xcalloc(c.ring_size, sizeof(*c.ring));
	if (rfs_interrupted(pool->settings.cancel_fd))
		job_stop(&c, RFS_POOL_INTERRUPTED, 0);
	job_check_limits(&c);
	for (;;) {
		job_commit(&c);
		launch_some(&c);
		if (c.running == 0) {
			/* nothing runs, but an execution that could not be forked is READY and can be committed */
			if (c.end != RFS_POOL_DONE || c.committed == batch->n)
				break;
			continue;
		}
		wait_for_jobs(&c);
	}
	/* after a stop, there may be finished executions behind an unfinished one; their results are dropped */
	for (uint64_t i = c.committed; i < c.next; i++) {
		rfs_pool_discard(pool, &rfs_entry_of(&c, i)->execution);
		clear_entry(rfs_entry_of(&c, i));
	}
	if (c.end != RFS_POOL_DONE || (c.started_worker && !batch->lasting))
		rfs_pool_rest(pool);
	if (c.commands || c.end != RFS_POOL_DONE)
		rfs_slots_sweep(&c);
	free(c.ring);
	return c.end;
}

struct single {
	const struct rfs_execution *execution;
	struct rfs_run_result *result;
	struct rfs_lessons *used;
	bool keep;
};

static void make_single(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct single *single = arg;

	(void)i;
	*out = *single->execution;
}

static bool single_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct single *single = arg;

	(void)i;
	*single->result = *result;
	memset(result, 0, sizeof(*result));
	if (single->used)
		rfs_lessons_take(single->used, &execution->spec.lessons);
	return single->keep;
}

enum rfs_pool_end rfs_pool_run_one(struct rfs_pool *pool, const struct rfs_execution *execution, bool keep,
				   struct rfs_run_result *result, struct rfs_lessons *used, char *why, size_t n)
{
	struct single single = {.execution = execution, .result = result, .used = used, .keep = keep};
	const struct rfs_batch batch = {
		.n = 1,
		.one_by_one = true,
		.make = make_single,
		.done = single_done,
		.arg = &single,
	};

	return rfs_pool_run(pool, &batch, why, n);
}
