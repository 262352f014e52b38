/*
 * trace.c - the visible operations of a run, in order, as a chain of hashes. A replay compares its operations with
 * those of a recorded run.
 */
#include "supervisor/state/operations/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/state/core/kernel_objects.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_observer.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/program_output.h"
#include "tracer/unwind.h"

/* How many frames of a stack are recorded, and shown if a replay differs. */
#define STACK_FRAMES 32

struct rfs_trace {
	XXH128_hash_t chain;
	struct rfs_trace_writer *out;
	/*
	 * The last entry. The entry is written to the file at the next operation, because only then can rfsup read the
	 * value that a write has stored.
	 */
	struct rfs_trace_entry held;
	rfs_addr held_address; /* if the held entry is a write: its address; otherwise 0 */
	bool holds;
	struct rfs_trace_entry *in; /* the operations of the recorded run; NULL: there is no recorded run */
	size_t n_in, at;
};

/*
 * VALUE_MAX: how many bytes of an accessed object go into the chain. OUTPUT_CHUNK: how many bytes of an output are read
 * and hashed at a time.
 */
#define VALUE_MAX 64
#define OUTPUT_CHUNK 4096

int rfs_trace_open(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_trace *trace = xcalloc(1, sizeof(*trace));
	int error;

	run->trace = trace;
	if (spec->trace.out) {
		error = rfs_trace_writer_new(spec->trace.out, spec->trace.stacks, &trace->out, why, n);
		if (error)
			return error;
	}
	return spec->trace.in ? rfs_trace_read(spec->trace.in, &trace->in, &trace->n_in, why, n) : 0;
}

void rfs_trace_settle(struct rfs_run *run)
{
	struct rfs_trace *trace = run->trace;
	struct rfs_trace_entry *held = &trace->held;
	size_t size = held->size < sizeof(held->value) ? held->size : sizeof(held->value);

	if (!trace->holds || !trace->held_address)
		return;
	held->value = 0;
	if (!rfs_peek(run, trace->held_address, &held->value, size))
		held->value = 0;
	trace->held_address = 0;
}

static void write_held(struct rfs_run *run)
{
	struct rfs_trace *trace = run->trace;

	if (!trace->holds)
		return;
	rfs_trace_settle(run);
	trace->holds = false;
	rfs_trace_write(trace->out, &trace->held);
}

/* What is added to the number of a module (rfs_trace_module()). */
static unsigned process_index(unsigned process)
{
	const unsigned most = (1u << (16 - RFS_TRACE_MODULE_BITS)) - 1;

	return process ? (1 + (process - 1) % most) << RFS_TRACE_MODULE_BITS : 0;
}

static void name_address(struct rfs_run *run, rfs_addr name, struct rfs_trace_entry *entry)
{
	const rfs_addr address = rfs_memory_address(name);
	const struct rfs_module_info *module = rfs_info_at(run, address);
	const struct rfs_thread *owner;
	rfs_addr base = 0;

	if (module) {
		entry->name = RFS_NAME_MODULE;
		entry->index = (uint16_t)(module->number + process_index(rfs_memory_process(name)));
		entry->offset = address - module->bias;
		return;
	}
	owner = rfs_thread_by_stack(run, name, RFS_STACK_FIRST_OWNER);
	if (owner) {
		entry->name = RFS_NAME_STACK;
		entry->index = (uint16_t)owner->number;
		entry->offset = owner->stack_high - name;
		return;
	}
	entry->index = (uint16_t)rfs_memory_process(name);
	if (address < 4096 || rfs_is_kernel_object(address)) {
		entry->name = RFS_NAME_RAW;
		entry->offset = address;
		return;
	}
	/*
	 * The offset of other memory is counted from the interpreter. A static program has no interpreter, so there the
	 * offset is counted from the program.
	 */
	for (size_t i = 0; i < run->n_modules && i < 2; i++)
		if (run->modules[i]->end <= address || i == 1)
			base = run->modules[i]->bias ? run->modules[i]->bias : run->modules[i]->start;
	entry->name = run->n_modules > 1 && base == run->modules[1]->bias ? RFS_NAME_MAPPED : RFS_NAME_HEAP;
	entry->offset = address - base;
}

