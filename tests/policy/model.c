#include "tests/policy/model.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/hint.h"
#include "policy/core/op.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/store_buffer.h"
#include "tests/policy/machine.h"

/* If a thread executes so many invisible operations in a row, the program loops forever and the test aborts. */
#define MAX_INVISIBLE 10000000

static void emit(struct machine *machine, const struct rfs_event *event)
{
	if (machine->config->policy->event)
		machine->config->policy->event(machine->policy, event);
	for (size_t i = 0; i < MODEL_DETECTORS && machine->config->detectors[i]; i++)
		machine->config->detectors[i]->event(machine->detectors[i], event);
}

void machine_emit_op(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, struct rfs_op op)
{
	emit(machine, &(struct rfs_event){.kind = kind, .thread = thread->number, .op = op});
}

void machine_emit_message(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, uint64_t id)
{
	emit(machine, &(struct rfs_event){.kind = kind, .thread = thread->number, .message = id});
}

rfs_site machine_site(const struct machine *machine, const struct thread *thread)
{
	if (current(thread)->site)
		return current(thread)->site;
	return MODEL_SITE(thread->body - machine->program->bodies, thread->pc);
}

static uint64_t size_of(const struct model_op *op)
{
	return op->size ? op->size : 8;
}

static bool memory_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	memcpy(buf, (unsigned char *)arg + (address - MODEL_BASE), n);
	return true;
}

static bool memory_write(void *arg, rfs_addr address, const void *buf, size_t n)
{
	memcpy((unsigned char *)arg + (address - MODEL_BASE), buf, n);
	return true;
}

static struct rfs_model_memory memory_of(const struct machine *machine)
{
	return (struct rfs_model_memory){memory_read, memory_write, machine->result->memory};
}

/* ---- store buffers ---- */

static void show_buffer(const struct machine *machine, struct thread *thread)
{
	const struct rfs_model_memory memory = memory_of(machine);

	rfs_store_buffer_show(&thread->buffer, &memory);
}

static void hide_buffer(const struct machine *machine, struct thread *thread)
{
	const struct rfs_model_memory memory = memory_of(machine);

	rfs_store_buffer_hide(&thread->buffer, &memory);
}

static void flush(const struct machine *machine, struct thread *thread, size_t n)
{
	const struct rfs_model_memory memory = memory_of(machine);

	rfs_store_buffer_commit(&thread->buffer, &memory, n);
}

static void look_at_buffer(const struct thread *thread, struct rfs_thread_view *view)
{
	const struct rfs_store *store = &thread->buffer.stores[0];

	*view = (struct rfs_thread_view){.thread = RFS_STORE_BUFFER + (int)thread->number, .flags = RFS_THREAD_ENABLED};
	view->next = (struct rfs_op){
		.kind = RFS_OP_ACCESS,
		.access = RFS_ACCESS_WRITE | RFS_ACCESS_FLUSH,
		.peer = -1,
		.site = store->site,
		.object = store->address,
		.size = store->size,
	};
}

static int64_t value_of(const struct machine *machine, const struct model_op *op)
{
	int64_t value = 0;

	memcpy(&value, machine->result->memory + op->object, size_of(op));
	return value;
}

static int64_t load(struct machine *machine, struct thread *thread, const struct model_op *op)
{
	flush(machine, thread, rfs_store_buffer_before_load(&thread->buffer, MODEL_BASE + op->object, size_of(op)));
	return value_of(machine, op);
}

static void store(struct machine *machine, struct thread *thread, const struct model_op *op, int64_t value, bool plain)
{
	unsigned char *bytes = machine->result->memory + op->object, under[sizeof(value)];
	struct rfs_op access = {.site = machine_site(machine, thread)};
	bool visible =
		machine->config->all_accesses ||
		(access.site && (machine->config->pair[0] == access.site || machine->config->pair[1] == access.site));
	struct rfs_store *entry;

	memcpy(under, bytes, size_of(op));
	memcpy(bytes, &value, size_of(op));
	if (!machine->config->tso || !plain || (!visible && !thread->buffer.n))
		return;
	entry = rfs_store_buffer_add(&thread->buffer, MODEL_BASE + op->object, size_of(op), under, &value);
	entry->site = access.site;
	entry->follows = !visible;
}

