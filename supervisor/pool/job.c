#include "supervisor/pool/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/siteset.h"
#include "supervisor/base/tree.h"
#include "supervisor/pool/job-priv.h"
#include "supervisor/pool/subreaper.h"
#include "supervisor/pool/wire.h"
#include "supervisor/pool/worker.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"

/* Executions started ahead of the first uncommitted one, a job: enough that a long one does not idle the other cores.
 */
#define AHEAD 4
/* Beyond its own time limit a job gets this long to clean up and answer; then it is stuck and is killed. */
#define ANSWER_SECONDS 15
/* A server has to be started; for fewer executions than that it does not pay. */
#define WORKER_PAYS 4
/* Workers that died or could not go on; then each execution gets a process of its own. */
#define WORKER_FAILURES 3
/* After Ctrl-C, and again after SIGTERM. */
#define STOP_SECONDS 2

enum entry_state { ENTRY_EMPTY, ENTRY_RUNNING, ENTRY_READY };

/* An execution that is not committed yet. Entry i stands at i modulo the length of the ring. */
struct entry {
	enum entry_state state;
	struct rfs_execution execution;
	struct rfs_site_set used; /* spin sites that it runs with */
	uint64_t version;	  /* of pool->spin when it was started */
	struct rfs_reply reply;	  /* READY */
	bool alone;		  /* a worker could not make it: it gets a process of its own */
};

/* A process at work. */
struct slot {
	pid_t pid; /* 0: idle */
	int fd;
	uint64_t index; /* of its execution */
	uint8_t *bytes;
	size_t n, size;
	double give_up; /* when it is told to stop (0: never), then killed */
	bool terminated;
	bool served;		   /* pid and fd are the worker's */
	struct rfs_worker *worker; /* at work or idle; NULL: none */
};

struct rfs_pool {
	struct rfs_pool_settings settings;
	cpu_set_t cores;
	int first_core; /* that we were on at first */
	struct slot *slots;
	struct rfs_site_set spin;
	uint64_t version; /* counts the growth of spin */
	uint64_t restarts, served;
	unsigned worker_failures;
	char *unserved; /* why no worker is started any more; NULL: they are */
};

/* What one call of rfs_pool_run() needs. */
struct course {
	struct rfs_pool *pool;
	const struct rfs_batch *batch;
	struct entry *ring;
	size_t ring_size, n_slots, running;
	uint64_t next, committed;
	bool started_worker;
	enum rfs_pool_end end; /* anything but DONE: nothing is started any more */
	char *why;
	size_t why_n;
};

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
	rfs_site_set_release(&pool->spin);
	free(pool->slots);
	free(pool->unserved);
	free(pool);
}

const struct rfs_site_set *rfs_pool_spin(const struct rfs_pool *pool)
{
	return &pool->spin;
}

uint64_t rfs_pool_restarts(const struct rfs_pool *pool)
{
	return pool->restarts;
}

static void end_worker(struct slot *slot)
{
	rfs_worker_end(slot->worker);
	slot->worker = NULL;
}

