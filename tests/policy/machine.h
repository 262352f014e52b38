/*
 * machine.h - the inside of the model machine: its threads, and the operations that they are parked before. The meaning
 * of synchronisation comes from supervisor/model. machine_sync.c gives that model its memory, and writes to it what the
 * C library would write.
 */
#ifndef RFS_TEST_MACHINE_H
#define RFS_TEST_MACHINE_H

#include "policy/core/cycle_place.h"
#include "policy/core/hint.h"
#include "supervisor/model/store_buffer.h"
#include "supervisor/model/sync.h"
#include "tests/policy/model.h"

#define MODEL_OBJECT_SIZE 64

enum stage {
	STAGE_FIRST,
	STAGE_START,  /* created, has not run yet */
	STAGE_ASLEEP, /* asleep in a condition wait */
	STAGE_SECOND, /* before the second half of a read-modify-write or fill, or arrived at a barrier */
	STAGE_ENDED,
};

struct thread {
	const struct model_body *body;
	size_t number, pc;
	enum stage stage;
	int64_t registers[MODEL_REGISTERS];
	bool yielded; /* it gave up its turn, and since then other threads have only yielded */
	int64_t read; /* STAGE_SECOND of M_INC: the value that was read */
	struct rfs_sync_thread sync;
	rfs_site acquired_at[MODEL_OBJECTS]; /* by number of the lock; valid while it is held */
	struct rfs_cycle_place place;
	rfs_addr held[MODEL_OBJECTS];
	struct rfs_store_buffer buffer; /* with config->tso: stores that other threads do not see yet */
};

struct machine {
	const struct model_program *program;
	const struct model_config *config;
	struct model_result *result;
	void *policy;
	void *detectors[MODEL_DETECTORS];
	struct thread threads[MODEL_THREADS];
	size_t n_threads;
	struct rfs_sync sync;
	unsigned char objects[MODEL_OBJECTS * MODEL_OBJECT_SIZE];
	bool failed;
	size_t steps_capacity;
	struct rfs_hint hint;
	unsigned hint_flags[MODEL_THREADS]; /* each thread's flags in the view that the hint was given for */
	size_t hint_alive;
	int64_t horizon; /* sleeps up to this moment may end */
};

enum message_kind { MESSAGE_SIGNAL = 1, MESSAGE_EXIT, MESSAGE_SEMAPHORE, MESSAGE_BARRIER };

static inline uint64_t message(enum message_kind kind, uint64_t number)
{
	return (uint64_t)kind << 56 | number;
}

static inline const struct model_op *current(const struct thread *thread)
{
	return &thread->body->ops[thread->pc];
}

static inline rfs_addr address_of(uint64_t object)
{
	return MODEL_OBJECT_BASE + object * MODEL_OBJECT_SIZE;
}

/* defined in model.c; the event of an acquisition has the flags of enum rfs_lock_how in op.access */
void machine_emit_op(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, struct rfs_op op);
void machine_emit_message(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, uint64_t id);

/* The site of the thread's current operation. */
rfs_site machine_site(const struct machine *machine, const struct thread *thread);

/* Where the thread is in the deadlock under test, or NULL. */
const struct rfs_cycle_place *machine_cycle_place(struct machine *machine, struct thread *thread);

/* The flags of a thread that is parked before a synchronisation operation. */
unsigned machine_sync_flags(struct machine *machine, struct thread *thread);
/* Executes the synchronisation operation. If false, the thread is now parked before the second half of it. */
bool machine_sync_execute(struct machine *machine, struct thread *thread, const struct rfs_choice *choice);
void machine_sync_ended(struct machine *machine, struct thread *thread);

#endif
