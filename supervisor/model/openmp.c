/*
 * openmp.c - what OpenMP's constructs order.
 *
 * Each construct has messages, and the numbers below say which. "All that the sender did before SEND happens before all
 * that follows a RECEIVE."
 *
 *   construct            sends                                            receives
 *   parallel             the thread that begins it                        each thread of the team, when it begins
 *   end of parallel      each thread; each task of the team               the thread that began it
 *   barrier, round r     each thread that arrives; each task of the team  each thread that leaves
 *   ordered              the end of a region                              the begin of the next one
 *   depend(source/sink)  the source of an iteration                       the sinks of this iteration
 *   task                 its creator                                      the task, when it begins
 *   taskwait             each task that ends, to its parent's message     the parent
 *   taskgroup            each task of the group that ends                 the task that ends the group
 *   depend(out: x)       the end of the task                              later siblings with in or out: x
 *   depend(in: x)        the end of the task                              later siblings with out: x
 *
 * All threads of a team meet the same barriers and work-sharing constructs in the same order (section 2.8), so a count
 * of each thread's own identifies them.
 *
 * A task that ends while a thread waits at barrier r was created before that barrier, so r is the round of the thread
 * that executes it.
 *
 * A deferred task is known by its data: libgomp copies it into a block that it allocates inside the creating call. So a
 * task belongs to the call in which its block was allocated.
 */
#include "supervisor/model/openmp.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"

struct group {
	struct group *outer;
	uint64_t message;
};

/* A task that a thread executes, or whose children are still to be executed. */
struct task {
	struct task *parent; /* holds a reference; NULL: an implicit task */
	uint64_t children;   /* the message of its children */
	uint64_t group;	     /* the message of the innermost group that it was created in; 0: none */
	struct group *own;   /* the innermost group that it has begun; owned */
	struct rfs_openmp_depend *depends;
	size_t n_depends;
	unsigned references;
};

/* A call that creates a task, or the tasks of a taskloop. */
struct creation {
	struct creation *next;
	struct task *parent; /* holds a reference */
	uint64_t start;	     /* message */
	uint64_t group;
	rfs_addr function;
	int creator;
	bool many;
	bool open;	     /* the call has not returned */
	bool begun;	     /* its task has begun */
	uint64_t first, end; /* its allocations; end: valid if it has returned */
	struct rfs_openmp_depend *depends;
	size_t n_depends;
};

/* The messages of one barrier round, one ordered loop, one iteration, or one address of a depend clause. */
struct key {
	uint64_t kind, number, address;
};
enum { KEY_ROUND, KEY_ORDERED, KEY_ITERATION, KEY_IN, KEY_OUT };

struct keyed {
	struct key key;
	uint64_t message;
	UT_hash_handle hh;
};

struct team {
	struct team *next;
	int master;
	rfs_addr function, data;
	uint64_t start, end;	    /* messages */
	struct creation *creations; /* the newest first */
	struct keyed *keyed;
};

/* A thread in a team. */
struct context {
	struct team *team;
	struct task *task; /* that it executes now; holds a reference */
	uint64_t rounds;   /* barriers that it has left */
	uint64_t shares;   /* work-sharing constructs that it has met */
	/* A thread that waits in a task executes others meanwhile. These are the waiting ones, the outermost first. */
	struct task **executing;
	size_t n_executing;
};

struct thread {
	struct context *contexts; /* the last one is the innermost region */
	size_t n;
};

struct rfs_openmp {
	rfs_openmp_tell tell;
	void *arg;
	struct thread *threads;
	size_t n_threads;
	struct team *teams; /* the newest first */
	uint64_t next_message;
	uint64_t fulfilled; /* the message of all events that were fulfilled; 0: none was */
};

struct rfs_openmp *rfs_openmp_new(rfs_openmp_tell tell, void *arg)
{
	struct rfs_openmp *openmp = xcalloc(1, sizeof(*openmp));

	openmp->tell = tell;
	openmp->arg = arg;
	openmp->next_message = 1;
	return openmp;
}

