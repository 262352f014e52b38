/* dpor_run.c - writes and reads the two blobs, and refuses blobs that are damaged. */
#include "policy/dpor/dpor_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/results.h"

#define PLAN_MAGIC 0x32504f52u	/* "ROP2" */
#define TRACE_MAGIC 0x31544f52u /* "ROT1" */

enum { TRACE_REDUNDANT = 1, TRACE_STRAYED = 2, TRACE_CUT = 4, TRACE_REPEATED = 8, TRACE_TIMED = 16 };

struct header {
	uint32_t magic, flags;
	uint64_t n[3]; /* elements of the arrays that follow */
};

struct array {
	void **data;
	size_t n, size;
};

uint32_t rfs_dpor_check(const struct rfs_op *op)
{
	const uint64_t words[] = {op->kind, op->site, op->object, op->object2, op->size, op->access};
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		hash ^= words[i];
		hash *= UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

static void write_arrays(uint32_t magic, uint32_t flags, const struct array *arrays, size_t n, struct rfs_blob *blob)
{
	struct header header = {.magic = magic, .flags = flags};
	char *to;

	blob->size = sizeof(header);
	for (size_t i = 0; i < n; i++) {
		header.n[i] = arrays[i].n;
		blob->size += arrays[i].n * arrays[i].size;
	}
	blob->data = to = rfs_policy_zalloc(1, blob->size);
	memcpy(to, &header, sizeof(header));
	to += sizeof(header);
	for (size_t i = 0; i < n; i++) {
		if (arrays[i].n)
			memcpy(to, *arrays[i].data, arrays[i].n * arrays[i].size);
		to += arrays[i].n * arrays[i].size;
	}
}

/* Sets n of each array, and allocates its data. */
static int read_arrays(uint32_t magic, const struct rfs_blob *blob, struct array *arrays, size_t n, uint32_t *flags)
{
	struct header header;
	const char *from;
	size_t left;

	if (blob->size < sizeof(header))
		return -EINVAL;
	memcpy(&header, blob->data, sizeof(header));
	from = (const char *)blob->data + sizeof(header);
	left = blob->size - sizeof(header);
	if (header.magic != magic)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (header.n[i] > left / arrays[i].size)
			return -EINVAL;
		left -= header.n[i] * arrays[i].size;
	}
	if (left)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		arrays[i].n = header.n[i];
		*arrays[i].data = rfs_policy_zalloc(arrays[i].n ? arrays[i].n : 1, arrays[i].size);
		if (arrays[i].n)
			memcpy(*arrays[i].data, from, arrays[i].n * arrays[i].size);
		from += arrays[i].n * arrays[i].size;
	}
	*flags = header.flags;
	return 0;
}

void rfs_dpor_plan_write(const struct rfs_dpor_plan *plan, struct rfs_blob *blob)
{
	void *choices = plan->choices, *guide = plan->guide, *asleep = plan->asleep;
	const struct array arrays[] = {{&choices, plan->n_choices, sizeof(*plan->choices)},
				       {&guide, plan->n_guide, sizeof(*plan->guide)},
				       {&asleep, plan->n_asleep, sizeof(*plan->asleep)}};

	write_arrays(PLAN_MAGIC, 0, arrays, 3, blob);
}

int rfs_dpor_plan_read(const struct rfs_blob *blob, struct rfs_dpor_plan *out)
{
	void *choices = NULL, *guide = NULL, *asleep = NULL;
	struct array arrays[] = {{&choices, 0, sizeof(*out->choices)},
				 {&guide, 0, sizeof(*out->guide)},
				 {&asleep, 0, sizeof(*out->asleep)}};
	uint32_t flags;
	int error = read_arrays(PLAN_MAGIC, blob, arrays, 3, &flags);

	*out = (struct rfs_dpor_plan){choices, arrays[0].n, guide, arrays[1].n, asleep, arrays[2].n};
	return error;
}

void rfs_dpor_plan_release(struct rfs_dpor_plan *plan)
{
	free(plan->choices);
	free(plan->guide);
	free(plan->asleep);
	*plan = (struct rfs_dpor_plan){0};
}

void rfs_dpor_trace_write(const struct rfs_dpor_trace *trace, struct rfs_blob *blob)
{
	void *steps = trace->steps, *options = trace->options, *left = trace->left;
	const struct array arrays[] = {{&steps, trace->n_steps, sizeof(*trace->steps)},
				       {&options, trace->n_options, sizeof(*trace->options)},
				       {&left, trace->n_left, sizeof(*trace->left)}};

	write_arrays(TRACE_MAGIC,
		     (trace->redundant ? TRACE_REDUNDANT : 0) | (trace->strayed ? TRACE_STRAYED : 0) |
			     (trace->cut ? TRACE_CUT : 0) | (trace->repeated ? TRACE_REPEATED : 0) |
			     (trace->timed ? TRACE_TIMED : 0),
		     arrays, 3, blob);
}

static bool sound_trace(const struct rfs_dpor_trace *trace)
{
	for (size_t i = 0; i < trace->n_steps; i++) {
		const struct rfs_dpor_step *step = &trace->steps[i];

		if (step->option > trace->n_options || step->n_options > trace->n_options - step->option ||
		    step->thread < 0)
			return false;
	}
	for (size_t i = 0; i < trace->n_left; i++)
		if (trace->left[i].thread < 0)
			return false;
	return true;
}

int rfs_dpor_trace_read(const struct rfs_blob *blob, struct rfs_dpor_trace *out)
{
	void *steps = NULL, *options = NULL, *left = NULL;
	struct array arrays[] = {
		{&steps, 0, sizeof(*out->steps)}, {&options, 0, sizeof(*out->options)}, {&left, 0, sizeof(*out->left)}};
	uint32_t flags = 0;
	int error = read_arrays(TRACE_MAGIC, blob, arrays, 3, &flags);

	*out = (struct rfs_dpor_trace){.steps = steps,
				       .n_steps = arrays[0].n,
				       .options = options,
				       .n_options = arrays[1].n,
				       .left = left,
				       .n_left = arrays[2].n,
				       .redundant = flags & TRACE_REDUNDANT,
				       .cut = flags & TRACE_CUT,
				       .repeated = flags & TRACE_REPEATED,
				       .timed = flags & TRACE_TIMED,
				       .strayed = flags & TRACE_STRAYED};
	if (!error && !sound_trace(out)) {
		rfs_dpor_trace_release(out);
		error = -EINVAL;
	}
	return error;
}

void rfs_dpor_trace_release(struct rfs_dpor_trace *trace)
{
	free(trace->steps);
	free(trace->options);
	free(trace->left);
	*trace = (struct rfs_dpor_trace){0};
}
