/*
 * stub_drain.c - hands the stub records to the detector. A record becomes the same access that access/access.c would
 * report if the instruction had a breakpoint instead of a stub.
 */
#include "supervisor/run/stops/stub_drain.h"

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/heap.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/sanitizer.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/stopless_locks.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/stream_runs.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/* The thread whose records are handed over. */
struct teller {
	struct rfs_run *run;
	struct rfs_thread *thread;
	uint64_t fs_base;
	/* the size in bytes of the ranges in the next records; the record right before these gave the size */
	uint64_t size;
	const struct rfs_stub_record *looked_at; /* the record of stores_to_word() that was handled last */
	/* What stub_drain_look_ahead() found about the next records. */
	bool only_accesses; /* each record of RFS_OPERAND_MEMORY is an access that the detector gets */
	bool joins;	    /* these accesses are joined */
	bool closed;	    /* plain accesses are left out, because they are not in the window of the spec */
	struct rfs_stream_runs runs;
};

static bool stub_drain_is_access(const struct rfs_operand *operand)
{
	return operand->kind < RFS_OPERAND_FRAME;
}

/*
 * The size of the range at the record's address. 0: the record is about no range.
 *
 * If the range is a heap block that is freed or resized, the heap still knows the block, because records are handled in
 * order. If the heap does not know the block, rfs_heap_chunk_size() reads the allocator's size word before the block.
 * This function calls it only if stubs record no calls. Then each free() stops, and the size word is still unchanged.
 */
static uint64_t size_of_range(struct teller *teller, const struct rfs_operand *operand,
			      const struct rfs_stub_record *record, rfs_addr address)
{
	uint64_t size;

	switch ((enum rfs_operand_kind)operand->kind) {
	case RFS_OPERAND_COUNT:
		teller->size = record->address * operand->size;
		return 0;
	case RFS_OPERAND_BLOCK:
	case RFS_OPERAND_RESIZED:
		if (!record->address)
			return 0;
		if (!rfs_recorded_calls_any(teller->run))
			return rfs_heap_chunk_size(teller->run, address);
		size = rfs_heap_known_size(teller->run, address);
		return size ? size : 1;
	default:
		break;
	}
	return teller->size;
}

/* Whether the value in the record may cause an event. If so, the records before this record are handed over first. */
static bool makes_events(const struct rfs_run *run, const struct rfs_operand *operand)
{
	return operand->kind == RFS_OPERAND_ALLOCATED ||
	       ((operand->kind == RFS_OPERAND_REQUESTED || operand->kind == RFS_OPERAND_FREED) &&
		rfs_unsafe_calls_noted(run)) ||
	       rfs_stopless_is_operation((enum rfs_operand_kind)operand->kind);
}

/* How much the records add to the value of the semaphore. */
static int added(const struct teller *teller, const struct rfs_stub_record *records, size_t n, rfs_addr semaphore)
{
	const struct rfs_operand *operands;
	size_t n_operands = rfs_stubs_operands(teller->run, &operands);
	int sum = 0;

	for (size_t i = 0; i < n; i++)
		if (records[i].number < n_operands && records[i].address == semaphore)
			sum += rfs_stopless_adds((enum rfs_operand_kind)operands[records[i].number].kind);
	return sum;
}

/*
 * The model takes the initial value of a semaphore from memory, when it first sees the semaphore. Memory has the value
 * after all records, so the value before the first record is computed.
 */
static void learn_semaphore(const struct teller *teller, const struct rfs_stub_record *records, size_t n)
{
	const struct rfs_model_memory memory = rfs_target_memory(teller->run);
	const rfs_addr at = records->address;
	unsigned value;

	if (!rfs_semaphore_is_known(&teller->run->sync, at) && rfs_semaphore_value(&memory, at, &value))
		rfs_semaphore_init(&teller->run->sync, &memory, at, value - (unsigned)added(teller, records, n, at));
}

/* Takes the value in the first of n records. */
static void take_value(const struct teller *teller, const struct rfs_operand *operand,
		       const struct rfs_stub_record *records, size_t n)
{
	const enum rfs_operand_kind kind = (enum rfs_operand_kind)operand->kind;

	if (rfs_stopless_adds(kind))
		learn_semaphore(teller, records, n);
	if (rfs_stopless_is_operation(kind))
		rfs_stopless_recorded(teller->run, teller->thread, kind, records->address);
	else
		rfs_heap_recorded(teller->run, teller->thread, kind, records->address);
}