static struct thread *openmp_thread_of(struct rfs_openmp *openmp, int number)
{
	size_t n = (size_t)number + 1;

	if (n > openmp->n_threads) {
		openmp->threads = xreallocarray(openmp->threads, n, sizeof(*openmp->threads));
		memset(openmp->threads + openmp->n_threads, 0, (n - openmp->n_threads) * sizeof(*openmp->threads));
		openmp->n_threads = n;
	}
	return &openmp->threads[number];
}

/* The innermost region of the thread. NULL: none. */
static struct context *openmp_context_of(struct rfs_openmp *openmp, int number)
{
	struct thread *thread = openmp_thread_of(openmp, number);

	return thread->n ? &thread->contexts[thread->n - 1] : NULL;
}

static void tell_message(struct rfs_openmp *openmp, enum rfs_event_kind kind, uint64_t message)
{
	openmp->tell(openmp->arg, kind, message);
}

static struct keyed *find_keyed(const struct team *team, uint64_t kind, uint64_t number, uint64_t address)
{
	const struct key key = {kind, number, address};
	struct keyed *keyed;

	HASH_FIND(hh, team->keyed, &key, sizeof(key), keyed);
	return keyed;
}

static uint64_t keyed_message(struct rfs_openmp *openmp, struct team *team, uint64_t kind, uint64_t number,
			      uint64_t address)
{
	struct keyed *keyed = find_keyed(team, kind, number, address);

	if (!keyed) {
		keyed = xcalloc(1, sizeof(*keyed));
		keyed->key = (struct key){kind, number, address};
		keyed->message = openmp->next_message++;
		HASH_ADD(hh, team->keyed, key, sizeof(keyed->key), keyed);
	}
	return keyed->message;
}

/* ---- teams ---- */

static struct task *refer(struct task *task)
{
	if (task)
		task->references++;
	return task;
}

static struct task *new_task(struct rfs_openmp *openmp, struct task *parent)
{
	struct task *task = xcalloc(1, sizeof(*task));

	task->parent = refer(parent);
	task->children = openmp->next_message++;
	return refer(task);
}

static void release_task(struct rfs_openmp *openmp, struct task *task)
{
	while (task && --task->references == 0) {
		struct task *parent = task->parent;

		tell_message(openmp, RFS_EVENT_FORGET, task->children);
		while (task->own) {
			struct group *group = task->own;

			task->own = group->outer;
			free(group);
		}
		free(task->depends);
		free(task);
		task = parent;
	}
}

static void remove_creation(struct rfs_openmp *openmp, struct team *team, struct creation *creation)
{
	struct creation **link = &team->creations;

	while (*link != creation)
		link = &(*link)->next;
	*link = creation->next;
	tell_message(openmp, RFS_EVENT_FORGET, creation->start);
	release_task(openmp, creation->parent);
	free(creation->depends);
	free(creation);
}

static void forget_team(struct rfs_openmp *openmp, struct team *team)
{
	struct keyed *keyed, *next;
	struct team **link = &openmp->teams;

	while (*link != team)
		link = &(*link)->next;
	*link = team->next;
	tell_message(openmp, RFS_EVENT_FORGET, team->start);
	tell_message(openmp, RFS_EVENT_FORGET, team->end);
	HASH_ITER (hh, team->keyed, keyed, next) {
		HASH_DEL(team->keyed, keyed);
		tell_message(openmp, RFS_EVENT_FORGET, keyed->message);
		free(keyed);
	}
	while (team->creations)
		remove_creation(openmp, team, team->creations);
	free(team);
}

/* The thread no longer takes part in the team: ends what it executed there. */
static void drop_contexts(struct rfs_openmp *openmp, struct thread *thread, const struct team *team)
{
	size_t kept = 0;

	for (size_t i = 0; i < thread->n; i++) {
		struct context *context = &thread->contexts[i];

		if (context->team != team) {
			thread->contexts[kept++] = *context;
			continue;
		}
		release_task(openmp, context->task);
		while (context->n_executing)
			release_task(openmp, context->executing[--context->n_executing]);
		free(context->executing);
	}
	thread->n = kept;
}

