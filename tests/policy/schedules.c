#include "tests/policy/schedules.h"

#include <stdlib.h>
#include <string.h>

#include "policy/choice/candidates.h"
#include "policy/core/dependence.h"

#define MAX_EVENTS 96
#define MAX_THREADS 6
#define MAX_NUMBER 40
#define ROW (8 + (MAX_THREADS * MAX_NUMBER + 7) / 8)

struct ran {
	struct rfs_op op;
	int thread, waiter;
	enum rfs_outcome outcome;
};

struct option {
	int thread, waiter;
	enum rfs_outcome outcome;
};

/* A policy that notes what is executed. Another policy chooses, or a list of choices. */
struct noting {
	const struct rfs_policy_ops *inner; /* NULL: `choices` decide */
	void *state;
	struct ran events[MAX_EVENTS];
	size_t n;
	int current;
	unsigned preemptions;
	unsigned char choices[MAX_EVENTS], widths[MAX_EVENTS];
};

static int noting_init(void **out, const struct rfs_policy_args *args)
{
	*out = args->blob->data;
	return 0;
}

static bool awake(const struct rfs_thread_view *t)
{
	if ((t->flags & RFS_THREAD_CAN_TIME_OUT) && !(t->flags & RFS_THREAD_READY))
		return false;
	return (t->flags & RFS_THREAD_ENABLED) && !(t->flags & (RFS_THREAD_SLEEPS | RFS_THREAD_YIELDED));
}

static size_t options_of(const struct rfs_view *view, struct option *out)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		const bool timed = t->flags & RFS_THREAD_CAN_TIME_OUT;
		size_t before = n;

		if ((t->flags & RFS_THREAD_ENABLED) && (!timed || (t->flags & RFS_THREAD_READY))) {
			for (size_t k = 0; k < view->n_threads && t->next.kind == RFS_OP_COND_SIGNAL; k++)
				if (view->threads[k].next.kind == RFS_OP_COND_WAKE &&
				    view->threads[k].next.object == t->next.object &&
				    !(view->threads[k].flags & RFS_THREAD_WOKEN))
					out[n++] =
						(struct option){t->thread, view->threads[k].thread, RFS_OUTCOME_DONE};
			if (n == before + 1)
				out[before].waiter = -1;
			if (n == before)
				out[n++] = (struct option){t->thread, -1, RFS_OUTCOME_DONE};
		}
		if (timed)
			out[n++] = (struct option){t->thread, -1, RFS_OUTCOME_TIMED_OUT};
	}
	return n;
}

/* The waiter of the choice; -1 if there is only one, as in options_of(). */
static int waiter_of(const struct rfs_view *view, const struct rfs_thread_view *chosen, const struct rfs_choice *choice)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_threads; i++)
		n += rfs_candidate_waits(&view->threads[i], &chosen->next);
	return n > 1 ? choice->waiter : -1;
}

static int noting_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct noting *noting = opaque;
	struct option options[64];
	size_t n = options_of(view, options);
	const struct rfs_thread_view *chosen = NULL;
	bool could_continue = false;

	if (noting->n == MAX_EVENTS)
		abort();
	if (noting->inner) {
		int error = noting->inner->pick(noting->state, view, out);

		if (error)
			return error;
	} else {
		const struct option *option = &options[noting->choices[noting->n]];

		noting->widths[noting->n] = (unsigned char)n;
		out->thread = option->thread;
		out->waiter = option->waiter;
		out->outcome = option->outcome;
	}
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == out->thread)
			chosen = &view->threads[i];
		could_continue |= view->threads[i].thread == noting->current && awake(&view->threads[i]);
	}
	noting->preemptions += could_continue && out->thread != noting->current;
	noting->current = out->thread;
	noting->events[noting->n++] =
		(struct ran){chosen->next, out->thread, waiter_of(view, chosen, out), out->outcome};
	return 0;
}

static void noting_event(void *opaque, const struct rfs_event *event)
{
	struct noting *noting = opaque;

	if (event->kind == RFS_EVENT_THREAD && event->op.peer >= 0 && noting->n > 0)
		noting->events[noting->n - 1].op.peer = event->thread;
	if (noting->inner && noting->inner->event)
		noting->inner->event(noting->state, event);
}

static const struct rfs_policy_ops noting_ops = {
	.abi = RFS_POLICY_ABI,
	.name = "noting",
	.summary = "notes what ran",
	.init = noting_init,
	.pick = noting_pick,
	.event = noting_event,
};

static int by_thread(const void *a, const void *b)
{
	return memcmp(a, b, 2);
}

static struct schedule_class class_of(const struct noting *noting, const struct model_result *result)
{
	unsigned char number[MAX_EVENTS], count[MODEL_THREADS] = {0};
	struct schedule_class class = {
		calloc(noting->n + 1, ROW), noting->n * ROW, result->end, result->error, noting->preemptions, 0};

