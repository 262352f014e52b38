#include <string.h>

#include "policy/detect/lock_graph.h"
#include "supervisor/model/barrier.h"
#include "supervisor/model/cond.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/model/wait.h"
#include "tests/policy/machine.h"

static unsigned char *at(struct machine *machine, rfs_addr address, size_t n)
{
	const rfs_addr offset = address - MODEL_OBJECT_BASE;

	return offset <= sizeof(machine->objects) - n ? machine->objects + offset : NULL;
}

static bool read_object(void *machine, rfs_addr address, void *buf, size_t n)
{
	const unsigned char *from = at(machine, address, n);

	if (from)
		memcpy(buf, from, n);
	return from != NULL;
}

static bool write_object(void *machine, rfs_addr address, const void *buf, size_t n)
{
	unsigned char *to = at(machine, address, n);

	if (to)
		memcpy(to, buf, n);
	return to != NULL;
}

static struct rfs_model_memory memory_of(struct machine *machine)
{
	return (struct rfs_model_memory){read_object, write_object, machine};
}

static struct thread *thread_at(struct machine *machine, int number)
{
	return &machine->threads[number];
}

static enum rfs_lock_type type_of(enum model_code code)
{
	return code == M_RDLOCK ? RFS_LOCK_READ : code == M_WRLOCK ? RFS_LOCK_WRITE : RFS_LOCK_MUTEX;
}

/* Writes to memory what the C library writes when a thread acquires a free lock. */
static void write_locked(struct machine *machine, const struct thread *thread, enum rfs_lock_type type, rfs_addr lock)
{
	struct rfs_mutex_memory mutex = {.lock = 1, .owner = thread->sync.tid};
	struct rfs_rwlock_memory rwlock = {0};

	if (type == RFS_LOCK_MUTEX) {
		write_object(machine, lock, &mutex, sizeof(mutex));
		return;
	}
	read_object(machine, lock, &rwlock, sizeof(rwlock));
	if (type == RFS_LOCK_READ) {
		rwlock.readers += 1u << RFS_RWLOCK_READER_SHIFT;
	} else {
		rwlock.readers |= RFS_RWLOCK_WRLOCKED;
		rwlock.cur_writer = thread->sync.tid;
	}
	write_object(machine, lock, &rwlock, sizeof(rwlock));
}

static void write_unlocked(struct machine *machine, bool mutex, rfs_addr lock)
{
	const struct rfs_mutex_memory unlocked = {0};
	struct rfs_rwlock_memory rwlock;

	if (mutex) {
		write_object(machine, lock, &unlocked, sizeof(unlocked));
		return;
	}
	read_object(machine, lock, &rwlock, sizeof(rwlock));
	if (rwlock.readers & RFS_RWLOCK_WRLOCKED)
		rwlock = (struct rfs_rwlock_memory){0};
	else if (rwlock.readers)
		rwlock.readers -= 1u << RFS_RWLOCK_READER_SHIFT;
	write_object(machine, lock, &rwlock, sizeof(rwlock));
}

static void acquire(struct machine *machine, struct thread *thread, enum rfs_lock_type type, rfs_addr lock)
{
	const enum rfs_op_kind kind = type == RFS_LOCK_READ ? RFS_OP_RDLOCK : RFS_OP_LOCK;
	const enum model_code code = current(thread)->code;
	const unsigned how = (type == RFS_LOCK_READ ? RFS_LOCK_SHARED : 0) |
			     (code == M_TRYLOCK || code == M_TIMEDLOCK ? RFS_LOCK_NEVER_WAITS : 0);

	write_locked(machine, thread, type, lock);
	thread->acquired_at[(lock - MODEL_OBJECT_BASE) / MODEL_OBJECT_SIZE] = machine_site(machine, thread);
	if (rfs_sync_acquire(&thread->sync, lock, kind))
		machine_emit_op(machine, RFS_EVENT_ACQUIRE, thread,
				(struct rfs_op){.kind = kind,
						.access = how,
						.peer = -1,
						.site = machine_site(machine, thread),
						.object = lock});
}

/* Acquires the lock if it is free. Otherwise returns false. */
static bool try_lock(struct machine *machine, struct thread *thread, rfs_addr lock)
{
	const struct rfs_model_memory memory = memory_of(machine);
	struct rfs_lock_state state = rfs_wait_lock(&machine->sync, &thread->sync, &memory, RFS_LOCK_MUTEX, lock);

	if (state.acquires)
		acquire(machine, thread, RFS_LOCK_MUTEX, lock);
	return state.acquires;
}

static void release(struct machine *machine, const struct thread *thread, bool mutex, rfs_addr lock)
{
	const int holder = rfs_sync_unlocks(&machine->sync, &thread->sync, lock);
	enum rfs_op_kind kind;

	write_unlocked(machine, mutex, lock);
	if (holder >= 0 && rfs_sync_release_lock(&thread_at(machine, holder)->sync, lock, &kind))
		machine_emit_op(machine, RFS_EVENT_RELEASE, thread_at(machine, holder),
				(struct rfs_op){.kind = kind, .peer = -1, .object = lock});
}