void rfs_openmp_free(struct rfs_openmp *openmp)
{
	if (!openmp)
		return;
	for (size_t i = 0; i < openmp->n_threads; i++)
		while (openmp->threads[i].n)
			drop_contexts(openmp, &openmp->threads[i], openmp->threads[i].contexts[0].team);
	while (openmp->teams)
		forget_team(openmp, openmp->teams);
	for (size_t i = 0; i < openmp->n_threads; i++)
		free(openmp->threads[i].contexts);
	free(openmp->threads);
	free(openmp);
}

void rfs_openmp_fork(struct rfs_openmp *openmp, int thread, rfs_addr function, rfs_addr data)
{
	struct team *team = xcalloc(1, sizeof(*team));

	team->master = thread;
	team->function = function;
	team->data = data;
	team->start = openmp->next_message++;
	team->end = openmp->next_message++;
	team->next = openmp->teams;
	openmp->teams = team;
	tell_message(openmp, RFS_EVENT_SEND, team->start);
}

/*
 * Several teams may execute the same function with the same data. A thread of libgomp belongs to the thread that
 * created it.
 */
static struct team *find_team(const struct rfs_openmp *openmp, int thread, int creator, rfs_addr function,
			      rfs_addr data)
{
	struct team *found = NULL;

	for (struct team *team = openmp->teams; team; team = team->next) {
		if (team->function != function || team->data != data)
			continue;
		if (team->master == thread || team->master == creator)
			return team;
		if (!found)
			found = team;
	}
	return found;
}

bool rfs_openmp_begin(struct rfs_openmp *openmp, int number, int creator, rfs_addr function, rfs_addr data)
{
	struct team *team = find_team(openmp, number, creator, function, data);
	struct thread *thread = openmp_thread_of(openmp, number);

	if (!team)
		return false;
	thread->contexts = xreallocarray(thread->contexts, thread->n + 1, sizeof(*thread->contexts));
	thread->contexts[thread->n++] = (struct context){
		.team = team,
		.task = new_task(openmp, NULL),
	};
	tell_message(openmp, RFS_EVENT_RECEIVE, team->start);
	return true;
}

void rfs_openmp_end(struct rfs_openmp *openmp, int thread)
{
	const struct context *context = openmp_context_of(openmp, thread);

	if (context)
		tell_message(openmp, RFS_EVENT_SEND, context->team->end);
}

static void receive_fulfilled(struct rfs_openmp *openmp)
{
	if (openmp->fulfilled)
		tell_message(openmp, RFS_EVENT_RECEIVE, openmp->fulfilled);
}

void rfs_openmp_join(struct rfs_openmp *openmp, int thread)
{
	struct team *team = openmp->teams;

	while (team && team->master != thread)
		team = team->next;
	if (!team)
		return;
	tell_message(openmp, RFS_EVENT_RECEIVE, team->end);
	receive_fulfilled(openmp);
	for (size_t i = 0; i < openmp->n_threads; i++)
		drop_contexts(openmp, &openmp->threads[i], team);
	forget_team(openmp, team);
}

rfs_addr rfs_openmp_region(const struct rfs_openmp *openmp, int number)
{
	const struct thread *thread = (size_t)number < openmp->n_threads ? &openmp->threads[number] : NULL;

	return thread && thread->n ? thread->contexts[thread->n - 1].team->function : 0;
}

/* ---- within a team ---- */

void rfs_openmp_arrive(struct rfs_openmp *openmp, int thread)
{
	const struct context *context = openmp_context_of(openmp, thread);

	if (context)
		tell_message(openmp, RFS_EVENT_SEND,
			     keyed_message(openmp, context->team, KEY_ROUND, context->rounds, 0));
}

void rfs_openmp_leave(struct rfs_openmp *openmp, int thread)
{
	struct context *context = openmp_context_of(openmp, thread);

	if (!context)
		return;
	tell_message(openmp, RFS_EVENT_RECEIVE, keyed_message(openmp, context->team, KEY_ROUND, context->rounds, 0));
	receive_fulfilled(openmp);
	context->rounds++;
}