/* The chain of hashes keeps the name that name_address() gives, so that older records can still be replayed. */
static void name_heap(const struct rfs_run *run, rfs_addr address, struct rfs_trace_entry *entry)
{
	uint64_t offset;

	if ((entry->name != RFS_NAME_MAPPED && entry->name != RFS_NAME_HEAP) ||
	    !rfs_in_heap(run, rfs_memory_address(address), &offset))
		return;
	entry->name = RFS_NAME_HEAP;
	entry->offset = offset;
}

static void trace_describe(struct rfs_run *run, const struct rfs_trace_entry *entry, char *out, size_t n)
{
	char place[300] = "";
	uint64_t vaddr;
	size_t module;

	if (rfs_site_split(entry->site, &module, &vaddr) && module < run->n_modules)
		snprintf(place, sizeof(place), " at %.255s+0x%llx", rfs_base_name(run->modules[module]->path),
			 (unsigned long long)vaddr);
	if (entry->kind == RFS_TRACE_OUTPUT)
		snprintf(out, n, "thread %u writes %llu bytes%s", entry->thread, (unsigned long long)entry->offset,
			 place);
	else
		snprintf(out, n, "thread %u: %s%s%s", entry->thread, rfs_op_name((enum rfs_op_kind)entry->kind),
			 entry->outcome == RFS_OUTCOME_TIMED_OUT ? " (times out)" : "", place);
}

static size_t sites_of_stack(struct rfs_run *run, struct rfs_thread *thread, uint64_t *sites)
{
	rfs_addr frames[STACK_FRAMES];
	size_t n = rfs_thread_stack(thread, frames, STACK_FRAMES);

	for (size_t i = 0; i < n; i++) {
		rfs_site site = rfs_site_of(run, frames[i]);

		sites[i] = site ? site : frames[i];
	}
	return n;
}

static void places_of(struct rfs_run *run, const uint64_t *sites, size_t n, struct rfs_place **out, size_t *n_out)
{
	*out = xcalloc(n ? n : 1, sizeof(**out));
	*n_out = n;
	for (size_t i = 0; i < n; i++) {
		rfs_addr address = rfs_site_address(run, sites[i]);

		rfs_place_of(run, address ? address : sites[i], &(*out)[i]);
	}
}

/* The likely cause of the difference, as text. recorded, now: the first pair of entries that differ. */
static const char *likely_cause(const struct rfs_run *run, const struct rfs_trace_entry *recorded,
				const struct rfs_trace_entry *now)
{
	const char *cause = rfs_nondet_cause(run->result->nondet.kinds);

	if (run->observer && run->observer->has_changed(run))
		return "a change made in the debugger";
	if (cause)
		return cause;
	if (recorded->kind == now->kind && recorded->site == now->site && recorded->thread == now->thread &&
	    recorded->value != now->value && rfs_op_is_access((enum rfs_op_kind)now->kind))
		return "different memory contents: uninitialised, or read from a file that changed";
	return "a file or a machine setting that the program reads";
}

static void show_stacks(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_run_result *result = run->result;
	struct rfs_trace_stacks *stacks = rfs_trace_stacks_read(run->spec->trace.in);
	const struct rfs_trace_stack recorded = rfs_trace_stack_of(stacks, run->trace->at);
	uint64_t sites[STACK_FRAMES];
	size_t n;

	places_of(run, recorded.sites, recorded.n, &result->divergence.at[0].stack, &result->divergence.at[0].n_stack);
	rfs_trace_stacks_free(stacks);
	n = thread ? sites_of_stack(run, thread, sites) : 0;
	places_of(run, sites, n, &result->divergence.at[1].stack, &result->divergence.at[1].n_stack);
}