/* The access that the thread is parked before. False if its operation is not an access. */
static bool next_access(const struct machine *machine, const struct thread *thread, struct rfs_op *out)
{
	const struct model_op *op = current(thread);
	uint64_t size = size_of(op), half = size / 2;
	unsigned access;

	*out = (struct rfs_op){.kind = RFS_OP_ACCESS, .peer = -1, .object = MODEL_BASE + op->object, .size = size};
	switch (op->code) {
	case M_READ:
		access = RFS_ACCESS_READ | RFS_ACCESS_ALIGNED_MOVE;
		break;
	case M_SPIN:
		access = RFS_ACCESS_READ | RFS_ACCESS_ALIGNED_MOVE;
		out->kind = RFS_OP_SPIN_READ;
		break;
	case M_WRITE:
	case M_STORE:
		access = RFS_ACCESS_WRITE | RFS_ACCESS_ALIGNED_MOVE;
		break;
	case M_INC:
		access = RFS_ACCESS_RMW | (thread->stage == STAGE_SECOND ? RFS_ACCESS_WRITE : RFS_ACCESS_READ);
		break;
	case M_ATOMIC_INC:
		access = RFS_ACCESS_READ | RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC;
		break;
	case M_FILL:
		access = RFS_ACCESS_WRITE | RFS_ACCESS_RANGE;
		if (thread->stage == STAGE_SECOND) {
			out->object += half;
			out->size -= half;
		}
		break;
	case M_FREE:
		access = RFS_ACCESS_WRITE | RFS_ACCESS_FREE;
		break;
	case M_FENCE:
		if (!thread->buffer.n)
			return false;
		access = RFS_ACCESS_WRITE | RFS_ACCESS_FLUSH | RFS_ACCESS_ATOMIC;
		out->object = thread->buffer.stores[0].address;
		out->size = thread->buffer.stores[0].size;
		break;
	default:
		return false;
	}
	out->access = access;
	out->site = machine_site(machine, thread);
	for (int i = 0; i < 2; i++)
		out->statements |= machine->config->pair[i] == out->site && out->site ? 1u << i : 0;
	if (out->statements && machine->config->address &&
	    MODEL_BASE + machine->config->address - 1 - out->object < out->size)
		out->statements |= RFS_AT_ADDRESS;
	return true;
}

static void go_on(struct thread *thread)
{
	thread->pc++;
	thread->stage = STAGE_FIRST;
	thread->sync.wait = (struct rfs_wait){0};
}

static void access_memory(struct machine *machine, struct thread *thread)
{
	const struct model_op *op = current(thread);
	uint64_t half = size_of(op) / 2;
	struct rfs_op access;
	bool split;

	next_access(machine, thread, &access);
	if (op->code == M_FENCE) {
		flush(machine, thread, thread->buffer.n);
		go_on(thread);
		return;
	}
	split = access.statements || machine->config->all_accesses;
	machine_emit_op(machine, RFS_EVENT_ACCESS, thread, access);
	switch (op->code) {
	case M_READ:
	case M_SPIN:
		thread->registers[op->reg] = load(machine, thread, op);
		break;
	case M_WRITE:
		store(machine, thread, op, op->value, true);
		break;
	case M_STORE:
		store(machine, thread, op, thread->registers[op->reg], true);
		break;
	case M_INC:
		if (thread->stage != STAGE_SECOND) {
			thread->read = load(machine, thread, op);
			thread->stage = STAGE_SECOND;
			return;
		}
		store(machine, thread, op, thread->read + 1, true);
		break;
	case M_ATOMIC_INC:
		flush(machine, thread, thread->buffer.n);
		store(machine, thread, op, load(machine, thread, op) + 1, false);
		break;
	case M_FILL:
		flush(machine, thread, thread->buffer.n);
		if (split && half && thread->stage != STAGE_SECOND) {
			memset(machine->result->memory + op->object, op->value, half);
			thread->stage = STAGE_SECOND;
			return;
		}
		if (thread->stage == STAGE_SECOND)
			memset(machine->result->memory + op->object + half, op->value, size_of(op) - half);
		else
			memset(machine->result->memory + op->object, op->value, size_of(op));
		break;
	default:
		break;
	}
	go_on(thread);
}