void rfs_openmp_share(struct rfs_openmp *openmp, int thread)
{
	struct context *context = openmp_context_of(openmp, thread);

	if (context)
		context->shares++;
}

static void tell_keyed(struct rfs_openmp *openmp, int thread, enum rfs_event_kind event, uint64_t kind,
		       uint64_t address)
{
	const struct context *context = openmp_context_of(openmp, thread);

	if (context)
		tell_message(openmp, event, keyed_message(openmp, context->team, kind, context->shares, address));
}

void rfs_openmp_ordered_begin(struct rfs_openmp *openmp, int thread)
{
	tell_keyed(openmp, thread, RFS_EVENT_RECEIVE, KEY_ORDERED, 0);
}

void rfs_openmp_ordered_end(struct rfs_openmp *openmp, int thread)
{
	tell_keyed(openmp, thread, RFS_EVENT_SEND, KEY_ORDERED, 0);
}

void rfs_openmp_post(struct rfs_openmp *openmp, int thread, uint64_t iteration)
{
	tell_keyed(openmp, thread, RFS_EVENT_SEND, KEY_ITERATION, iteration);
}

bool rfs_openmp_posted(const struct rfs_openmp *openmp, int number, uint64_t iteration)
{
	const struct thread *thread = &openmp->threads[number];
	const struct context *context = &thread->contexts[thread->n - 1];

	return find_keyed(context->team, KEY_ITERATION, context->shares, iteration) != NULL;
}

void rfs_openmp_wait(struct rfs_openmp *openmp, int thread, uint64_t iteration)
{
	tell_keyed(openmp, thread, RFS_EVENT_RECEIVE, KEY_ITERATION, iteration);
}

/* ---- tasks ---- */

static void copy_depends(struct rfs_openmp_depend **out, size_t *n_out, const struct rfs_openmp_depend *depends,
			 size_t n)
{
	if (!n)
		return;
	*out = xcalloc(n, sizeof(**out));
	memcpy(*out, depends, n * sizeof(**out));
	*n_out = n;
}

void rfs_openmp_create(struct rfs_openmp *openmp, int thread, const struct rfs_openmp_task *made)
{
	const struct context *context = openmp_context_of(openmp, thread);
	struct creation *creation;

	if (!context)
		return;
	creation = xcalloc(1, sizeof(*creation));
	creation->parent = refer(context->task);
	creation->start = openmp->next_message++;
	creation->group = context->task->own ? context->task->own->message : context->task->group;
	creation->function = made->function;
	creation->creator = thread;
	creation->many = made->many;
	creation->open = true;
	creation->first = made->first;
	copy_depends(&creation->depends, &creation->n_depends, made->depends, made->n_depends);
	creation->next = context->team->creations;
	context->team->creations = creation;
	tell_message(openmp, RFS_EVENT_SEND, creation->start);
}

void rfs_openmp_created(struct rfs_openmp *openmp, int thread, uint64_t end)
{
	const struct context *context = openmp_context_of(openmp, thread);
	struct creation *creation = context ? context->team->creations : NULL;

	/* calls are nested if the task is executed at once, so the newest one returns first */
	while (creation && !(creation->open && creation->creator == thread))
		creation = creation->next;
	if (!creation)
		return;
	creation->open = false;
	creation->end = end;
	if (creation->begun && !creation->many)
		remove_creation(openmp, context->team, creation);
}

/* Messages of the tasks that a task with these dependences waits for, or that wait for it: see the head of the file. */
static void tell_depends(struct rfs_openmp *openmp, struct team *team, enum rfs_event_kind kind,
			 const struct task *parent, const struct rfs_openmp_depend *depends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool send = kind == RFS_EVENT_SEND;

		if (!send || depends[i].out)
			tell_message(openmp, kind,
				     keyed_message(openmp, team, KEY_OUT, parent->children, depends[i].address));
		if (send != depends[i].out)
			tell_message(openmp, kind,
				     keyed_message(openmp, team, KEY_IN, parent->children, depends[i].address));
	}
}

