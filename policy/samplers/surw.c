/*
 * surw.c - selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury, Selectively Uniform Concurrency
 * Testing, ASPLOS 2025). It samples the orders of the *interesting* operations uniformly, no matter how many other
 * operations are between them.
 *
 * Each thread has a number of interesting operations left. If the next thread is drawn in proportion to these numbers,
 * all interleavings of the interesting operations are equally likely. The thread drawn this way is the intended one.
 * Until it has executed its next interesting operation, the other threads may execute only uninteresting ones.
 *
 * The first run is a random walk that makes the profile: the number of operations of each thread on each object. Later
 * runs start from this profile (surw_save()). Each of them draws one object that at least two threads used. The
 * operations on it are interesting, except releases and wake-ups, because other threads wait for these. Operations of
 * descendants that do not exist yet count for their ancestor. A thread is identified by its creator and its index among
 * the creator's children. An object is identified by its address, which is the same in every run unless allocations
 * race.
 *
 * If the intended thread cannot run, another one is drawn. The same happens if its interesting operation has not come
 * within `patience` operations, because it may wait for a thread that is held back. Yielded and sleeping threads are
 * handled as candidates.h describes.
 *
 * Draws (part of the record format, rng.h): surw_init() draws the object if there is a profile. Each pick draws, in
 * this order: those of rfs_candidates_collect(); the intended thread if there is none; the thread to run; those of
 * rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/candidates.h"

#define DEFAULT_PATIENCE 1000

/* What a run saves for the next: how often a thread used an object. A count with object 0 says that the thread
 * exists. */
struct count {
	uint64_t thread, creator; /* names from child_name(); creator 0: none, or not given here */
	uint64_t object, n;
};

struct blob_header {
	char magic[8];
	uint64_t n_counts;
};
static const char magic[8] = "rfssur1";

/* The state of one thread of this run. */
struct walker {
	uint64_t name; /* from child_name(); 0: no RFS_EVENT_THREAD yet */
	uint64_t children;
	uint64_t left; /* interesting operations left for this thread and for descendants that do not exist yet */
};

struct surw {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	uint64_t patience;
	struct count *counts; /* the profile, from the blob or (if profiling) of this run */
	size_t n_counts, capacity;
	bool profiling;
	rfs_addr object; /* operations on this object are interesting; 0: no operation is */
	struct walker *walkers;
	size_t walkers_capacity;
	int intended; /* number of the intended thread; -1: none, so one must be drawn */
	uint64_t intended_since;
};

/* A name for the child with this index of this creator. Different children have different names, except for collisions
 * of a 64-bit hash (the finaliser of splitmix64). */
static uint64_t child_name(uint64_t creator, uint64_t index)
{
	uint64_t z = creator * UINT64_C(0x9e3779b97f4a7c15) + index + 1;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return z ? z : 1;
}

static bool can_interest(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_UNLOCK:
	case RFS_OP_COND_WAKE:
	case RFS_OP_BARRIER_LEAVE:
	case RFS_OP_FUTEX_SLEEP:
	case RFS_OP_DESTROY:
		return false;
	default:
		return op->object != 0;
	}
}

static struct count *count_of(struct surw *surw, uint64_t thread, uint64_t creator, uint64_t object)
{
	for (size_t i = 0; i < surw->n_counts; i++) {
		if (surw->counts[i].thread == thread && surw->counts[i].object == object)
			return &surw->counts[i];
	}
	surw->counts = rfs_policy_grow(surw->counts, &surw->capacity, surw->n_counts + 1, sizeof(*surw->counts));
	surw->counts[surw->n_counts] = (struct count){thread, creator, object, 0};
	return &surw->counts[surw->n_counts++];
}