/* Reports an access to a range whose size does not fit into the 32 bits that a stream record has for it. */
static void tell_large(const struct teller *teller, uint32_t number, rfs_addr address, uint64_t size)
{
	const struct rfs_stream_site *site = rfs_stream_numbered(teller->run->stream, number);
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = teller->thread->number};

	event.op = rfs_op_make(RFS_OP_ACCESS, site->site, address);
	event.op.access = site->access;
	event.op.size = size;
	rfs_count_access(teller->run);
	rfs_stream_event(teller->run->stream, &event);
}

/* True for a store to a word that the thread may hold. It may release a lock; the detector must learn this first. */
static bool stores_to_word(struct teller *teller, const struct rfs_operand *operand,
			   const struct rfs_stub_record *record, rfs_addr address)
{
	if (!operand->writes || record == teller->looked_at ||
	    !rfs_word_may_hold(teller->run->word_locks, (size_t)teller->thread->number, address))
		return false;
	teller->looked_at = record;
	return true;
}

/*
 * While there is only one thread, its accesses happen before all that other threads will do, so none can be part of a
 * race. A program may do most of its work before its first pthread_create(). Atomic accesses are passed on, because
 * their addresses are remembered.
 */
static bool is_before_threads(const struct rfs_run *run, uint32_t number)
{
	return run->n_threads == 1 && !(rfs_stream_numbered(run->stream, number)->access & RFS_ACCESS_ATOMIC);
}

/* Whether the access is outside of the window. Frees count there too, because they end what is known of memory. */
static bool is_outside(const struct teller *teller, uint32_t number)
{
	return teller->closed &&
	       !(rfs_stream_numbered(teller->run->stream, number)->access & (RFS_ACCESS_ATOMIC | RFS_ACCESS_FREE));
}

/* Until the next event or free, what an access means to the detector depends only on its address and site. */
static void stub_drain_look_ahead(struct teller *teller)
{
	const struct rfs_run *run = teller->run;
	const struct rfs_detector_passes *passes = run->spec->detector->passes;
	rfs_addr held[RFS_WORDS_HELD];

	teller->only_accesses = run->n_threads > 1 && !teller->thread->process && !run->asan && !run->msan &&
				!rfs_aliases_any(run) &&
				!rfs_words_held(run->word_locks, (size_t)teller->thread->number, held);
	teller->closed = rfs_window_is_closed(run);
	/* in a section, it matters to predicted violations which access was the first */
	teller->joins =
		passes && passes->first == run->spec->detector && !(run->atomicity && teller->thread->sync.n_holds);
}

/* A part of the records: as many as fit into a block of the stream, and none after one that becomes an event. */
struct part {
	struct rfs_stream_record *out;
	size_t at;    /* how many records are in out */
	size_t taken; /* how many of the stub records were looked at */
	/* about the last one that was looked at: */
	const struct rfs_operand *operand;
	rfs_addr address;
	uint64_t size; /* of a range; 0: it is none */
	uint32_t number;
	bool event;  /* it becomes a separate event */
	bool stored; /* it must be looked at again, after the words that the thread holds */
};

/* Ends the runs of the present part. */
static void end_runs(struct teller *teller, struct part *part)
{
	part->at += rfs_stream_runs_end(&teller->runs, &part->out[part->at]);
}

/* Whether the record has an address. The size of a range is taken from the record before its own. */
static bool has_address(const struct part *part)
{
	return stub_drain_is_access(part->operand) && part->operand->kind != RFS_OPERAND_COUNT;
}

/* Takes a record of a range, or of a value. */
static void tell_other(struct teller *teller, struct part *part, const struct rfs_stub_record *record, size_t n)
{
	struct rfs_run *run = teller->run;

	if (teller->thread->process && has_address(part)) {
		if (!rfs_family_counts(run, teller->thread, part->address))
			return;
		part->address = rfs_family_name(run, teller->thread, part->address);
	}
	if (!stub_drain_is_access(part->operand)) {
		part->event = makes_events(run, part->operand);
		if (!part->event)
			take_value(teller, part->operand, record, n);
		return;
	}
	if ((run->asan || run->msan) && rfs_sanitizer_shadow(run, part->address))
		return;
	part->stored = stores_to_word(teller, part->operand, record, part->address);
	if (part->stored)
		return;
	if (record == teller->looked_at && part->operand->kind == RFS_OPERAND_MEMORY &&
	    rfs_word_locks_is_access(run, part->address, part->operand->size)) {
		rfs_stream_leave_out(run->stream, part->number, false);
		return;
	}
	if (part->operand->kind != RFS_OPERAND_MEMORY) {
		part->size = size_of_range(teller, part->operand, record, part->address);
		if (part->size == 0)
			return;
	}
	if (is_before_threads(run, part->number) || is_outside(teller, part->number)) {
		rfs_stream_leave_out(run->stream, part->number, run->n_threads == 1);
		return;
	}
	part->event = part->size > UINT32_MAX;
	if (part->event)
		return;
	end_runs(teller, part);
	part->out[part->at++] =
		(struct rfs_stream_record){rfs_location(run, part->address), part->number, (uint32_t)part->size};
}