/* allocation: of the task's data, made by the thread `creator`; -1: the thread is in the creating call. */
static struct creation *find_creation(const struct context *context, int thread, rfs_addr function, int creator,
				      uint64_t allocation)
{
	for (struct creation *made = context->team->creations; made; made = made->next) {
		if (made->function != function || (made->begun && !made->many))
			continue;
		if (creator < 0 && made->open && made->creator == thread)
			return made;
		if (creator >= 0 && made->creator == creator && made->first <= allocation &&
		    (made->open || allocation < made->end))
			return made;
	}
	return NULL;
}

void rfs_openmp_task_begin(struct rfs_openmp *openmp, int thread, rfs_addr function, int creator, uint64_t allocation)
{
	struct context *context = openmp_context_of(openmp, thread);
	struct creation *made = NULL;
	struct task *task;

	if (!context)
		return;
	if (creator >= 0)
		made = find_creation(context, thread, function, creator, allocation);
	/* the block belongs to the program: the task is executed at once, with the program's own data */
	if (!made)
		made = find_creation(context, thread, function, -1, 0);
	context->executing = xreallocarray(context->executing, context->n_executing + 1, sizeof(*context->executing));
	context->executing[context->n_executing++] = context->task;
	task = context->task = new_task(openmp, made ? made->parent : context->task);
	if (!made)
		return;
	task->group = made->group;
	copy_depends(&task->depends, &task->n_depends, made->depends, made->n_depends);
	tell_message(openmp, RFS_EVENT_RECEIVE, made->start);
	if (task->n_depends) {
		tell_depends(openmp, context->team, RFS_EVENT_RECEIVE, task->parent, task->depends, task->n_depends);
		receive_fulfilled(openmp);
	}
	made->begun = true;
	if (!made->open && !made->many)
		remove_creation(openmp, context->team, made);
}

void rfs_openmp_task_end(struct rfs_openmp *openmp, int thread)
{
	struct context *context = openmp_context_of(openmp, thread);
	struct task *task;

	if (!context || !context->n_executing)
		return;
	task = context->task;
	context->task = context->executing[--context->n_executing];
	tell_message(openmp, RFS_EVENT_SEND, task->parent->children);
	tell_depends(openmp, context->team, RFS_EVENT_SEND, task->parent, task->depends, task->n_depends);
	if (task->group)
		tell_message(openmp, RFS_EVENT_SEND, task->group);
	rfs_openmp_arrive(openmp, thread);
	tell_message(openmp, RFS_EVENT_SEND, context->team->end);
	release_task(openmp, task);
}

void rfs_openmp_task_wait(struct rfs_openmp *openmp, int thread, const struct rfs_openmp_depend *depends, size_t n)
{
	const struct context *context = openmp_context_of(openmp, thread);

	if (!context)
		return;
	if (n)
		tell_depends(openmp, context->team, RFS_EVENT_RECEIVE, context->task, depends, n);
	else
		tell_message(openmp, RFS_EVENT_RECEIVE, context->task->children);
	receive_fulfilled(openmp);
}

void rfs_openmp_group_begin(struct rfs_openmp *openmp, int thread)
{
	struct context *context = openmp_context_of(openmp, thread);
	struct group *group;

	if (!context)
		return;
	group = xcalloc(1, sizeof(*group));
	group->outer = context->task->own;
	group->message = openmp->next_message++;
	context->task->own = group;
}

void rfs_openmp_group_end(struct rfs_openmp *openmp, int thread)
{
	struct context *context = openmp_context_of(openmp, thread);
	struct group *group = context ? context->task->own : NULL;

	if (!group)
		return;
	tell_message(openmp, RFS_EVENT_RECEIVE, group->message);
	receive_fulfilled(openmp);
	tell_message(openmp, RFS_EVENT_FORGET, group->message);
	context->task->own = group->outer;
	free(group);
}

void rfs_openmp_fulfil(struct rfs_openmp *openmp, int thread)
{
	(void)thread;
	if (!openmp->fulfilled)
		openmp->fulfilled = openmp->next_message++;
	tell_message(openmp, RFS_EVENT_SEND, openmp->fulfilled);
}
