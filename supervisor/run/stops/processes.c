/* processes.c - finds the process of the program that has threads, and gives it the place of the program. */
#include "supervisor/run/stops/processes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/access/tsc_insns.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/*
 * After the end of the program, its processes get this much real time to make threads, as daemons do. They get less if
 * all of them sleep.
 */
#define LATE_SECONDS 1.0

/* Processes that are known at the same time. A program with more of them is no program with one worker. */
#define PROCESSES_MOST 4096
#define PATH_MOST 256

/* A process that is not controlled. */
struct process {
	pid_t pid;
	unsigned forks; /* how many it has forked */
	bool several;	/* it has made a thread, so what it forks is no copy of all of it */
	char *path;
};

/* A process that has the memory of the program: it was forked, and has executed no file since. */
struct sharer {
	pid_t pid;
	bool deep; /* not the program itself has forked it */
	bool threaded;
};

struct rfs_processes {
	struct process *list;
	size_t n;
	unsigned forks;	  /* how many processes the controlled one has forked since it is controlled */
	char *file;	  /* what the program executes */
	char *found;	  /* the path of the first process with several threads; NULL: none */
	const char *next; /* of the path in the lessons: what is left; NULL: nothing */
	pid_t parent;	  /* of the process that took the program's place last, until it has returned from the fork */
	struct sharer *sharers;
	size_t n_sharers;
	bool shares;	     /* a process that the program has forked has used memory that both share */
	bool serves;	     /* a process that the program has forked has got something from outside */
	bool shares_deep;    /* so has one that such a process has forked */
	unsigned n_threaded; /* processes that the program itself has forked and that have made threads */
	bool outlived;	     /* one of these processes, or of those that share memory, has ended before the program */
};

static struct rfs_processes *processes_of(struct rfs_run *run)
{
	if (!run->processes)
		run->processes = xcalloc(1, sizeof(*run->processes));
	return run->processes;
}

/* Tells the tracer which of the next forks counts. */
static void expect_next(struct rfs_run *run)
{
	struct rfs_processes *processes = run->processes;
	char *end;

	if (!processes->next)
		return;
	rfs_tracer_take_fork(run->tracer, (unsigned)strtoul(processes->next, &end, 10));
	processes->next = *end == '.' ? end + 1 : NULL;
}

void rfs_processes_open(struct rfs_run *run)
{
	const char *path = rfs_lesson_of_process(&run->spec->lessons);

	if (!path && rfs_lesson_of_family(&run->spec->lessons)) {
		rfs_family_open(run);
		rfs_tracer_keep_forks(run->tracer, true);
	}
	if (!path)
		return;
	processes_of(run)->next = path;
	expect_next(run);
}

static void forget(struct rfs_processes *processes, struct process *process)
{
	free(process->path);
	*process = processes->list[--processes->n];
}

void rfs_processes_release(struct rfs_run *run)
{
	struct rfs_processes *processes = run->processes;

	if (!processes)
		return;
	while (processes->n)
		forget(processes, processes->list);
	free(processes->list);
	free(processes->sharers);
	free(processes->file);
	free(processes->found);
	free(processes);
}

static struct process *process_by(struct rfs_run *run, pid_t pid)
{
	struct rfs_processes *processes = run->processes;

	for (size_t i = 0; processes && i < processes->n; i++)
		if (processes->list[i].pid == pid)
			return &processes->list[i];
	return NULL;
}

/* Whether the program has had one thread so far. Handlers of signals are no threads of their own. */
static bool has_one_thread(const struct rfs_run *run)
{
	for (size_t i = 1; i < run->n_threads; i++)
		if (!run->threads[i]->handler.signo)
			return false;
	return true;
}

static char *file_of(pid_t pid)
{
	char file[PATH_MAX];

	return rfs_process_file(pid, file, sizeof(file)) ? NULL : xstrdup(file);
}

/* Adds a process, if it is a copy of all of its maker. above: the path of the maker, with a dot; "" for the program. */
static void add(struct rfs_run *run, pid_t pid, const char *above, unsigned number)
{
	struct rfs_processes *processes = run->processes;

	if (processes->n == PROCESSES_MOST || strlen(above) > PATH_MOST)
		return;
	processes->list = xreallocarray(processes->list, processes->n + 1, sizeof(*processes->list));
	processes->list[processes->n++] =
		(struct process){.pid = pid, .path = xasprintf("%s%s%u", above, *above ? "." : "", number)};
}

