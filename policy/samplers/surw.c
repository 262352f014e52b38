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
 * Each run refreshes the profile, because another order may take another branch. A new count of a thread on an object
 * is averaged with the old one. What a run does not use keeps its count; it is dropped after MAX_AGE such runs.
 *
 * A thread that is blocked at the drawn object, such as a lock, is drawn like one that can run. Otherwise the holder of
 * a lock would always be first to take it again: of two threads that take one mutex twice, two of six orders would be
 * impossible. While the intended thread is blocked, the others execute uninteresting operations, such as the unlock.
 *
 * If the intended thread cannot run for another reason, another one is drawn. The same happens if all threads that can
 * run are before interesting operations. If the operation of the intended thread has not come within `patience`
 * operations, the profile is wrong for it: it may wait for a thread that is held back. It counts as one without any
 * operation left then. Yielded and sleeping threads are handled as candidates.h describes.
 *
 * Draws (part of the record format, rng.h): surw_init() draws whether there is an object, and which, if there is a
 * profile. If the creator of a new thread is the intended one, the new thread may become it instead; its creation draws
 * that. Each pick draws, in this order: those of rfs_candidates_collect(); the intended thread if there is none;
 * another one if all candidates would have to wait for it; the thread to run; those of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

#define DEFAULT_PATIENCE 1000

/*
 * One run in this many draws no object: it is a plain random walk. A thread whose operations are not in the profile is
 * never intended, so an order in which it comes first would otherwise be impossible.
 */
#define RANDOM_WALKS 256

/* Enough runs for a branch that one run in five takes to stay in the profile. */
#define MAX_AGE 16

struct count_key {
	uint64_t thread; /* name from child_name() */
	uint64_t object; /* 0: the count only says that the thread exists */
};

/* What a run saves for the next: how often a thread used an object. */
struct count {
	struct count_key key;
	uint64_t creator; /* object 0: name of the thread's creator; 0: none */
	uint64_t n;
	uint64_t age; /* how many runs in a row have not used it */
};

struct blob_header {
	char magic[8];
	uint64_t n_counts;
};
static const char magic[8] = "rfssur2";

/* A count of the profile, and what this run has counted. */
struct entry {
	struct count count;
	uint64_t now; /* operations of this run */
	bool used;    /* in this run */
	UT_hash_handle hh;
};

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
	struct entry *profile; /* uthash, in the order of the blob */
	bool profiling;	       /* the first run: there is no profile yet */
	rfs_addr object;       /* operations on this object are interesting; 0: no operation is */
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

static struct entry *surw_entry_of(struct surw *surw, uint64_t thread, uint64_t object)
{
	const struct count_key key = {thread, object};
	struct entry *entry;

	HASH_FIND(hh, surw->profile, &key, sizeof(key), entry);
	if (entry)
		return entry;
	entry = rfs_policy_zalloc(1, sizeof(*entry));
	entry->count.key = key;
	HASH_ADD(hh, surw->profile, count.key, sizeof(key), entry);
	return entry;
}

static void free_profile(struct surw *surw)
{
	struct entry *entry, *next;

	HASH_ITER (hh, surw->profile, entry, next) {
		HASH_DEL(surw->profile, entry);
		free(entry);
	}
}

static int surw_take_blob(struct surw *surw, const struct rfs_blob *blob)
{
	struct blob_header header;
	struct count count;

	surw->profiling = !blob || !blob->size;
	if (surw->profiling)
		return 0;
	if (blob->size < sizeof(header))
		return -EINVAL;
	memcpy(&header, blob->data, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
	    header.n_counts != (blob->size - sizeof(header)) / sizeof(count) ||
	    (blob->size - sizeof(header)) % sizeof(count) != 0)
		return -EINVAL;
	for (size_t i = 0; i < header.n_counts; i++) {
		memcpy(&count, (const char *)blob->data + sizeof(header) + i * sizeof(count), sizeof(count));
		surw_entry_of(surw, count.key.thread, count.key.object)->count = count;
	}
	return 0;
}

/* An object of the profile, and how many threads used it. */
struct shared {
	uint64_t object, users;
	UT_hash_handle hh;
};