static int take_blob(struct surw *surw, const struct rfs_blob *blob)
{
	struct blob_header header;

	surw->profiling = !blob || !blob->size;
	if (surw->profiling)
		return 0;
	if (blob->size < sizeof(header))
		return -EINVAL;
	memcpy(&header, blob->data, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
	    header.n_counts != (blob->size - sizeof(header)) / sizeof(struct count) ||
	    (blob->size - sizeof(header)) % sizeof(struct count) != 0)
		return -EINVAL;
	if (header.n_counts == 0)
		return 0;
	surw->n_counts = header.n_counts;
	surw->counts = rfs_policy_grow(NULL, &surw->capacity, surw->n_counts, sizeof(*surw->counts));
	memcpy(surw->counts, (const char *)blob->data + sizeof(header), surw->n_counts * sizeof(*surw->counts));
	return 0;
}

/* Whether counts[at] is the first count of an object that another thread also used. */
static bool is_shared(const struct surw *surw, size_t at)
{
	bool shared = false;

	if (!surw->counts[at].object)
		return false;
	for (size_t i = 0; i < surw->n_counts; i++) {
		if (surw->counts[i].object != surw->counts[at].object || i == at)
			continue;
		if (i < at)
			return false;
		shared = true;
	}
	return shared;
}

static void draw_object(struct surw *surw)
{
	uint64_t seen = 0, chosen;

	for (size_t i = 0; i < surw->n_counts; i++)
		seen += is_shared(surw, i);
	if (seen == 0)
		return;
	chosen = rfs_rng_below(&surw->rng, seen);
	for (size_t i = 0; i < surw->n_counts; i++) {
		if (is_shared(surw, i) && chosen-- == 0)
			surw->object = surw->counts[i].object;
	}
}

