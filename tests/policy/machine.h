/*
 * machine.h - the inside of the model machine: its threads, and what they are parked before. Synchronisation is that of
 * supervisor/model; machine_sync.c gives it memory and plays the C library, which writes to it.
 */
#ifndef RFS_TEST_MACHINE_H
#define RFS_TEST_MACHINE_H

#include "policy/core/hint.h"
#include "supervisor/model/sync.h"
#include "tests/policy/model.h"

#define MODEL_OBJECT_SIZE 64

enum stage {
	STAGE_FIRST,
	STAGE_START,  /* created, has not run */
	STAGE_ASLEEP, /* in a condition wait */
	STAGE_SECOND, /* second half of a read-modify-write or of a fill; past the arrival at a barrier */
	STAGE_ENDED,
};

struct thread {
	const struct model_body *body;
	size_t number, pc;
	enum stage stage;
	int64_t registers[MODEL_REGISTERS];
	bool yielded;
	int64_t read; /* STAGE_SECOND of M_INC */
	struct rfs_sync_thread sync;
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
	unsigned hint_flags[MODEL_THREADS]; /* of the view that it was given in */
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

/* model.c */
void machine_emit_op(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, struct rfs_op op);
void machine_emit_message(struct machine *machine, enum rfs_event_kind kind, const struct thread *thread, uint64_t id);

/* The flags of a thread that is parked before an operation of synchronisation. */
unsigned machine_sync_flags(struct machine *machine, struct thread *thread);
/* Executes that operation. False: the thread is parked before its second half now. */
bool machine_sync_execute(struct machine *machine, struct thread *thread, const struct rfs_choice *choice);
void machine_sync_ended(struct machine *machine, struct thread *thread);

#endif