static void draw_object(struct surw *surw)
{
	struct shared *objects = NULL, *shared, *next;
	uint64_t seen = 0, chosen;

	for (const struct entry *entry = surw->profile; entry; entry = entry->hh.next) {
		if (!entry->count.key.object)
			continue;
		HASH_FIND(hh, objects, &entry->count.key.object, sizeof(uint64_t), shared);
		if (!shared) {
			shared = rfs_policy_zalloc(1, sizeof(*shared));
			shared->object = entry->count.key.object;
			HASH_ADD(hh, objects, object, sizeof(uint64_t), shared);
		}
		seen += ++shared->users == 2;
	}
	chosen = seen ? rfs_rng_below(&surw->rng, seen) : 0;
	HASH_ITER (hh, objects, shared, next) {
		if (shared->users >= 2 && chosen-- == 0)
			surw->object = shared->object;
		HASH_DEL(objects, shared);
		free(shared);
	}
}

static int surw_init(void **out, const struct rfs_policy_args *args)
{
	struct surw settings = {.patience = DEFAULT_PATIENCE, .intended = -1}, *surw;
	const struct rfs_policy_option options[] = {{"patience", &settings.patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (!err)
		err = surw_take_blob(&settings, args->blob);
	if (err)
		return err; /* the profile is still empty */
	surw = rfs_policy_zalloc(1, sizeof(*surw));
	*surw = settings;
	rfs_rng_init(&surw->rng, args->seed);
	if (!surw->profiling && !rfs_rng_chance(&surw->rng, 1, RANDOM_WALKS))
		draw_object(surw);
	*out = surw;
	return 0;
}

/* The number of interesting operations of a thread and all its descendants in the profile. The recursion ends, because
 * creators are older than their children. */
static uint64_t subtree(const struct surw *surw, uint64_t name, unsigned depth)
{
	uint64_t n = 0;

	for (const struct entry *entry = surw->profile; entry; entry = entry->hh.next) {
		const struct count *c = &entry->count;

		if (c->key.thread == name && c->key.object == surw->object && c->key.object)
			n += c->n;
		else if (c->creator == name && c->key.object == 0 && c->key.thread != name && depth < 64)
			n += subtree(surw, c->key.thread, depth + 1);
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
	struct entry *exists;

	if (event->kind != RFS_EVENT_THREAD)
		return;
	if (event->op.peer >= 0) {
		walker = walker_of(surw, event->op.peer);
		parent = walker->name;
		number = walker->children++;
	}
	walker = walker_of(surw, event->thread);
	walker->name = child_name(parent, number);
	exists = surw_entry_of(surw, walker->name, 0);
	exists->count.creator = parent;
	exists->used = true;
	if (surw->profiling)
		return;
	walker->left = subtree(surw, walker->name, 0);
	if (event->op.peer >= 0) {
		struct walker *creator = &surw->walkers[event->op.peer];

		/* the intended operation was one of all that are left to the creator, those of the new thread included
		 */
		if (surw->intended == event->op.peer && creator->left &&
		    rfs_rng_chance(&surw->rng, walker->left < creator->left ? walker->left : creator->left,
				   creator->left))
			surw->intended = event->thread;
		creator->left -= walker->left < creator->left ? walker->left : creator->left;
	}
}

static bool is_interesting(const struct surw *surw, const struct rfs_thread_view *t)
{
	return surw->object && t->next.object == surw->object && can_interest(&t->next);
}

static bool surw_is_candidate(const struct surw *surw, int thread)
{
	for (size_t i = 0; i < surw->candidates.n; i++) {
		if (surw->candidates.threads[i]->thread == thread)
			return true;
	}
	return false;
}

/* Whether the thread can be the intended one: it can run now, or is blocked at the drawn object. */
static bool can_be_intended(const struct surw *surw, const struct rfs_thread_view *t)
{
	return surw_is_candidate(surw, t->thread) ||
	       (is_interesting(surw, t) && rfs_candidate_class(t) == RFS_CANDIDATE_NONE);
}

/* Draws the intended thread in proportion to the interesting operations left. A thread without any left is never
 * drawn. */
static void draw_intended(struct surw *surw, const struct rfs_view *view, bool even_blocked)
{
	uint64_t total = 0, chosen = 0;

	surw->intended = -1;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < view->n_threads; i++) {
			const struct rfs_thread_view *t = &view->threads[i];
			uint64_t left = walker_of(surw, t->thread)->left;

			if (!(even_blocked ? can_be_intended(surw, t) : surw_is_candidate(surw, t->thread)))
				continue;
			if (pass == 0) {
				total += left;
			} else if (chosen < left) {
				surw->intended = t->thread;
				return;
			} else {
				chosen -= left;
			}
		}
		if (total == 0)
			return;
		if (pass == 0)
			chosen = rfs_rng_below(&surw->rng, total);
	}
}

static bool is_intended_possible(const struct surw *surw, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == surw->intended)
			return can_be_intended(surw, &view->threads[i]);
	}
	return false;
}

