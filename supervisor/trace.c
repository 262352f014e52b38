#include "supervisor/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/alloc.h"
#include "supervisor/error.h"
#include "supervisor/run-priv.h"

struct rfs_trace {
	XXH128_hash_t chain;
	FILE *out;
	struct rfs_trace_entry *in; /* the recorded run, NULL where there is none to compare with */
	size_t n_in, at;
};

/* Bytes of an access, and of an output call, that go into the chain. */
#define VALUE_MAX 64
#define OUTPUT_CHUNK 4096

static int read_recorded(struct rfs_trace *trace, const char *path, char *why, size_t n)
{
	char magic[sizeof(RFS_TRACE_MAGIC) - 1];
	struct rfs_trace_entry entry;
	FILE *in = fopen(path, "rb");
	size_t room = 0;

	if (!in)
		return rfs_why(why, n, -errno, "cannot read the recorded operations in %s: %s", path, strerror(errno));
	if (fread(magic, sizeof(magic), 1, in) != 1 || memcmp(magic, RFS_TRACE_MAGIC, sizeof(magic)) != 0) {
		fclose(in);
		return rfs_why(why, n, -EBADMSG, "%s holds no recorded operations of this version", path);
	}
	while (fread(&entry, sizeof(entry), 1, in) == 1) {
		if (trace->n_in == room) {
			room = room ? room * 2 : 1024;
			trace->in = xreallocarray(trace->in, room, sizeof(entry));
		}
		trace->in[trace->n_in++] = entry;
	}
	fclose(in);
	if (!trace->in)
		trace->in = xcalloc(1, sizeof(entry));
	return 0;
}

int rfs_trace_open(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_trace *trace = xcalloc(1, sizeof(*trace));

	run->trace = trace;
	if (spec->trace_out) {
		trace->out = fopen(spec->trace_out, "wb");
		if (!trace->out)
			return rfs_why(why, n, -errno, "cannot write %s: %s", spec->trace_out, strerror(errno));
		fwrite(RFS_TRACE_MAGIC, sizeof(RFS_TRACE_MAGIC) - 1, 1, trace->out);
	}
	return spec->trace_in ? read_recorded(trace, spec->trace_in, why, n) : 0;
}

static void name_address(struct rfs_run *run, rfs_addr address, struct rfs_trace_entry *entry)
{
	const struct rfs_module_info *module = rfs_info_at(run, address);
	rfs_addr base = 0;

	if (module) {
		entry->name = RFS_NAME_MODULE;
		entry->index = (uint16_t)module->number;
		entry->offset = address - module->bias;
		return;
	}
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (address >= t->stack_low && address < t->stack_high) {
			entry->name = RFS_NAME_STACK;
			entry->index = (uint16_t)i;
			entry->offset = t->stack_high - address;
			return;
		}
	}
	if (address < 4096) {
		entry->name = RFS_NAME_RAW;
		entry->offset = address;
		return;
	}
	/* The break's heap starts behind the program; everything else hangs below the interpreter. */
	for (size_t i = 0; i < run->n_modules && i < 2; i++)
		if (run->modules[i]->end <= address || i == 1)
			base = run->modules[i]->bias ? run->modules[i]->bias : run->modules[i]->start;
	entry->name = run->n_modules > 1 && base == run->modules[1]->bias ? RFS_NAME_MAPPED : RFS_NAME_HEAP;
	entry->offset = address - base;
}

static void describe(struct rfs_run *run, const struct rfs_trace_entry *entry, char *out, size_t n)
{
	size_t module = entry->site >> 40;
	const char *path = module && module <= run->n_modules ? run->modules[module - 1]->path : NULL;
	const char *base = path ? strrchr(path, '/') : NULL;
	char place[300] = "";

	if (path)
		snprintf(place, sizeof(place), " at %.255s+0x%llx", base ? base + 1 : path,
			 (unsigned long long)(entry->site & ((1ull << 40) - 1)));
	if (entry->kind == RFS_TRACE_OUTPUT)
		snprintf(out, n, "thread %u writes %llu bytes%s", entry->thread, (unsigned long long)entry->offset,
			 place);
	else
		snprintf(out, n, "thread %u: %s%s%s", entry->thread, rfs_op_name((enum rfs_op_kind)entry->kind),
			 entry->outcome == RFS_OUTCOME_TIMED_OUT ? " (times out)" : "", place);
}

static void diverged(struct rfs_run *run, const struct rfs_trace_entry *recorded, const struct rfs_trace_entry *now)
{
	char before[400], after[400];
	size_t at = run->trace->at;

	if (run->ended)
		return;
	describe(run, recorded, before, sizeof(before));
	describe(run, now, after, sizeof(after));
	run->result->message = strcmp(before, after) != 0
				       ? xasprintf("operation %zu differs: recorded: %s; now: %s", at, before, after)
				       : xasprintf("operation %zu differs in what it reads or writes: %s", at, after);
	rfs_run_end(run, RFS_END_DIVERGED, 0);
}

static void append(struct rfs_run *run, struct rfs_trace_entry *entry, const void *data, size_t size)
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
	if (trace->out)
		fwrite(entry, sizeof(*entry), 1, trace->out);
	if (trace->in) {
		if (trace->at >= trace->n_in) {
			char now[400];

			describe(run, entry, now, sizeof(now));
			if (!run->ended)
				run->result->message =
					xasprintf("operation %zu is new: the recorded run ended after %zu; now: %s",
						  trace->at, trace->n_in, now);
			rfs_run_end(run, RFS_END_DIVERGED, 0);
		} else if (trace->in[trace->at].chain != entry->chain) {
			diverged(run, &trace->in[trace->at], entry);
		}
	}
	trace->at++;
}

void rfs_trace_op(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome)
{
	struct rfs_trace_entry entry = {.site = op->site,
					.kind = (uint16_t)op->kind,
					.thread = (uint16_t)thread->number,
					.outcome = (uint8_t)outcome};
	unsigned char value[VALUE_MAX];
	size_t size = 0;

	name_address(run, op->object, &entry);
	if ((op->kind == RFS_OP_ACCESS || op->kind == RFS_OP_SPIN_READ) && (op->access & RFS_ACCESS_READ)) {
		size = op->size < sizeof(value) ? op->size : sizeof(value);
		if (!rfs_peek(run, op->object, value, size))
			size = 0;
	}
	append(run, &entry, value, size);
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
	append(run, &entry, &hash, sizeof(hash));
}

void rfs_trace_finish(struct rfs_run *run)
{
	struct rfs_trace *trace = run->trace;
	enum rfs_run_end end = run->result->end;

	if (!trace->in || trace->at >= trace->n_in || end == RFS_END_CANCELLED || end == RFS_END_TIMEOUT ||
	    end == RFS_END_DIVERGED || end == RFS_END_UNCONTROLLED)
		return;
	run->result->end = RFS_END_DIVERGED;
	run->result->message =
		xasprintf("the run ended after operation %zu of the %zu recorded", trace->at, trace->n_in);
}

void rfs_trace_close(struct rfs_run *run)
{
	if (!run->trace)
		return;
	if (run->trace->out && fclose(run->trace->out) != 0)
		rfs_warn("the recorded operations are incomplete: %s", strerror(errno));
	free(run->trace->in);
	free(run->trace);
	run->trace = NULL;
}