static void diverged(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_trace_entry *recorded,
		     const struct rfs_trace_entry *now)
{
	char before[400], after[400];
	size_t at = run->trace->at;

	if (run->ended)
		return;
	show_stacks(run, thread);
	run->result->divergence.cause = xstrdup(likely_cause(run, recorded, now));
	trace_describe(run, recorded, before, sizeof(before));
	trace_describe(run, now, after, sizeof(after));
	run->result->message = strcmp(before, after) != 0
				       ? xasprintf("operation %zu differs: recorded: %s; now: %s", at, before, after)
				       : xasprintf("operation %zu differs in what it reads or writes: %s", at, after);
	rfs_run_end(run, RFS_END_DIVERGED, 0);
}

static void trace_write_stack(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object)
{
	const struct rfs_thread *owner = object ? rfs_thread_by_stack(run, object, RFS_STACK_LAST_OWNER) : NULL;
	uint64_t sites[STACK_FRAMES];
	struct rfs_trace_stack stack = {.sites = sites, .n = sites_of_stack(run, thread, sites)};
	struct rfs_stack_frame frame;

	if (owner && rfs_thread_frame(owner, object, &frame)) {
		stack.frame = rfs_site_of(run, frame.code);
		stack.below_cfa = frame.cfa - object;
	}
	rfs_trace_write_stack(run->trace->out, &stack);
}

/*
 * Adds an entry to the chain, writes it, and compares it with the recorded run. data, size: bytes that go into the
 * chain too. object: the address that the entry names; 0: none. written: the address that an access writes to; 0: it
 * writes nothing.
 */
static void trace_append(struct rfs_run *run, struct rfs_thread *thread, struct rfs_trace_entry *entry,
			 const void *data, size_t size, rfs_addr object, rfs_addr written)
{
	struct rfs_trace *trace = run->trace;
	struct {
		XXH128_hash_t before;
		struct rfs_trace_entry entry;
		uint64_t data;
	} link = {trace->chain, *entry, XXH3_64bits(data, size)};

	trace->chain = XXH3_128bits(&link, sizeof(link));
	entry->chain = trace->chain.low64;
	run->result->hash[0] = trace->chain.low64;
	run->result->hash[1] = trace->chain.high64;
	if (trace->out) {
		write_held(run);
		trace->held = *entry;
		name_heap(run, object, &trace->held);
		trace->held_address = written;
		trace->holds = true;
		if (rfs_trace_wants_stacks(trace->out))
			trace_write_stack(run, thread, object);
	}
	if (trace->in) {
		if (trace->at >= trace->n_in) {
			char now[400];

			trace_describe(run, entry, now, sizeof(now));
			if (!run->ended) {
				show_stacks(run, thread);
				run->result->divergence.cause = xstrdup(likely_cause(run, entry, entry));
				run->result->message = xasprintf(
					"operation %zu is not in the recorded run, which ended after %zu; now: %s",
					trace->at, trace->n_in, now);
			}
			rfs_run_end(run, RFS_END_DIVERGED, 0);
		} else if (trace->in[trace->at].chain != entry->chain) {
			diverged(run, thread, &trace->in[trace->at], entry);
		}
	}
	trace->at++;
}

/* Adds to the entry of a condition wait which mutex it releases. The chain of hashes does not contain this. */
static void name_mutex(struct rfs_run *run, rfs_addr mutex)
{
	struct rfs_trace_entry entry = {0};

	name_address(run, mutex, &entry);
	name_heap(run, mutex, &entry);
	run->trace->held.value = rfs_trace_object(&entry);
}