/* Whether the candidate must wait for the intended thread. */
static bool is_held(const struct surw *surw, const struct rfs_thread_view *t)
{
	return surw->intended >= 0 && t->thread != surw->intended && is_interesting(surw, t);
}

static size_t count_held(const struct surw *surw)
{
	size_t held = 0;

	for (size_t i = 0; i < surw->candidates.n; i++)
		held += is_held(surw, surw->candidates.threads[i]);
	return held;
}

/* Chooses the intended thread if that is due, and removes the candidates that must wait for it. */
static void hold_back(struct surw *surw, const struct rfs_view *view)
{
	struct rfs_candidates *list = &surw->candidates;
	const int before = surw->intended;

	if (before >= 0 && view->step - surw->intended_since >= surw->patience) {
		walker_of(surw, before)->left = 0;
		surw->intended = -1;
	}
	if (!is_intended_possible(surw, view))
		draw_intended(surw, view, true);
	if (surw->intended != before)
		surw->intended_since = view->step;
	if (count_held(surw) == list->n)
		draw_intended(surw, view, false); /* only an interesting operation can let the blocked thread go */
	if (count_held(surw) == list->n)
		return;
	for (size_t i = list->n; i-- > 0;) {
		if (is_held(surw, list->threads[i]))
			rfs_candidates_remove(list, i);
	}
}

/* Counts the operation for the profile that this run saves. */
static void count_operation(struct surw *surw, uint64_t thread, const struct rfs_op *op)
{
	struct entry *entry;

	if (!can_interest(op))
		return;
	entry = surw_entry_of(surw, thread, op->object);
	entry->now++;
	entry->used = true;
}

static int surw_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct surw *surw = opaque;
	const struct rfs_thread_view *t;
	struct walker *walker;

	rfs_candidates_collect(&surw->candidates, view, &surw->rng);
	if (surw->candidates.n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	if (surw->object)
		hold_back(surw, view);
	t = surw->candidates.threads[rfs_rng_below(&surw->rng, surw->candidates.n)];
	walker = walker_of(surw, t->thread);
	count_operation(surw, walker->name, &t->next);
	if (is_interesting(surw, t)) {
		walker->left -= walker->left > 0;
		surw->intended = -1;
	}
	rfs_candidates_choose(&surw->candidates, view, t, &surw->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

/* The count after this run. False: it is too old to be saved. */
static bool surw_refresh(const struct surw *surw, const struct entry *entry, struct count *out)
{
	*out = entry->count;
	if (!entry->used)
		return ++out->age <= MAX_AGE;
	out->age = 0;
	/* rounded up, so that what is used never counts as 0 */
	out->n = surw->profiling || !out->n ? entry->now : (out->n + entry->now + 1) / 2;
	return true;
}

static int surw_save(void *opaque, struct rfs_blob *blob)
{
	const struct surw *surw = opaque;
	struct blob_header header = {0};
	char *data = rfs_policy_zalloc(1, sizeof(header) + HASH_COUNT(surw->profile) * sizeof(struct count));
	struct count count;

	memcpy(header.magic, magic, sizeof(magic));
	for (const struct entry *entry = surw->profile; entry; entry = entry->hh.next) {
		if (surw_refresh(surw, entry, &count))
			memcpy(data + sizeof(header) + header.n_counts++ * sizeof(count), &count, sizeof(count));
	}
	memcpy(data, &header, sizeof(header));
	*blob = (struct rfs_blob){data, sizeof(header) + header.n_counts * sizeof(count)};
	return 0;
}

static void surw_fini(void *opaque)
{
	struct surw *surw = opaque;

	rfs_candidates_release(&surw->candidates);
	free_profile(surw);
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