/* Executes one invisible operation: no other thread can notice when it happens. If the next one is visible, false. */
static bool step_invisible(struct machine *machine, struct thread *thread)
{
	const struct model_op *op = current(thread);
	struct rfs_op access;

	if (next_access(machine, thread, &access)) {
		if (machine->config->all_accesses || access.statements || (access.access & RFS_ACCESS_ATOMIC) ||
		    access.kind == RFS_OP_SPIN_READ)
			return false;
		access_memory(machine, thread);
		return true;
	}
	switch (op->code) {
	case M_SET:
		thread->registers[op->reg] = op->value;
		break;
	case M_ADD:
		thread->registers[op->reg] += op->value;
		break;
	case M_IF:
	case M_UNLESS:
		if ((thread->registers[op->reg] == op->value) == (op->code == M_IF)) {
			thread->pc = op->target;
			return true;
		}
		break;
	case M_GOTO:
		thread->pc = op->target;
		return true;
	case M_ERROR:
		machine->failed = true;
		machine->result->error = op->value;
		break;
	case M_FENCE: /* there is nothing to flush */
		break;
	case M_RESET:
		machine_emit_op(machine, RFS_EVENT_RESET, thread,
				(struct rfs_op){.peer = -1, .object = MODEL_BASE + op->object, .size = size_of(op)});
		break;
	default:
		return false;
	}
	thread->pc++;
	return true;
}

static void advance(struct machine *machine, struct thread *thread)
{
	for (int i = 0; i < MAX_INVISIBLE; i++) {
		if (machine->failed || thread->pc == thread->body->n || !step_invisible(machine, thread))
			return;
	}
	abort(); /* the test's program loops without a visible operation */
}

static struct thread *add_thread(struct machine *machine, size_t body, int creator)
{
	struct thread *thread = &machine->threads[machine->n_threads];

	if (machine->n_threads == MODEL_THREADS)
		abort();
	*thread = (struct thread){.body = &machine->program->bodies[body], .number = machine->n_threads++};
	thread->sync.tid = (pid_t)thread->number + 1;
	rfs_sync_add(&machine->sync, &thread->sync);
	machine_emit_op(machine, RFS_EVENT_THREAD, thread, (struct rfs_op){.peer = creator});
	return thread;
}