static struct sharer *sharer_by(struct rfs_run *run, pid_t pid)
{
	struct rfs_processes *processes = run->processes;

	for (size_t i = 0; processes && i < processes->n_sharers; i++)
		if (processes->sharers[i].pid == pid)
			return &processes->sharers[i];
	return NULL;
}

static void add_sharer(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_processes *processes = run->processes;
	const pid_t maker = rfs_task_pid(stop->task);
	const bool direct = maker == rfs_tracer_pid(run->tracer);

	if (processes->n_sharers == PROCESSES_MOST || (!direct && !sharer_by(run, maker)))
		return;
	processes->sharers = xreallocarray(processes->sharers, processes->n_sharers + 1, sizeof(*processes->sharers));
	processes->sharers[processes->n_sharers++] = (struct sharer){.pid = rfs_task_pid(stop->child), .deep = !direct};
}

/*
 * Whether the process has used memory that it shares with the program. A fork does not copy the page tables of shared
 * mappings, so the pages that the process has there are those that it has used itself.
 */
static bool uses_shared(struct rfs_run *run, pid_t pid)
{
	const struct rfs_space *space = rfs_run_space(run);
	char path[64], *line = NULL;
	bool shared = false, uses = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !uses && getline(&line, &size, maps) > 0) {
		rfs_addr start, end;
		unsigned long kilobytes;
		char access[5];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) == 3)
			shared = access[1] == 'w' && access[3] == 's' && space && !rfs_stub_buffer_hold(space, start);
		else if (shared && sscanf(line, "Rss: %lu kB", &kilobytes) == 1)
			uses = kilobytes > 0;
	}
	free(line);
	if (maps)
		fclose(maps);
	return uses;
}

static void look_at_sharer(struct rfs_run *run, const struct sharer *sharer)
{
	struct rfs_processes *processes = run->processes;
	const bool shares = uses_shared(run, sharer->pid);

	processes->shares |= shares;
	processes->shares_deep |= shares && sharer->deep;
	processes->outlived |= !run->ended && !sharer->deep && (shares || sharer->threaded);
}

static void forget_sharer(struct rfs_run *run, pid_t pid)
{
	struct sharer *sharer = sharer_by(run, pid);

	if (sharer)
		*sharer = run->processes->sharers[--run->processes->n_sharers];
}

void rfs_processes_ending(struct rfs_run *run, const struct rfs_task *task)
{
	const struct sharer *sharer = sharer_by(run, rfs_task_pid(task));

	if (sharer && !run->ended)
		look_at_sharer(run, sharer);
}

bool rfs_processes_serves(struct rfs_run *run, const struct rfs_task *task)
{
	const struct sharer *sharer = sharer_by(run, rfs_task_pid(task));

	if (!run->spec->wanted.processes || run->ended || !sharer || sharer->deep)
		return false;
	run->processes->serves = true;
	return true;
}

void rfs_processes_forked(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_processes *processes;
	struct process *maker;

	if (!run->spec->wanted.processes || stop->kind != RFS_STOP_FORK || !stop->child || stop->taken || stop->kept)
		return;
	processes = processes_of(run);
	if (!run->family && !run->follow.taken)
		add_sharer(run, stop);
	if (rfs_task_pid(stop->task) == rfs_tracer_pid(run->tracer)) {
		if (!processes->file)
			processes->file = file_of(rfs_task_pid(stop->task));
		processes->forks++;
		if (has_one_thread(run))
			add(run, rfs_task_pid(stop->child), "", processes->forks);
		return;
	}
	maker = process_by(run, rfs_task_pid(stop->task));
	if (maker && !maker->several)
		add(run, rfs_task_pid(stop->child), maker->path, ++maker->forks);
}

/* The other parts of the run keep their state: all memory, handlers and descriptors of the child are as in its parent.
 */
void rfs_processes_take(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct rfs_processes *processes = run->processes;

	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->task == stop->task)
			run->threads[i]->task = stop->child;
	rfs_task_set_data(stop->task, NULL);
	rfs_task_set_data(stop->child, thread);
	thread->tid = thread->sync.tid = rfs_pids_shown(run, rfs_task_tid(stop->child));
	processes->parent = rfs_task_pid(stop->task);
	run->follow.taken = true;
	rfs_objects_forked(run->objects);
	rfs_timers_forked(run, processes->parent);
	rfs_target_fd_release(run);
	rfs_target_memory_forget(run);
	rfs_children_seen(run, stop->task);
	expect_next(run);
}