/* Receives a message. With `last`, no other thread will receive it, so it is forgotten. */
static void receive(struct machine *machine, struct thread *thread, uint64_t id, bool last)
{
	machine_emit_message(machine, RFS_EVENT_RECEIVE, thread, id);
	if (last)
		machine_emit_message(machine, RFS_EVENT_FORGET, thread, id);
}

/* What the thread waits for, from its current operation and stage. */
static struct rfs_wait wait_of(const struct thread *thread)
{
	const struct model_op *op = current(thread);
	struct rfs_wait wait = {.object = address_of(op->object)};

	switch (op->code) {
	case M_LOCK:
	case M_TIMEDLOCK:
	case M_RDLOCK:
	case M_WRLOCK:
		wait.kind = RFS_WAIT_LOCK;
		wait.lock = type_of(op->code);
		wait.timed = op->code == M_TIMEDLOCK;
		break;
	case M_COND_WAIT:
	case M_COND_TIMEDWAIT:
		wait.kind = thread->stage == STAGE_ASLEEP ? RFS_WAIT_COND : RFS_WAIT_NOTHING;
		wait.timed = op->code == M_COND_TIMEDWAIT;
		break;
	case M_SEM_WAIT:
		wait.kind = RFS_WAIT_SEMAPHORE;
		break;
	case M_BARRIER:
		if (thread->stage == STAGE_SECOND)
			return thread->sync.wait; /* the wait was set at the arrival, with its round */
		break;
	case M_JOIN:
		wait.kind = RFS_WAIT_JOIN;
		wait.peer = (size_t)thread->registers[op->reg];
		break;
	default:
		break;
	}
	return wait;
}

/* Whether the thread holds the outer lock of the part, and acquired it there. */
static bool holds_outer(const struct thread *thread, const struct rfs_lock_cycle_part *part)
{
	return !part->held.lock ||
	       (rfs_sync_holds(&thread->sync, part->held.lock) &&
		thread->acquired_at[(part->held.lock - MODEL_OBJECT_BASE) / MODEL_OBJECT_SIZE] == part->held.site);
}

const struct rfs_cycle_place *machine_cycle_place(struct machine *machine, struct thread *thread)
{
	const struct model_config *config = machine->config;
	const rfs_site site = machine_site(machine, thread);
	const rfs_addr wanted = address_of(current(thread)->object);
	struct rfs_cycle_place *place = &thread->place;

	*place = (struct rfs_cycle_place){.n_parts = (unsigned)config->n_cycle, .wanted = wanted, .held = thread->held};
	for (size_t i = 0; i < config->n_cycle; i++) {
		const struct rfs_lock_cycle_part *part = &config->cycle[i];

		if (part->held.site == site && part->held.lock == wanted)
			place->outer |= 1u << i;
		if (part->wanted.site == site && part->wanted.lock == wanted && holds_outer(thread, part))
			place->inner |= 1u << i;
		if (!part->held.lock)
			place->behind |= 1u << i;
	}
	for (size_t i = 0; i < thread->sync.n_holds; i++)
		thread->held[place->n_held++] = thread->sync.holds[i].lock;
	return place->outer || place->inner ? place : NULL;
}

unsigned machine_sync_flags(struct machine *machine, struct thread *thread)
{
	const struct rfs_model_memory memory = memory_of(machine);
	unsigned flags = 0;

	thread->sync.wait = wait_of(thread);
	if (rfs_sync_woken(&thread->sync))
		flags |= RFS_THREAD_WOKEN;
	if (thread->sync.wait.kind == RFS_WAIT_NOTHING)
		return flags | RFS_THREAD_ENABLED;
	switch (rfs_wait_look(&machine->sync, &thread->sync, &memory)) {
	case RFS_WAIT_GOES_ON:
		return flags | (thread->sync.wait.timed ? RFS_THREAD_CAN_TIME_OUT : 0);
	case RFS_WAIT_OVER:
		flags |= thread->sync.wait.timed ? RFS_THREAD_CAN_TIME_OUT | RFS_THREAD_READY : 0;
		return flags | RFS_THREAD_ENABLED;
	case RFS_WAIT_WOKEN:
		return flags | RFS_THREAD_ENABLED;
	case RFS_WAIT_BLOCKED:
		break;
	}
	return flags;
}