/* Fills *view with the thread's next visible operation and its flags. */
static void look(struct machine *machine, struct thread *thread, struct rfs_thread_view *view)
{
	static const enum rfs_op_kind kinds[] = {
		[M_LOCK] = RFS_OP_LOCK,
		[M_TRYLOCK] = RFS_OP_TRYLOCK,
		[M_TIMEDLOCK] = RFS_OP_LOCK,
		[M_UNLOCK] = RFS_OP_UNLOCK,
		[M_RDLOCK] = RFS_OP_RDLOCK,
		[M_WRLOCK] = RFS_OP_WRLOCK,
		[M_RWUNLOCK] = RFS_OP_UNLOCK,
		[M_COND_WAIT] = RFS_OP_COND_WAIT,
		[M_COND_TIMEDWAIT] = RFS_OP_COND_WAIT,
		[M_SIGNAL] = RFS_OP_COND_SIGNAL,
		[M_BROADCAST] = RFS_OP_COND_BROADCAST,
		[M_SEM_WAIT] = RFS_OP_SEM_WAIT,
		[M_SEM_POST] = RFS_OP_SEM_POST,
		[M_BARRIER] = RFS_OP_BARRIER_WAIT,
		[M_CREATE] = RFS_OP_CREATE,
		[M_JOIN] = RFS_OP_JOIN,
		[M_YIELD] = RFS_OP_YIELD,
		[M_SLEEP] = RFS_OP_SLEEP,
	};
	const struct model_op *op = current(thread);

	*view = (struct rfs_thread_view){.thread = thread->number};
	if (thread->yielded)
		view->flags |= RFS_THREAD_YIELDED;
	if (thread->stage == STAGE_START || thread->pc == thread->body->n) {
		view->next.kind = thread->stage == STAGE_START ? RFS_OP_START : RFS_OP_EXIT;
		view->next.peer = -1;
		view->flags |= RFS_THREAD_ENABLED;
		return;
	}
	if (next_access(machine, thread, &view->next)) {
		if (op->code != M_SPIN || value_of(machine, op) == op->value)
			view->flags |= RFS_THREAD_ENABLED;
		return;
	}
	view->next = (struct rfs_op){
		.kind = kinds[op->code],
		.peer = -1,
		.site = machine_site(machine, thread),
		.object = address_of(op->object),
	};
	if (machine->config->held && machine->config->held == view->next.site)
		view->next.statements |= RFS_AT_HELD;
	switch (op->code) {
	case M_COND_WAIT:
	case M_COND_TIMEDWAIT:
		view->next.object2 = address_of(op->object2);
		if (thread->stage == STAGE_ASLEEP)
			view->next.kind = RFS_OP_COND_WAKE;
		break;
	case M_BARRIER:
		if (thread->stage == STAGE_SECOND)
			view->next.kind = RFS_OP_BARRIER_LEAVE;
		break;
	case M_JOIN:
		view->next.object = 0;
		view->next.peer = thread->registers[op->reg];
		break;
	case M_RWUNLOCK:
		for (size_t i = 0; i < thread->sync.n_holds; i++)
			if (thread->sync.holds[i].lock == view->next.object &&
			    thread->sync.holds[i].kind == RFS_OP_RDLOCK)
				view->next.access = RFS_ACCESS_READ;
		break;
	case M_SLEEP:
		view->next.object = 0;
		if (op->value > machine->horizon)
			return;
		view->flags |= RFS_THREAD_SLEEPS;
		view->due = (uint64_t)op->value;
		break;
	case M_CREATE:
	case M_YIELD:
		view->next.object = 0;
		break;
	default:
		break;
	}
	view->flags |= machine_sync_flags(machine, thread);
	if (op->code == M_LOCK || op->code == M_RDLOCK || op->code == M_WRLOCK)
		view->lock_class = address_of(op->object);
	if (machine->config->n_cycle)
		view->cycle = machine_cycle_place(machine, thread);
}

/* Executes the visible operation that the thread is parked before. */
static void execute(struct machine *machine, struct thread *thread, const struct rfs_choice *choice)
{
	const struct model_op *op = current(thread);
	struct rfs_op access;

	if (thread->stage == STAGE_START) {
		thread->stage = STAGE_FIRST;
		return;
	}
	if (thread->pc == thread->body->n) {
		flush(machine, thread, thread->buffer.n);
		machine_sync_ended(machine, thread);
		thread->stage = STAGE_ENDED;
		return;
	}
	if (next_access(machine, thread, &access)) {
		access_memory(machine, thread);
		return;
	}
	/* the functions of the C library are not watched, so nothing is delayed in them */
	flush(machine, thread, thread->buffer.n);
	if (op->code == M_CREATE) {
		struct thread *created = add_thread(machine, op->value, thread->number);

		created->stage = STAGE_START;
		thread->registers[op->reg] = created->number;
	} else if (!machine_sync_execute(machine, thread, choice)) {
		return;
	}
	go_on(thread);
}

static const struct rfs_thread_view *view_of(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	}
	return NULL;
}

/* Says what is wrong with a choice. NULL if it is valid. */
static const char *judge(const struct rfs_view *view, const struct rfs_choice *choice)
{
	const struct rfs_thread_view *thread = view_of(view, choice->thread);

	if (!thread)
		return "no such thread";
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT && !(thread->flags & RFS_THREAD_CAN_TIME_OUT))
		return "cannot time out";
	if (choice->outcome == RFS_OUTCOME_DONE && !(thread->flags & RFS_THREAD_ENABLED))
		return "not enabled";
	if (choice->waiter >= 0) {
		const struct rfs_thread_view *waiter = view_of(view, choice->waiter);

		if (thread->next.kind != RFS_OP_COND_SIGNAL || !waiter || waiter->next.kind != RFS_OP_COND_WAKE ||
		    waiter->next.object != thread->next.object || (waiter->flags & RFS_THREAD_WOKEN))
			return "waiter does not wait";
	}
	if (choice->race[0] >= 0 || choice->race[1] >= 0) {
		const struct rfs_thread_view *a = view_of(view, choice->race[0]), *b = view_of(view, choice->race[1]);

		if (!a || !b || a == b || !rfs_ops_race(&a->next, &b->next))
			return "no race";
		if (choice->thread != choice->race[0] && choice->thread != choice->race[1])
			return "race resolved by a third thread";
	}
	return NULL;
}