void rfs_processes_left(struct rfs_run *run, struct rfs_task *task)
{
	if (!run->processes || run->processes->parent != rfs_task_pid(task))
		return;
	run->processes->parent = 0;
	/* its code has no breakpoints any more */
	rfs_tsc_insns_trap(run, task);
}

void rfs_processes_executed(struct rfs_run *run, const struct rfs_task *task)
{
	struct process *process = process_by(run, rfs_task_pid(task));
	char *file;

	forget_sharer(run, rfs_task_pid(task));
	if (!process)
		return;
	file = file_of(process->pid);
	if (!file || !run->processes->file || strcmp(file, run->processes->file) != 0)
		forget(run->processes, process);
	free(file);
}

/* Which of two paths comes first: its process was forked earlier, or is the parent. */
static bool is_before(const char *a, const char *b)
{
	for (;;) {
		char *end_a, *end_b;
		const unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

		if (x != y)
			return x < y;
		if (!*end_a || !*end_b)
			return !*end_a;
		a = end_a + 1;
		b = end_b + 1;
	}
}

void rfs_processes_threaded(struct rfs_run *run, pid_t pid)
{
	struct process *process = process_by(run, pid);
	struct sharer *sharer = sharer_by(run, pid);

	if (sharer && !sharer->threaded) {
		sharer->threaded = true;
		run->processes->n_threaded += !sharer->deep;
	}
	if (!process)
		return;
	process->several = true;
	if (run->processes->found && !is_before(process->path, run->processes->found))
		return;
	free(run->processes->found);
	run->processes->found = xstrdup(process->path);
}

void rfs_processes_gone(struct rfs_run *run, pid_t pid)
{
	struct process *process = process_by(run, pid);

	forget_sharer(run, pid);
	if (process)
		forget(run->processes, process);
}

static bool is_conclusive(enum rfs_run_end end)
{
	switch (end) {
	case RFS_END_EXIT:
	case RFS_END_SIGNAL:
	case RFS_END_DEADLOCK:
	case RFS_END_HANG:
	case RFS_END_TIMEOUT:
		return true;
	default:
		return false;
	}
}

bool rfs_processes_may_thread(struct rfs_run *run, double since, struct rfs_quiesce *quiesce)
{
	const struct rfs_processes *processes = run->processes;

	return processes && processes->n && !processes->found && run->spec->wanted.processes && has_one_thread(run) &&
	       is_conclusive(run->result->end) && rfs_clock() - since < LATE_SECONDS &&
	       (rfs_children_move(run, quiesce) || rfs_children_sleep(run));
}

static void restart(struct rfs_run *run, enum rfs_restart reason, char *lesson)
{
	struct rfs_run_result *result = run->result;

	result->spin = xreallocarray(result->spin, result->n_spin + 1, sizeof(*result->spin));
	result->spin[result->n_spin++] = (struct rfs_place){lesson, 0};
	result->restart = reason;
	result->end = RFS_END_RESTART;
	result->detail = 0;
}

void rfs_processes_end(struct rfs_run *run)
{
	struct rfs_processes *processes = run->processes;
	bool together;

	if (!run->spec->wanted.processes || !processes || !is_conclusive(run->result->end))
		return;
	for (size_t i = 0; i < processes->n_sharers; i++)
		look_at_sharer(run, &processes->sharers[i]);
	together = processes->shares || processes->serves || processes->n_threaded > (has_one_thread(run) ? 1u : 0u);
	/* if such a process lives longer than the program, it is a daemon, whose parent only starts it */
	if (processes->found && has_one_thread(run) && !(together && processes->outlived)) {
		restart(run, RFS_RESTART_PROCESS, rfs_lesson_about_process(processes->found));
		return;
	}
	if (processes->shares_deep) {
		rfs_run_warn(run, "processes of the program use memory that they share, but one of them was forked by "
				  "another of them; their races in this memory are not predicted");
		if (processes->serves)
			rfs_nondet_unrecorded(run);
	} else if (together) {
		restart(run, RFS_RESTART_FAMILY, rfs_lesson_about_family());
	}
}