static bool wait_on_condition(struct machine *machine, struct thread *thread)
{
	const struct model_op *op = current(thread);
	const rfs_addr mutex = address_of(op->object2);
	const struct rfs_cond_wait *cond = &thread->sync.cond;

	if (thread->stage != STAGE_ASLEEP) {
		release(machine, thread, true, mutex);
		rfs_cond_sleep(&machine->sync, &thread->sync, address_of(op->object), mutex);
		thread->stage = STAGE_ASLEEP;
		return false;
	}
	if (cond->signalled)
		receive(machine, thread, message(MESSAGE_SIGNAL, cond->message),
			rfs_cond_message_is_last(&machine->sync, &thread->sync, cond->message));
	thread->registers[op->reg] = cond->signalled;
	thread->sync.cond.active = false;
	acquire(machine, thread, RFS_LOCK_MUTEX, mutex);
	return true;
}

static void signal_condition(struct machine *machine, struct thread *thread, const struct rfs_choice *choice)
{
	const rfs_addr cond = address_of(current(thread)->object);
	const uint64_t number = machine->sync.next_message++;
	bool woken;

	if (current(thread)->code == M_BROADCAST)
		woken = rfs_cond_broadcast(&machine->sync, cond, number) > 0;
	else
		woken = rfs_cond_signal(&machine->sync, cond, choice->waiter, number);
	if (woken)
		machine_emit_message(machine, RFS_EVENT_SEND, thread, message(MESSAGE_SIGNAL, number));
}

static void use_semaphore(struct machine *machine, struct thread *thread)
{
	const struct rfs_model_memory memory = memory_of(machine);
	const rfs_addr address = address_of(current(thread)->object);
	unsigned value = 0;
	uint64_t number;

	if (current(thread)->code == M_SEM_POST) {
		number = rfs_semaphore_post(&machine->sync, &memory, address);
		machine_emit_message(machine, RFS_EVENT_SEND, thread, message(MESSAGE_SEMAPHORE, number));
	} else if (rfs_semaphore_take(&machine->sync, &memory, address, &number)) {
		receive(machine, thread, message(MESSAGE_SEMAPHORE, number), true);
	}
	rfs_semaphore_value(&memory, address, &value);
	value += current(thread)->code == M_SEM_POST ? 1 : -1;
	write_object(machine, address, &value, sizeof(value));
}

static bool use_barrier(struct machine *machine, struct thread *thread)
{
	const struct rfs_model_memory memory = memory_of(machine);
	const rfs_addr address = address_of(current(thread)->object);
	const struct rfs_barrier_memory barrier = {.count = (unsigned)current(thread)->value};
	uint64_t number = thread->sync.wait.message;

	if (thread->stage != STAGE_SECOND) {
		struct rfs_arrival arrival;

		write_object(machine, address, &barrier, sizeof(barrier));
		arrival = rfs_barrier_arrive(&machine->sync, &memory, address);
		machine_emit_message(machine, RFS_EVENT_SEND, thread, message(MESSAGE_BARRIER, arrival.message));
		if (!arrival.last) {
			thread->stage = STAGE_SECOND;
			thread->sync.wait = (struct rfs_wait){.kind = RFS_WAIT_BARRIER,
							      .object = address,
							      .round = arrival.round,
							      .message = arrival.message};
			return false;
		}
		number = arrival.message;
	}
	receive(machine, thread, message(MESSAGE_BARRIER, number),
		rfs_barrier_message_is_last(&machine->sync, &thread->sync, number));
	return true;
}

bool machine_sync_execute(struct machine *machine, struct thread *thread, const struct rfs_choice *choice)
{
	const struct model_op *op = current(thread);
	const rfs_addr object = address_of(op->object);

	switch (op->code) {
	case M_LOCK:
	case M_RDLOCK:
	case M_WRLOCK:
		acquire(machine, thread, type_of(op->code), object);
		return true;
	case M_TRYLOCK:
	case M_TIMEDLOCK:
		thread->registers[op->reg] = choice->outcome == RFS_OUTCOME_DONE && try_lock(machine, thread, object);
		thread->yielded = op->code == M_TRYLOCK && !thread->registers[op->reg];
		return true;
	case M_UNLOCK:
	case M_RWUNLOCK:
		release(machine, thread, op->code == M_UNLOCK, object);
		return true;
	case M_COND_WAIT:
	case M_COND_TIMEDWAIT:
		return wait_on_condition(machine, thread);
	case M_SIGNAL:
	case M_BROADCAST:
		signal_condition(machine, thread, choice);
		return true;
	case M_SEM_WAIT:
	case M_SEM_POST:
		use_semaphore(machine, thread);
		return true;
	case M_BARRIER:
		return use_barrier(machine, thread);
	case M_JOIN:
		machine_emit_message(machine, RFS_EVENT_RECEIVE, thread,
				     message(MESSAGE_EXIT, thread->registers[op->reg]));
		return true;
	default:
		return true;
	}
}

void machine_sync_ended(struct machine *machine, struct thread *thread)
{
	machine_emit_message(machine, RFS_EVENT_SEND, thread, message(MESSAGE_EXIT, thread->number));
	rfs_sync_thread_ended(&thread->sync);
}