static void record(struct machine *machine, const struct rfs_choice *choice)
{
	struct model_result *result = machine->result;

	if (result->n_steps == machine->steps_capacity) {
		machine->steps_capacity = machine->steps_capacity ? machine->steps_capacity * 2 : 64;
		result->steps = realloc(result->steps, machine->steps_capacity * sizeof(*result->steps));
		if (!result->steps)
			abort();
	}
	result->steps[result->n_steps++] = (struct model_step){
		choice->thread,
		choice->outcome,
		choice->waiter,
		{choice->race[0], choice->race[1]},
	};
	result->n_races += choice->race[0] >= 0;
}

struct machine_view {
	struct rfs_view view;
	const struct machine *machine;
};

static size_t stack_of(const struct rfs_view *view, int number, rfs_addr *out, size_t max)
{
	const struct machine *machine = ((const struct machine_view *)view)->machine;
	const struct thread *thread = &machine->threads[number];
	size_t n = 0;

	if (number >= RFS_STORE_BUFFER)
		return 0;
	if (thread->stage != STAGE_START && thread->pc < thread->body->n && current(thread)->function && n < max)
		out[n++] = current(thread)->function;
	if (n < max)
		out[n++] = MODEL_FUNCTION(thread->body - machine->program->bodies);
	return n;
}

static void take_hint(struct machine *machine, const struct rfs_view *view, const struct rfs_choice *choice)
{
	machine->hint = (struct rfs_hint){choice->thread, choice->hint, choice->steady};
	machine->hint_alive = view->n_threads;
	if (choice->thread >= RFS_STORE_BUFFER)
		machine->hint.left = 0;
	for (size_t i = 0; i < view->n_threads && view->threads[i].thread < RFS_STORE_BUFFER; i++)
		machine->hint_flags[view->threads[i].thread] = view->threads[i].flags;
}

/* Whether a thread waits for a signal of a condition variable. */
static bool is_waited_for(const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].next.kind == RFS_OP_COND_WAKE && !(view->threads[i].flags & RFS_THREAD_WOKEN))
			return true;
	return false;
}

/* If the policy has RFS_POLICY_SINGLE and only one thread can be chosen, chooses it without the policy. */
static bool single(struct machine *machine, const struct rfs_view *view, struct rfs_choice *choice)
{
	const struct rfs_hint alone = {.left = 1, .steady = true};
	const struct rfs_thread_view *only = NULL;

	if (!(machine->config->policy->flags & RFS_POLICY_SINGLE))
		return false;
	for (size_t i = 0; i < view->n_threads; i++) {
		if (!(view->threads[i].flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT)))
			continue;
		if (only)
			return false;
		only = &view->threads[i];
	}
	if (!rfs_hint_holds(&alone, only, is_waited_for(view)))
		return false;
	choice->thread = only->thread;
	machine->hint.left = 0;
	return true;
}

/* Makes the choice without the policy, if a hint allows it. Otherwise returns false. */
static bool hinted(struct machine *machine, const struct rfs_view *view, struct rfs_choice *choice)
{
	const int thread = machine->hint.thread;
	bool steady = view->n_threads == machine->hint_alive;

	if (!machine->config->hints)
		return false;
	if (single(machine, view, choice))
		return true;
	if (!machine->hint.left)
		return false;
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (t->thread == thread)
			steady &= rfs_hint_holds(&machine->hint, t, is_waited_for(view));
		else
			steady &= !machine->hint.steady || t->thread >= RFS_STORE_BUFFER ||
				  t->flags == machine->hint_flags[t->thread];
	}
	machine->hint.left = steady ? machine->hint.left - 1 : 0;
	choice->thread = thread;
	return steady;
}