static int surw_init(void **out, const struct rfs_policy_args *args)
{
	struct surw settings = {.patience = DEFAULT_PATIENCE, .intended = -1}, *surw;
	const struct rfs_policy_option options[] = {{"patience", &settings.patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (!err)
		err = take_blob(&settings, args->blob);
	if (err)
		return err;
	surw = rfs_policy_zalloc(1, sizeof(*surw));
	*surw = settings;
	rfs_rng_init(&surw->rng, args->seed);
	if (!surw->profiling)
		draw_object(surw);
	*out = surw;
	return 0;
}

/* The number of interesting operations of a thread and all its descendants in the profile. The recursion ends, because
 * creators are older than their children. */
static uint64_t subtree(const struct surw *surw, uint64_t name, unsigned depth)
{
	uint64_t n = 0;

	for (size_t i = 0; i < surw->n_counts; i++) {
		const struct count *c = &surw->counts[i];

		if (c->thread == name && c->object == surw->object && c->object)
			n += c->n;
		else if (c->creator == name && c->object == 0 && c->thread != name && depth < 64)
			n += subtree(surw, c->thread, depth + 1);
	}
	return n;
}

static struct walker *walker_of(struct surw *surw, int thread)
{
	surw->walkers =
		rfs_policy_grow(surw->walkers, &surw->walkers_capacity, (size_t)thread + 1, sizeof(*surw->walkers));
	return &surw->walkers[thread];
}

static void surw_event(void *opaque, const struct rfs_event *event)
{
	struct surw *surw = opaque;
	uint64_t parent = 0, number = (uint64_t)event->thread;
	struct walker *walker;

	if (event->kind != RFS_EVENT_THREAD)
		return;
	if (event->op.peer >= 0) {
		walker = walker_of(surw, event->op.peer);
		parent = walker->name;
		number = walker->children++;
	}
	walker = walker_of(surw, event->thread);
	walker->name = child_name(parent, number);
	if (surw->profiling) {
		count_of(surw, walker->name, parent, 0);
		return;
	}
	walker->left = subtree(surw, walker->name, 0);
	if (event->op.peer >= 0) {
		struct walker *creator = &surw->walkers[event->op.peer];

		creator->left -= walker->left < creator->left ? walker->left : creator->left;
	}
}

static bool is_interesting(const struct surw *surw, const struct rfs_thread_view *t)
{
	return surw->object && t->next.object == surw->object && can_interest(&t->next);
}

/* Draws the intended thread in proportion to the interesting operations left. A candidate without any left is never
 * drawn. */
static void draw_intended(struct surw *surw, const struct rfs_view *view)
{
	uint64_t total = 0, chosen;

	surw->intended = -1;
	for (size_t i = 0; i < surw->candidates.n; i++)
		total += walker_of(surw, surw->candidates.threads[i]->thread)->left;
	if (total == 0)
		return;
	chosen = rfs_rng_below(&surw->rng, total);
	for (size_t i = 0; i < surw->candidates.n && surw->intended < 0; i++) {
		uint64_t left = walker_of(surw, surw->candidates.threads[i]->thread)->left;

		if (chosen < left)
			surw->intended = surw->candidates.threads[i]->thread;
		chosen -= left;
	}
	surw->intended_since = view->step;
}

static bool is_candidate(const struct surw *surw, int thread)
{
	for (size_t i = 0; i < surw->candidates.n; i++) {
		if (surw->candidates.threads[i]->thread == thread)
			return true;
	}
	return false;
}

/* Removes candidates that must wait for the intended thread, unless no candidate would remain. */
static void hold_back(struct surw *surw)
{
	struct rfs_candidates *list = &surw->candidates;
	size_t held = 0;

	for (size_t i = 0; i < list->n; i++)
		held += is_interesting(surw, list->threads[i]) && list->threads[i]->thread != surw->intended;
	if (held == list->n)
		return;
	for (size_t i = list->n; i-- > 0;) {
		if (is_interesting(surw, list->threads[i]) && list->threads[i]->thread != surw->intended)
			rfs_candidates_remove(list, i);
	}
}

static int surw_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct surw *surw = opaque;
	const struct rfs_thread_view *t;
	struct walker *walker;

	rfs_candidates_collect(&surw->candidates, view, &surw->rng);
	if (surw->candidates.n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	if (surw->object) {
		if (surw->intended < 0 || !is_candidate(surw, surw->intended) ||
		    view->step - surw->intended_since >= surw->patience)
			draw_intended(surw, view);
		if (surw->intended >= 0)
			hold_back(surw);
	}
	t = surw->candidates.threads[rfs_rng_below(&surw->rng, surw->candidates.n)];
	walker = walker_of(surw, t->thread);
	if (surw->profiling && can_interest(&t->next))
		count_of(surw, walker->name, 0, t->next.object)->n++;
	if (is_interesting(surw, t)) {
		walker->left -= walker->left > 0;
		surw->intended = -1;
	}
	rfs_candidates_choose(view, t, &surw->rng, out);
	return 0;
}

static int surw_save(void *opaque, struct rfs_blob *blob)
{
	const struct surw *surw = opaque;
	const struct blob_header header = {.n_counts = surw->n_counts};
	size_t size = surw->n_counts * sizeof(*surw->counts);
	char *data = rfs_policy_zalloc(1, sizeof(header) + size);

	memcpy(data, &header, sizeof(header));
	memcpy(data, magic, sizeof(magic));
	if (size)
		memcpy(data + sizeof(header), surw->counts, size);
	*blob = (struct rfs_blob){data, sizeof(header) + size};
	return 0;
}

static void surw_fini(void *opaque)
{
	struct surw *surw = opaque;

	rfs_candidates_release(&surw->candidates);
	free(surw->counts);
	free(surw->walkers);
	free(surw);
}

const struct rfs_policy_ops rfs_policy_surw = {
	.abi = RFS_POLICY_ABI,
	.name = "surw",
	.summary = "orders of the operations on one object, drawn uniformly: for threads of unequal length (SURW, "
		   "ASPLOS 2025)",
	.flags = RFS_POLICY_NEEDS_BLOB,
	.init = surw_init,
	.pick = surw_pick,
	.event = surw_event,
	.save = surw_save,
	.fini = surw_fini,
};
