#include "tests/policy/enumerate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/dependence.h"

#define MAX_EVENTS 64

/* ---- executed operations ---- */

struct ran {
	int thread;
	struct rfs_op op;
};

/* A policy that records what is executed. Another policy chooses, or a list of choices. */
struct recorder {
	const struct rfs_policy_ops *inner; /* NULL: `choices` decide */
	void *state;
	struct ran *events;
	size_t n;
	/*
	 * For enumeration: choices[i] is the index of the thread to take at step i; widths[i]: how many were enabled.
	 */
	unsigned char *choices, *widths;
};

/* model_run() passes a policy only its options and its blob, so the blob holds the pointer to the recorder. */
static int recorder_init(void **out, const struct rfs_policy_args *args)
{
	struct recorder *recorder = args->blob->data;

	*out = recorder;
	return 0;
}

static void note(struct recorder *recorder, const struct rfs_view *view, const struct rfs_choice *choice)
{
	if (recorder->n == MAX_EVENTS)
		abort();
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == choice->thread)
			recorder->events[recorder->n++] = (struct ran){choice->thread, view->threads[i].next};
	}
}

static int recorder_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct recorder *recorder = opaque;

	if (recorder->inner) {
		int err = recorder->inner->pick(recorder->state, view, out);

		if (err)
			return err;
	} else {
		size_t enabled = 0;

		for (size_t i = 0; i < view->n_threads; i++) {
			if (!(view->threads[i].flags & RFS_THREAD_ENABLED))
				continue;
			if (enabled++ == recorder->choices[recorder->n])
				out->thread = view->threads[i].thread;
		}
		recorder->widths[recorder->n] = (unsigned char)enabled;
	}
	note(recorder, view, out);
	return 0;
}

static void recorder_event(void *opaque, const struct rfs_event *event)
{
	struct recorder *recorder = opaque;

	/* the last executed operation is the create that made this thread */
	if (event->kind == RFS_EVENT_THREAD && event->op.peer >= 0 && recorder->n > 0)
		recorder->events[recorder->n - 1].op.peer = event->thread;
	if (recorder->inner && recorder->inner->event)
		recorder->inner->event(recorder->state, event);
}

static const struct rfs_policy_ops recorder_ops = {
	.abi = RFS_POLICY_ABI,
	.name = "recorder",
	.summary = "writes down what ran",
	.init = recorder_init,
	.pick = recorder_pick,
	.event = recorder_event,
};

/* ---- partial orders ---- */

static int by_thread(const void *a, const void *b)
{
	const unsigned char *x = a, *y = b;

	return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

/*
 * One row for each operation: thread, number in the thread, kind, object. Then a bitmap of the earlier operations that
 * it depends on: bit 128 * thread + number.
 */
static struct partial_order order_of(const struct ran *events, size_t n)
{
	enum { HEADER = 4, ROW = HEADER + 4 * 16 / 8 * 8 };
	unsigned char number[MAX_EVENTS], count[MODEL_THREADS] = {0};
	struct partial_order order = {calloc(n ? n : 1, ROW), n * ROW};

	if (!order.bytes)
		abort();
	for (size_t i = 0; i < n; i++) {
		unsigned char *row = order.bytes + i * ROW;

		number[i] = count[events[i].thread]++;
		if (events[i].thread >= 4 || number[i] >= 128)
			abort();
		row[0] = (unsigned char)events[i].thread;
		row[1] = number[i];
		row[2] = (unsigned char)events[i].op.kind;
		row[3] = (unsigned char)(events[i].op.object / 8);
		for (size_t j = 0; j < i; j++) {
			unsigned bit = (unsigned)events[j].thread * 128 + number[j];

			if (rfs_dependent(events[i].thread, &events[i].op, events[j].thread, &events[j].op))
				row[HEADER + bit / 8] |= (unsigned char)(1u << bit % 8);
		}
	}
	qsort(order.bytes, n, ROW, by_thread);
	return order;
}

static size_t add(struct partial_orders *orders, struct partial_order order)
{
	orders->runs++;
	for (size_t i = 0; i < orders->n; i++) {
		if (orders->orders[i].n == order.n && memcmp(orders->orders[i].bytes, order.bytes, order.n) == 0) {
			free(order.bytes);
			orders->counts[i]++;
			return i;
		}
	}
	if (orders->n == orders->capacity) {
		orders->capacity = orders->capacity ? orders->capacity * 2 : 64;
		orders->orders = realloc(orders->orders, orders->capacity * sizeof(*orders->orders));
		orders->counts = realloc(orders->counts, orders->capacity * sizeof(*orders->counts));
		if (!orders->orders || !orders->counts)
			abort();
	}
	orders->orders[orders->n] = order;
	orders->counts[orders->n] = 1;
	return orders->n++;
}

void partial_orders_release(struct partial_orders *orders)
{
	for (size_t i = 0; i < orders->n; i++)
		free(orders->orders[i].bytes);
	free(orders->orders);
	free(orders->counts);
	*orders = (struct partial_orders){0};
}

/* ---- runs ---- */

static size_t run(const struct model_program *program, struct recorder *recorder, struct partial_orders *out)
{
	struct ran events[MAX_EVENTS];
	const struct rfs_blob blob = {recorder, sizeof(*recorder)};
	const struct model_config config = {.policy = &recorder_ops, .blob = &blob, .all_accesses = true};
	struct model_result result;

	recorder->events = events;
	recorder->n = 0;
	model_run(program, &config, &result);
	if (result.end == MODEL_BAD_CHOICE || result.end == MODEL_STEPS)
		abort();
	model_release(&result);
	return add(out, order_of(events, recorder->n));
}

void enumerate_program(const struct model_program *program, uint64_t max_runs, struct partial_orders *out)
{
	unsigned char choices[MAX_EVENTS] = {0}, widths[MAX_EVENTS];
	struct recorder recorder = {.choices = choices, .widths = widths};

	*out = (struct partial_orders){0};
	for (;;) {
		size_t at;

		if (out->runs == max_runs)
			abort();
		run(program, &recorder, out);
		/* next schedule: the last step with another branch takes it; later steps start with branch 0 */
		for (at = recorder.n; at > 0 && choices[at - 1] + 1 == widths[at - 1]; at--)
			choices[at - 1] = 0;
		if (at == 0)
			return;
		choices[at - 1]++;
	}
}

size_t sample_program(const struct model_program *program, const struct rfs_policy_ops *policy, const char *options,
		      const struct rfs_blob *blob, uint64_t seed, struct partial_orders *out)
{
	const struct rfs_policy_args args = {.seed = seed, .options = options, .blob = blob};
	struct recorder recorder = {.inner = policy};
	size_t index;

	if (policy->init(&recorder.state, &args))
		abort();
	index = run(program, &recorder, out);
	if (policy->fini)
		policy->fini(recorder.state);
	return index;
}