/* The next moment after the horizon until which a thread sleeps; 0: there is none. */
static int64_t next_due(const struct machine *machine)
{
	int64_t due = 0;

	for (size_t i = 0; i < machine->n_threads; i++) {
		const struct thread *thread = &machine->threads[i];

		if (thread->stage != STAGE_FIRST || thread->pc == thread->body->n || current(thread)->code != M_SLEEP ||
		    current(thread)->value <= machine->horizon)
			continue;
		if (!due || current(thread)->value < due)
			due = current(thread)->value;
	}
	return due;
}

/* Tells the policy what the threads of a deadlock wait for. */
static void tell_left(struct machine *machine, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads && machine->config->policy->event; i++)
		machine->config->policy->event(machine->policy, &(struct rfs_event){.kind = RFS_EVENT_LEFT,
										    .thread = view->threads[i].thread,
										    .op = view->threads[i].next});
}

/* A store becomes visible: detectors have learnt of it when the thread executed it. */
static void tell_policy(struct machine *machine, const struct rfs_choice *choice, const struct rfs_op *op)
{
	if (machine->config->policy->event)
		machine->config->policy->event(
			machine->policy, &(struct rfs_event){RFS_EVENT_OP, choice->outcome, choice->thread, 0, *op});
}

/* One turn of the loop; false when the run has ended. */
static bool turn(struct machine *machine, struct rfs_thread_view *threads)
{
	struct machine_view own = {{.step = machine->result->n_steps, .threads = threads, .stack = stack_of}, machine};
	struct rfs_view *view = &own.view;
	struct rfs_choice choice = {.thread = -1, .waiter = -1, .race = {-1, -1}};
	struct model_result *result = machine->result;
	const struct rfs_thread_view *chosen;
	struct thread *thread;
	bool any = false;

	for (size_t i = 0; i < machine->n_threads; i++) {
		if (machine->threads[i].stage == STAGE_ENDED)
			continue;
		show_buffer(machine, &machine->threads[i]);
		look(machine, &machine->threads[i], &threads[view->n_threads]);
		hide_buffer(machine, &machine->threads[i]);
		any |= threads[view->n_threads++].flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT);
	}
	for (size_t i = 0; i < machine->n_threads; i++) {
		if (!machine->threads[i].buffer.n)
			continue;
		look_at_buffer(&machine->threads[i], &threads[view->n_threads++]);
		any = true;
	}
	if (!machine->failed && !any && next_due(machine)) {
		machine->horizon = next_due(machine);
		return true;
	}
	if (machine->failed || view->n_threads == 0 || !any) {
		result->end = machine->failed ? MODEL_ERROR : view->n_threads ? MODEL_DEADLOCK : MODEL_DONE;
		if (result->end == MODEL_DEADLOCK)
			tell_left(machine, view);
		return false;
	}
	if (result->n_steps == machine->config->max_steps) {
		result->end = MODEL_STEPS;
		return false;
	}
	view->time_can_pass = next_due(machine) > 0;
	view->due = (uint64_t)next_due(machine);
	view->time = (uint64_t)machine->horizon;
	view->sleep_race = machine->config->sleep_race ? machine->config->sleep_race : UINT64_MAX;
	if (!hinted(machine, view, &choice)) {
		int error = machine->config->policy->pick(machine->policy, view, &choice);

		result->n_picks++;
		if (choice.thread == RFS_TIME_PASSES && view->time_can_pass) {
			machine->horizon = next_due(machine);
			return true;
		}
		result->complaint = error ? "pick failed" : judge(view, &choice);
		take_hint(machine, view, &choice);
	}
	if (result->complaint) {
		result->end = MODEL_BAD_CHOICE;
		return false;
	}
	record(machine, &choice);
	chosen = view_of(view, choice.thread);
	for (int i = 0; i < 2; i++)
		result->reached[i] += chosen->next.statements >> i & 1;
	/* like rfs_executed(): a thread that yields does not end the yields of others */
	for (size_t i = 0; i < machine->n_threads; i++)
		if (i == (size_t)choice.thread || chosen->next.kind != RFS_OP_YIELD)
			machine->threads[i].yielded = i == (size_t)choice.thread && chosen->next.kind == RFS_OP_YIELD;
	if (choice.thread >= RFS_STORE_BUFFER) {
		thread = &machine->threads[choice.thread - RFS_STORE_BUFFER];
		flush(machine, thread, rfs_store_buffer_next(&thread->buffer));
		tell_policy(machine, &choice, &chosen->next);
		return true;
	}
	thread = &machine->threads[choice.thread];
	show_buffer(machine, thread);
	execute(machine, thread, &choice);
	emit(machine, &(struct rfs_event){RFS_EVENT_OP, choice.outcome, choice.thread, 0, chosen->next});
	/*
	 * A thread in a second stage is still at the same operation. Otherwise invisible operations may come before the
	 * next one.
	 */
	if (thread->stage == STAGE_FIRST)
		advance(machine, thread);
	hide_buffer(machine, thread);
	return true;
}