void rfs_trace_op(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome)
{
	struct rfs_trace_entry entry = {.site = op->site,
					.kind = (uint16_t)op->kind,
					.thread = (uint16_t)thread->number,
					.outcome = (uint8_t)outcome};
	unsigned char value[VALUE_MAX];
	rfs_addr written = 0;
	size_t size = 0;

	name_address(run, op->object, &entry);
	if (rfs_op_is_access(op->kind)) {
		entry.access = op->access;
		entry.size = (uint32_t)op->size;
		written = op->access & (RFS_ACCESS_READ | RFS_ACCESS_LIBRARY) ? 0 : op->object;
	} else {
		entry.access = op->access; /* the fault that may happen to it */
	}
	if (rfs_op_is_access(op->kind) && (op->access & RFS_ACCESS_READ) && !(op->access & RFS_ACCESS_LIBRARY)) {
		size = op->size < sizeof(value) ? op->size : sizeof(value);
		if (!rfs_peek(run, op->object, value, size))
			size = 0;
		memcpy(&entry.value, value, size < sizeof(entry.value) ? size : sizeof(entry.value));
	}
	trace_append(run, thread, &entry, value, size, op->object, written);
	if (op->kind == RFS_OP_COND_WAIT && op->object2 && run->trace->holds)
		name_mutex(run, op->object2);
}

void rfs_trace_output(struct rfs_run *run, struct rfs_thread *thread, rfs_addr data, uint64_t size)
{
	struct rfs_trace_entry entry = {.kind = RFS_TRACE_OUTPUT,
					.thread = (uint16_t)thread->number,
					.offset = size,
					.site = thread->next.site};
	unsigned char buf[OUTPUT_CHUNK];
	uint64_t hash = 0;

	for (uint64_t done = 0; done < size; done += sizeof(buf)) {
		size_t n = size - done < sizeof(buf) ? size - done : sizeof(buf);

		if (!rfs_peek(run, data + done, buf, n))
			break;
		hash = XXH64(buf, n, hash);
	}
	trace_append(run, thread, &entry, &hash, sizeof(hash), 0, 0);
}

void rfs_trace_copy(const struct rfs_run *from, struct rfs_run *to)
{
	to->trace->chain = from->trace->chain;
	to->trace->at = from->trace->at;
	memcpy(to->result->hash, from->result->hash, sizeof(to->result->hash));
	rfs_program_output_copy(from, to);
}

bool rfs_trace_can_wait(const struct rfs_run *run)
{
	const struct rfs_trace *trace = run->trace;

	return !trace->in && !(trace->holds && trace->held_address) &&
	       !(trace->out && rfs_trace_wants_stacks(trace->out));
}

size_t rfs_trace_recorded(const struct rfs_run *run, const struct rfs_trace_entry **out, size_t *at)
{
	*out = run->trace->in;
	*at = run->trace->at;
	return run->trace->n_in;
}

uint64_t rfs_trace_position(const struct rfs_run *run)
{
	return run->trace->at;
}

void rfs_trace_finish(struct rfs_run *run)
{
	struct rfs_trace *trace = run->trace;
	enum rfs_run_end end = run->result->end;

	if (trace->out)
		write_held(run);
	if (end == RFS_END_RESTART && run->result->restart == RFS_RESTART_DEBUGGER)
		return;
	if (!trace->in || trace->at >= trace->n_in || end == RFS_END_CANCELLED || end == RFS_END_TIMEOUT ||
	    end == RFS_END_STOPPED || end == RFS_END_DIVERGED || end == RFS_END_UNCONTROLLED)
		return;
	run->result->end = RFS_END_DIVERGED;
	run->result->message = xasprintf("the run ended after operation %zu, but %zu operations were recorded",
					 trace->at, trace->n_in);
	show_stacks(run, NULL);
	run->result->divergence.cause = xstrdup(likely_cause(run, &trace->in[trace->at], &trace->in[trace->at]));
}

void rfs_trace_close(struct rfs_run *run)
{
	int error;

	if (!run->trace)
		return;
	if (run->trace->out) {
		error = rfs_trace_writer_close(run->trace->out);
		if (error)
			rfs_warn("cannot save the recorded operations: %s", strerror(-error));
	}
	free(run->trace->in);
	free(run->trace);
	run->trace = NULL;
}