/* Fills part->out. */
static void tell_part(struct teller *teller, struct part *part, const struct rfs_stub_record *records, size_t n,
		      size_t left)
{
	const struct rfs_operand *operands;
	const size_t n_operands = rfs_stubs_operands(teller->run, &operands);
	uint64_t sum = 0; /* of the addresses of accesses, for the comparison of two passes */
	size_t i;

	for (i = 0; i < n && !part->event && !part->stored; i++) {
		const uint32_t number = (uint32_t)records[i].number;
		const struct rfs_operand *operand;
		rfs_addr address;

		/* the target can write to the buffer too, so a number may be invalid */
		if (records[i].number >= n_operands)
			continue;
		operand = &operands[number];
		address = records[i].address + (operand->fs ? teller->fs_base : 0);
		if (teller->only_accesses && operand->kind == RFS_OPERAND_MEMORY) {
			if (is_outside(teller, number))
				rfs_stream_leave_out(teller->run->stream, number, false);
			else if (teller->joins)
				part->at += rfs_stream_runs_add(&teller->runs, address, number, &part->out[part->at]);
			else
				part->out[part->at++] = (struct rfs_stream_record){address, number, 0};
			sum += records[i].address;
			continue;
		}
		part->number = number;
		part->operand = operand;
		part->address = address;
		part->size = 0;
		tell_other(teller, part, &records[i], left - i);
		if (stub_drain_is_access(operand) && !part->stored)
			sum += records[i].address;
	}
	part->taken = part->stored ? i - 1 : i;
	teller->run->result->addresses += sum;
	end_runs(teller, part);
}

static void stub_drain_tell(struct teller *teller, const struct rfs_stub_record *records, size_t n)
{
	struct rfs_run *run = teller->run;

	while (n > 0) {
		size_t room = n;
		struct part part = {.out = rfs_stream_room(run->stream, teller->thread->number, &room)};

		stub_drain_look_ahead(teller);
		tell_part(teller, &part, records, room, n);
		rfs_stream_fill(run->stream, part.at);
		if (part.stored)
			rfs_word_locks_stored(run, teller->thread, part.address);
		else if (part.event && stub_drain_is_access(part.operand))
			tell_large(teller, part.number, part.address, part.size);
		else if (part.event)
			take_value(teller, part.operand, &records[part.taken - 1], n - (part.taken - 1));
		records += part.taken;
		n -= part.taken;
	}
}

/* Takes the records of a run without a detector: only values matter, not accesses. */
static void take_values(const struct teller *teller, const struct rfs_stub_record *records, size_t n)
{
	const struct rfs_operand *operands;
	size_t n_operands = rfs_stubs_operands(teller->run, &operands);

	for (size_t i = 0; i < n; i++)
		if (records[i].number < n_operands && !stub_drain_is_access(&operands[records[i].number]))
			take_value(teller, &operands[records[i].number], &records[i], n - i);
}

size_t rfs_stub_drain(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *thread,
		      const struct rfs_stub_record **out)
{
	size_t n = rfs_stub_buffer_take(task, out);
	const struct rfs_stub_dropped dropped = rfs_stub_buffer_dropped(task);
	struct teller teller = {.run = run, .thread = thread};

	rfs_hot_taken(run, task);
	if (thread && run->stream) {
		const bool early = run->n_threads == 1;

		rfs_stream_dropped(run->stream, dropped.n, early);
		run->result->counts.dropped += early ? 0 : dropped.n;
		run->result->addresses += dropped.sum;
	}
	if (!n || !thread)
		return 0;
	teller.fs_base = rfs_task_regs(task)->fs_base;
	if (!teller.fs_base)
		teller.fs_base = rfs_memory_address(
			thread->tls); /* the thread pointer is 0 if the process has just executed another program */
	if (run->stream)
		stub_drain_tell(&teller, *out, n);
	else
		take_values(&teller, *out, n);
	return n;
}