static void take_stat(void *arg, const char *key, uint64_t value)
{
	struct model_result *result = arg;

	if (strcmp(key, "races") == 0)
		result->stat_races = value;
	else if (strcmp(key, "postponed") == 0)
		result->stat_postponed = value;
	else if (strcmp(key, "releases") == 0)
		result->stat_releases = value;
	else if (strcmp(key, "livelocks") == 0)
		result->stat_livelocks = value;
	else if (strcmp(key, "thrashings") == 0)
		result->stat_thrashings = value;
	else if (strcmp(key, "exhausted") == 0)
		result->stat_exhausted = value;
	else if (strcmp(key, "missed") == 0)
		result->stat_missed = value;
	else if (strcmp(key, "cycles") == 0)
		result->stat_cycles = value;
	else if (strcmp(key, "violations") == 0)
		result->stat_violations = value;
	else if (strcmp(key, "steps") == 0)
		result->stat_steps = value;
}

struct collecting {
	struct model_pair **pairs;
	size_t *n;
};

static void take_pair(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b)
{
	struct collecting *to = arg;

	*to->pairs = realloc(*to->pairs, (*to->n + 1) * sizeof(**to->pairs));
	if (!*to->pairs)
		abort();
	(*to->pairs)[(*to->n)++] = (struct model_pair){a->site, b->site};
}

void model_run(const struct model_program *program, const struct model_config *given, struct model_result *out)
{
	struct model_config config = *given;
	struct machine *machine = calloc(1, sizeof(*machine));
	struct rfs_thread_view threads[2 * MODEL_THREADS];
	const struct rfs_policy_args args = {.seed = config.seed, .options = config.options, .blob = config.blob};

	memset(out, 0, sizeof(*out));
	if (!machine)
		abort();
	if (!config.max_steps)
		config.max_steps = 1000000;
	*machine = (struct machine){.program = program, .config = &config, .result = out};
	if (config.policy->init(&machine->policy, &args))
		abort();
	for (size_t i = 0; i < MODEL_DETECTORS && config.detectors[i]; i++) {
		if (config.detectors[i]->init(&machine->detectors[i], &(struct rfs_policy_args){.seed = config.seed}))
			abort();
	}
	for (size_t i = 0; i < program->n_started; i++)
		add_thread(machine, i, -1);
	for (size_t i = 0; i < program->n_started; i++) {
		advance(machine, &machine->threads[i]);
		hide_buffer(machine, &machine->threads[i]);
	}
	while (turn(machine, threads))
		;
	if (config.policy->stats)
		config.policy->stats(machine->policy, take_stat, out);
	if (config.saved && config.policy->save && config.policy->save(machine->policy, config.saved))
		abort();
	if (config.policy->fini)
		config.policy->fini(machine->policy);
	for (size_t i = 0; i < MODEL_DETECTORS && config.detectors[i]; i++) {
		config.detectors[i]->report(machine->detectors[i], take_pair,
					    &(struct collecting){&out->pairs[i], &out->n_pairs[i]});
		config.detectors[i]->fini(machine->detectors[i]);
	}
	for (size_t i = 0; i < machine->n_threads; i++)
		rfs_store_buffer_release(&machine->threads[i].buffer);
	rfs_sync_release(&machine->sync);
	free(machine);
}

void model_release(struct model_result *result)
{
	free(result->steps);
	for (size_t i = 0; i < MODEL_DETECTORS; i++)
		free(result->pairs[i]);
	memset(result, 0, sizeof(*result));
}

int64_t model_value(const struct model_result *result, uint64_t offset)
{
	int64_t value;

	memcpy(&value, result->memory + offset, sizeof(value));
	return value;
}