	if (!class.order)
		abort();
	for (size_t i = 0; i < noting->n; i++) {
		const struct ran *event = &noting->events[i];
		unsigned char *row = class.order + i * ROW;
		/* an operation that ends the process depends on all others */
		bool on_all = i + 1 == noting->n && result->end == MODEL_ERROR;

		number[i] = count[event->thread]++;
		if (event->thread >= MAX_THREADS || number[i] >= MAX_NUMBER)
			abort();
		row[0] = (unsigned char)event->thread;
		row[1] = number[i];
		row[2] = (unsigned char)event->op.kind;
		row[3] = (unsigned char)(event->op.object / 8);
		row[4] = (unsigned char)event->outcome;
		row[5] = (unsigned char)event->waiter;
		for (size_t k = 0; k < i; k++) {
			const struct ran *other = &noting->events[k];
			unsigned bit = (unsigned)other->thread * MAX_NUMBER + number[k];

			if (on_all || rfs_dependent(event->thread, &event->op, other->thread, &other->op))
				row[8 + bit / 8] |= (unsigned char)(1u << bit % 8);
		}
	}
	qsort(class.order, noting->n, ROW, by_thread);
	return class;
}

static size_t add(struct schedule_classes *classes, struct schedule_class class)
{
	classes->runs++;
	for (size_t i = 0; i < classes->n; i++) {
		struct schedule_class *known = &classes->list[i];

		if (known->n == class.n && memcmp(known->order, class.order, class.n) == 0) {
			free(class.order);
			if (class.preemptions < known->preemptions)
				known->preemptions = class.preemptions;
			return i;
		}
	}
	if (classes->n == classes->capacity) {
		classes->capacity = classes->capacity ? classes->capacity * 2 : 64;
		classes->list = realloc(classes->list, classes->capacity * sizeof(*classes->list));
		if (!classes->list)
			abort();
	}
	classes->list[classes->n] = class;
	return classes->n++;
}

static size_t run(const struct model_program *program, struct noting *noting, struct schedule_classes *out)
{
	const struct rfs_blob blob = {noting, sizeof(*noting)};
	const struct model_config config = {.policy = &noting_ops, .blob = &blob, .all_accesses = true};
	struct model_result result;
	size_t index;

	noting->n = 0;
	noting->current = 0;
	noting->preemptions = 0;
	model_run(program, &config, &result);
	if (result.end == MODEL_BAD_CHOICE || result.end == MODEL_STEPS)
		abort();
	index = add(out, class_of(noting, &result));
	model_release(&result);
	return index;
}

bool schedules_all(const struct model_program *program, uint64_t max_runs, struct schedule_classes *out)
{
	struct noting noting = {0};

	*out = (struct schedule_classes){0};
	for (;;) {
		double probability = 1;
		size_t at, index;

		if (out->runs == max_runs)
			return false;
		index = run(program, &noting, out);
		for (size_t i = 0; i < noting.n; i++)
			probability /= noting.widths[i];
		out->list[index].probability += probability;
		for (at = noting.n; at > 0 && noting.choices[at - 1] + 1 == noting.widths[at - 1]; at--)
			noting.choices[at - 1] = 0;
		if (at == 0)
			return true;
		noting.choices[at - 1]++;
	}
}

size_t schedules_sample(const struct model_program *program, const struct rfs_policy_ops *policy,
			const struct rfs_policy_args *args, struct rfs_blob *saved, struct schedule_classes *out)
{
	struct noting noting = {.inner = policy};
	size_t index;

	if (policy->init(&noting.state, args))
		abort();
	index = run(program, &noting, out);
	if (policy->save && policy->save(noting.state, saved))
		abort();
	policy->fini(noting.state);
	return index;
}

size_t schedules_one(const struct model_program *program, const struct rfs_policy_ops *policy,
		     const struct rfs_blob *blob, struct rfs_blob *saved, struct schedule_classes *out)
{
	return schedules_sample(program, policy, &(struct rfs_policy_args){.blob = blob}, saved, out);
}

void schedules_copy(const struct schedule_classes *from, struct schedule_classes *out)
{
	*out = (struct schedule_classes){.list = calloc(from->n + 1, sizeof(*from->list)), .capacity = from->n + 1};
	if (!out->list)
		abort();
	for (; out->n < from->n; out->n++) {
		struct schedule_class *class = &out->list[out->n];

		*class = from->list[out->n];
		class->order = malloc(class->n + ROW);
		if (!class->order)
			abort();
		memcpy(class->order, from->list[out->n].order, class->n);
	}
}

void schedules_release(struct schedule_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++)
		free(classes->list[i].order);
	free(classes->list);
	*classes = (struct schedule_classes){0};
}