void rfs_pool_rest(struct rfs_pool *pool)
{
	bool any = false;

	for (unsigned i = 0; i < pool->settings.jobs; i++) {
		any |= pool->slots[i].worker != NULL;
		end_worker(&pool->slots[i]);
	}
	/* their targets come to us when they die: those of the servers before have by now */
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

/* The core of a slot: the allowed ones in turn, from the one on that the kernel gave to us: it keeps those who start
 * beside each other apart. */
static int core_of(const struct rfs_pool *pool, unsigned slot)
{
	int n = CPU_COUNT(&pool->cores), core = pool->first_core;

	if (n == 0 || core < 0)
		return -1;
	for (unsigned wanted = slot % n; !CPU_ISSET(core, &pool->cores) || wanted-- > 0;)
		core = (core + 1) % CPU_SETSIZE;
	return core;
}

static struct entry *entry_of(struct course *c, uint64_t index)
{
	return &c->ring[index % c->ring_size];
}

static void clear_entry(struct entry *entry)
{
	rfs_reply_release(&entry->reply);
	rfs_site_set_release(&entry->used);
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

static void __attribute__((format(printf, 2, 3))) set_uncontrolled(struct entry *entry, const char *format, ...)
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

/* The slot is at work, on the other end of fd. */
static void occupy(struct course *c, struct slot *slot, pid_t pid, int fd, uint64_t index)
{
	struct entry *entry = entry_of(c, index);
	double timeout = entry->execution.spec.timeout;

	slot->pid = pid;
	slot->fd = fd;
	slot->index = index;
	slot->bytes = NULL;
	slot->n = slot->size = 0;
	slot->terminated = false;
	/* the setup command has a limit of its own, as long as the run's */
	slot->give_up = timeout > 0 ? rfs_clock() + 2 * timeout + ANSWER_SECONDS : 0;
	entry->state = ENTRY_RUNNING;
	c->running++;
}

/* The slot has a worker for this execution. One that serves others is replaced, where that pays. */
static bool has_worker(struct course *c, struct slot *slot, const struct rfs_execution *execution)
{
	struct rfs_pool *pool = c->pool;

	if (slot->worker && rfs_worker_serves(slot->worker, execution))
		return true;
	if (c->batch->n < WORKER_PAYS)
		return false;
	end_worker(slot);
	if (rfs_worker_start(&pool->settings, execution, &slot->worker))
		return false;
	c->started_worker = true;
	return true;
}

/* Hands the execution of an entry to the slot's worker. False: it gets a process of its own. */
static bool serve(struct course *c, struct slot *slot, uint64_t index)
{
	struct entry *entry = entry_of(c, index);
	struct rfs_pool *pool = c->pool;

	if (c->batch->run || pool->unserved || entry->alone ||
	    !rfs_worker_possible(&pool->settings, &entry->execution) || !has_worker(c, slot, &entry->execution))
		return false;
	/* what fails here fails in the job's process as well, which tells it */
	if (pool->settings.prepare && pool->settings.prepare(pool->settings.arg, &entry->execution, c->why, c->why_n))
		return false;
	if (rfs_worker_ask(slot->worker, &entry->execution)) {
		end_worker(slot);
		return false;
	}
	occupy(c, slot, rfs_worker_pid(slot->worker), rfs_worker_fd(slot->worker), index);
	slot->served = true;
	return true;
}

/* Starts the execution of an entry, whose spin sites are set, in an idle slot. */
static void start(struct course *c, unsigned number, uint64_t index)
{
	struct rfs_pool *pool = c->pool;
	struct slot *slot = &pool->slots[number];
	struct entry *entry = entry_of(c, index);
	rfs_run_fn *run = c->batch->run ? c->batch->run : pool->settings.run;
	pid_t parent = getpid(), pid;
	int ends[2];

	entry->execution.spec.core = entry->execution.any_core ? -1 : core_of(pool, number);
	entry->execution.spec.cancel_fd = pool->settings.cancel_fd;
	entry->execution.spec.spin = entry->used.sites;
	entry->execution.spec.n_spin = entry->used.n;
	entry->state = ENTRY_READY;
	if (serve(c, slot, index))
		return;
	if (pipe2(ends, O_CLOEXEC)) {
		set_uncontrolled(entry, "cannot create a pipe for a job: %s", strerror(errno));
		return;
	}
	/* what stands in our buffers would be written by both of us */
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		rfs_job_process(&pool->settings, run, &entry->execution, number, parent, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		set_uncontrolled(entry, "cannot start a process for a job: %s", strerror(errno));
		close(ends[0]);
		return;
	}
	occupy(c, slot, pid, ends[0], index);
}

/* Makes execution i, or makes it again, and starts it. */
static void launch(struct course *c, unsigned number, uint64_t index)
{
	struct entry *entry = entry_of(c, index);
	const struct rfs_site_set *spin;

	clear_entry(entry);
	c->batch->make(c->batch->arg, index, &entry->execution);
	spin = entry->execution.spin ? entry->execution.spin : &c->pool->spin;
	rfs_site_set_join(&entry->used, spin);
	entry->version = c->pool->version;
	start(c, number, index);
}

/* Kills what a job left behind. Not while other jobs run whose setup command may have started a server for them. */
static void sweep(struct course *c)
{
	struct rfs_pool *pool = c->pool;
	pid_t *keep;
	size_t n = 0;

	if ((pool->settings.setup || pool->settings.drive) && c->running)
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

/* True where the run has to be done again with the spin reads that it found. */
static bool grow_for_restart(struct entry *entry)
{
	const struct rfs_run_result *result = &entry->reply.result;
	bool grown = false;

	for (size_t i = 0; i < result->n_spin; i++)
		if (result->spin[i].module)
			grown |= rfs_site_set_add(&entry->used, result->spin[i].module, result->spin[i].offset);
	if (!grown)
		set_uncontrolled(entry, "the run requested a restart without a new spin read");
	return grown;
}

/* Takes what the slot has read: true and the entry's reply filled where it is whole. */
static bool take_answer(struct slot *slot, struct entry *entry)
{
	bool answered = rfs_wire_decode(slot->bytes, slot->n, &entry->reply) == 0;

	free(slot->bytes);
	slot->bytes = NULL;
	slot->pid = 0;
	entry->state = ENTRY_READY;
	return answered;
}

/* It has run, and is done again where it found a spin read. */
static void restart_if_told(struct course *c, unsigned number, uint64_t index)
{
	struct entry *entry = entry_of(c, index);

	if (c->end != RFS_POOL_DONE || entry->reply.error || entry->reply.result.end != RFS_END_RESTART ||
	    !grow_for_restart(entry))
		return;
	c->pool->restarts++;
	if (rfs_site_set_has(&entry->used, RFS_TRAPS_RDTSC, 0) && entry->reply.result.n_spin == 1)
		rfs_note("run %s: unknown code may run; restarting with rdtsc trapping enabled", entry->execution.name);
	else
		rfs_note("run %s: a thread spins on memory; restarting with its read treated as a spin read",
			 entry->execution.name);
	rfs_reply_release(&entry->reply);
	start(c, number, index);
}

/* No worker any more after this one, or after too many. */
static void note_failure(struct rfs_pool *pool, int error, const char *why)
{
	if (pool->unserved || (error != -ENOTSUP && ++pool->worker_failures < WORKER_FAILURES))
		return;
	pool->unserved = xstrdup(why && *why ? why : "the fork server died");
	rfs_note("no fork server: %s", pool->unserved);
}

/* The worker's answer is whole, or it is gone. An execution that it could not make gets a process of its own. */
static void finish_served(struct course *c, unsigned number)
{
	struct slot *slot = &c->pool->slots[number];
	struct entry *entry = entry_of(c, slot->index);
	uint64_t index = slot->index;
	bool answered = take_answer(slot, entry);

	c->running--;
	slot->served = false;
	if (answered && !entry->reply.error) {
		c->pool->served++;
		restart_if_told(c, number, index);
		return;
	}
	end_worker(slot);
	sweep(c);
	if (c->end != RFS_POOL_DONE) {
		rfs_reply_release(&entry->reply);
		entry->reply.result.end = RFS_END_CANCELLED;
	} else if (slot->terminated) {
		set_uncontrolled(entry, "the process that controls this run did not answer in time");
	} else {
		note_failure(c->pool, entry->reply.error, entry->reply.why);
		rfs_reply_release(&entry->reply);
		entry->alone = true;
		start(c, number, index);
	}
}

/* The job's pipe is closed: takes its answer. */
static void finish(struct course *c, unsigned number)
{
	struct rfs_pool *pool = c->pool;
	struct slot *slot = &pool->slots[number];
	struct entry *entry = entry_of(c, slot->index);
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
			set_uncontrolled(entry, "the process that controls this run did not answer in time");
		else if (WIFSIGNALED(status))
			set_uncontrolled(entry, "the process that controls this run was killed by signal %d",
					 WTERMSIG(status));
		else
			set_uncontrolled(entry,
					 "the process that controls this run exited with status %d without an answer",
					 WEXITSTATUS(status));
	}
	if (!answered || pool->settings.setup || pool->settings.drive)
		sweep(c);
	if (pool->settings.fresh_dir) {
		char *copy = rfs_job_fresh(&pool->settings, number);

		if (rfs_tree_remove(copy))
			rfs_warn("cannot remove %s", copy);
		free(copy);
	}
	if (!answered && c->end != RFS_POOL_DONE)
		entry->reply.result.end = RFS_END_CANCELLED;
	if (answered)
		restart_if_told(c, number, index);
}

static void read_slot(struct course *c, unsigned number)
{
	struct slot *slot = &c->pool->slots[number];
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
		finish(c, number);
}

/* Nothing more is started; those that run get `grace` seconds to end by themselves. */
static void stop(struct course *c, enum rfs_pool_end end, double grace)
{
	double at = rfs_clock() + grace;

	if (c->end != RFS_POOL_DONE)
		return;
	c->end = end;
	for (size_t i = 0; i < c->n_slots; i++)
		if (c->pool->slots[i].pid && !c->pool->slots[i].terminated)
			c->pool->slots[i].give_up = at;
}

/* Looks at what may end a run from outside, and tells jobs whose time has come. */
static void check_limits(struct course *c)
{
	const struct rfs_pool_settings *settings = &c->pool->settings;
	double now = rfs_clock();

	if (settings->deadline > 0 && now >= settings->deadline)
		stop(c, RFS_POOL_BUDGET, 0);
	for (size_t i = 0; i < c->n_slots; i++) {
		struct slot *slot = &c->pool->slots[i];

		if (!slot->pid || slot->give_up <= 0 || now < slot->give_up)
			continue;
		kill(slot->pid, slot->terminated ? SIGKILL : SIGTERM);
		slot->terminated = true;
		slot->give_up = now + STOP_SECONDS;
	}
}

/* Milliseconds until check_limits() has something to do. */
static int next_limit(const struct course *c)
{
	double next = 0, now = rfs_clock();

	if (c->end == RFS_POOL_DONE)
		next = c->pool->settings.deadline;
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct slot *slot = &c->pool->slots[i];

		if (slot->pid && slot->give_up > 0 && (next <= 0 || slot->give_up < next))
			next = slot->give_up;
	}
	if (next <= 0 || next > now + 3600)
		return 3600000;
	return next <= now ? 0 : (int)((next - now) * 1000) + 1;
}

static void wait_for_jobs(struct course *c)
{
	struct pollfd *fds = xcalloc(c->n_slots + 1, sizeof(*fds));

	for (size_t i = 0; i < c->n_slots; i++)
		fds[i] = (struct pollfd){.fd = c->pool->slots[i].pid ? c->pool->slots[i].fd : -1, .events = POLLIN};
	/* once noticed it stays readable */
	fds[c->n_slots] = (struct pollfd){
		.fd = c->end == RFS_POOL_DONE ? c->pool->settings.cancel_fd : -1,
		.events = POLLIN,
	};
	if (poll(fds, c->n_slots + 1, next_limit(c)) > 0) {
		if (fds[c->n_slots].revents)
			stop(c, RFS_POOL_INTERRUPTED, STOP_SECONDS);
		for (size_t i = 0; i < c->n_slots; i++)
			if (fds[i].revents)
				read_slot(c, i);
	}
	check_limits(c);
	free(fds);
}

/* True where the entry ran with just the spin sites that it would have had, had it waited for its turn. */
static bool started_right(const struct course *c, const struct entry *entry)
{
	return entry->execution.spin || entry->version == c->pool->version ||
	       rfs_site_set_equal(&entry->used, &c->pool->spin);
}

/* The files that a job would have written while it ran. */
static int keep_served(struct course *c, const struct entry *entry)
{
	int error = 0;

	if (!entry->reply.filed)
		error = rfs_worker_file(&c->pool->settings, &entry->execution, &entry->reply, c->why, c->why_n);
	if (error)
		stop(c, RFS_POOL_FAILED, 0);
	return error;
}

/* Hands finished executions over, in order. */
static void commit(struct course *c)
{
	struct rfs_pool *pool = c->pool;

	while (c->committed < c->next) {
		struct entry *entry = entry_of(c, c->committed);
		struct rfs_run_result *result = &entry->reply.result;

		if (entry->state != ENTRY_READY)
			return;
		if (c->end == RFS_POOL_FAILED || result->end == RFS_END_RESTART)
			return;
		if (!started_right(c, entry)) {
			/* from here on everything was started too early: it is made again from this one on */
			entry->state = ENTRY_EMPTY;
			return;
		}
		if (entry->reply.error) {
			/* a stop may be the reason why it could not be started */
			if (c->end == RFS_POOL_DONE) {
				snprintf(c->why, c->why_n, "%s", entry->reply.why ? entry->reply.why : "");
				stop(c, RFS_POOL_FAILED, 0);
			}
			return;
		}
		if (result->end == RFS_END_CANCELLED) {
			if (c->end != RFS_POOL_DONE)
				return;
			set_uncontrolled(entry, "the process that controls this run was told to stop");
		}
		if (!entry->execution.spin && rfs_site_set_join(&pool->spin, &entry->used))
			pool->version++;
		if (!c->batch->done(c->batch->arg, c->committed, &entry->execution, result))
			rfs_pool_discard(pool, &entry->execution);
		else if (entry->reply.served && keep_served(c, entry))
			return;
		clear_entry(entry);
		c->committed++;
	}
}

static bool idle_slot(const struct course *c, unsigned *number)
{
	for (size_t i = 0; i < c->n_slots; i++)
		if (!c->pool->slots[i].pid) {
			*number = i;
			return true;
		}
	return false;
}

/* Fills the idle slots. An entry that must be made again goes before new ones. */
static void launch_some(struct course *c)
{
	unsigned number;

	while (c->end == RFS_POOL_DONE && idle_slot(c, &number)) {
		struct entry *first = entry_of(c, c->committed);

		if (c->committed < c->next && first->state == ENTRY_EMPTY)
			launch(c, number, c->committed);
		else if (c->next < c->batch->n && c->next - c->committed < c->ring_size)
			launch(c, number, c->next++);
		else
			return;
	}
}

enum rfs_pool_end rfs_pool_run(struct rfs_pool *pool, const struct rfs_batch *batch, char *why, size_t n)
{
	struct course c = {
		.pool = pool,
		.batch = batch,
		.n_slots = batch->one_by_one ? 1 : pool->settings.jobs,
		.why = why,
		.why_n = n,
	};
	struct pollfd cancel = {.fd = pool->settings.cancel_fd, .events = POLLIN};

	c.ring_size = batch->one_by_one ? 1 : c.n_slots * AHEAD;
	c.ring = xcalloc(c.ring_size, sizeof(*c.ring));
	if (poll(&cancel, 1, 0) > 0)
		stop(&c, RFS_POOL_INTERRUPTED, 0);
	check_limits(&c);
	for (;;) {
		commit(&c);
		launch_some(&c);
		if (c.running == 0) {
			/* an execution that could not even be forked is ready without ever having run */
			if (c.end != RFS_POOL_DONE || c.committed == batch->n)
				break;
			continue;
		}
		wait_for_jobs(&c);
	}
	/* a stop may have left finished ones behind an unfinished one */
	for (uint64_t i = c.committed; i < c.next; i++) {
		rfs_pool_discard(pool, &entry_of(&c, i)->execution);
		clear_entry(entry_of(&c, i));
	}
	if (c.end != RFS_POOL_DONE || (c.started_worker && !batch->lasting))
		rfs_pool_rest(pool);
	if (pool->settings.setup || c.end != RFS_POOL_DONE)
		sweep(&c);
	free(c.ring);
	return c.end;
}

struct single {
	const struct rfs_execution *execution;
	struct rfs_run_result *result;
	struct rfs_site_set *used;
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
	for (size_t s = 0; single->used && s < execution->spec.n_spin; s++)
		rfs_site_set_add(single->used, execution->spec.spin[s].module, execution->spec.spin[s].offset);
	return single->keep;
}

enum rfs_pool_end rfs_pool_run_one(struct rfs_pool *pool, const struct rfs_execution *execution, bool keep,
				   struct rfs_run_result *result, struct rfs_site_set *used, char *why, size_t n)
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
