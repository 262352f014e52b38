#include "tests/policy/reference.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 64
#define LOCKS 32

struct held {
	rfs_addr lock;
	unsigned life; /* how many resets of the lock's memory came before the lock was acquired */
	int exclusive, shared;
};

struct past_access {
	struct rfs_op op;
	int thread;
	size_t index;		 /* position in the order of events */
	uint64_t clock[THREADS]; /* the thread's vector clock at the access */
	struct held held[LOCKS];
	size_t n_held;
};

struct reset {
	rfs_addr first, last;
	size_t index;
};

struct sent {
	uint64_t message;
	uint64_t clock[THREADS];
};

/* What an atomic word tells its readers, in one life of its memory. */
struct word {
	rfs_addr address;
	unsigned life;
	bool written; /* an atomic has written it, or tried to */
	uint64_t stored[THREADS], updated[THREADS];
};

/* The thread dropped the last reference to this memory. Its accesses there know this clock, too. */
struct last_drop {
	rfs_addr first, last;
	int thread;
	bool over;
	uint64_t clock[THREADS];
};

struct reference {
	uint64_t clock[THREADS][THREADS];
	struct held held[THREADS][LOCKS];
	size_t n_held[THREADS];
	struct past_access *accesses;
	size_t n_accesses;
	struct reset *resets;
	size_t n_resets;
	struct sent *sent;
	size_t n_sent;
	struct word *words;
	size_t n_words;
	struct last_drop *drops;
	size_t n_drops;
	size_t n_events;
};

static void *append(void *array, size_t *n, const void *element, size_t size)
{
	array = realloc(array, (*n + 1) * size);
	if (!array)
		abort();
	memcpy((char *)array + (*n)++ * size, element, size);
	return array;
}

static int reference_init(void **out, const struct rfs_policy_args *args)
{
	(void)args;
	*out = calloc(1, sizeof(struct reference));
	return *out ? 0 : -1;
}

static void join(uint64_t *clock, const uint64_t *other)
{
	for (size_t i = 0; i < THREADS; i++)
		clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

static struct sent *find_sent(struct reference *reference, uint64_t message)
{
	for (size_t i = 0; i < reference->n_sent; i++) {
		if (reference->sent[i].message == message)
			return &reference->sent[i];
	}
	return NULL;
}

static unsigned life_of(const struct reference *reference, rfs_addr address)
{
	unsigned life = 0;

	for (size_t i = 0; i < reference->n_resets; i++)
		life += reference->resets[i].first <= address && address <= reference->resets[i].last;
	return life;
}

static struct held *find_held(struct reference *reference, int thread, rfs_addr lock, unsigned life)
{
	for (size_t i = 0; i < reference->n_held[thread]; i++) {
		if (reference->held[thread][i].lock == lock && reference->held[thread][i].life == life)
			return &reference->held[thread][i];
	}
	return NULL;
}

static void take(struct reference *reference, int thread, rfs_addr lock, bool shared)
{
	unsigned life = life_of(reference, lock);
	struct held *held = find_held(reference, thread, lock, life);

	if (!held) {
		if (reference->n_held[thread] == LOCKS)
			abort();
		held = &reference->held[thread][reference->n_held[thread]++];
		*held = (struct held){.lock = lock, .life = life};
	}
	if (shared)
		held->shared++;
	else
		held->exclusive++;
}

static void give(struct reference *reference, int thread, rfs_addr lock)
{
	unsigned life = life_of(reference, lock);
	struct held *held = find_held(reference, thread, lock, life);

	for (thread = held ? thread : 0; !held && thread < THREADS; thread++) {
		held = find_held(reference, thread, lock, life);
		if (held)
			break;
	}
	if (!held)
		return;
	if (held->exclusive)
		held->exclusive--;
	else
		held->shared--;
	if (!held->exclusive && !held->shared)
		*held = reference->held[thread][--reference->n_held[thread]];
}

static void drop_dead_locks(struct reference *reference)
{
	for (size_t t = 0; t < THREADS; t++) {
		for (size_t i = 0; i < reference->n_held[t];) {
			struct held *held = &reference->held[t][i];

			if (held->life != life_of(reference, held->lock))
				*held = reference->held[t][--reference->n_held[t]];
			else
				i++;
		}
	}
}

static struct word *word_at(struct reference *reference, rfs_addr address)
{
	const struct word word = {.address = address, .life = life_of(reference, address)};

	for (size_t i = 0; i < reference->n_words; i++)
		if (reference->words[i].address == address && reference->words[i].life == word.life)
			return &reference->words[i];
	reference->words = append(reference->words, &reference->n_words, &word, sizeof(word));
	return &reference->words[reference->n_words - 1];
}

static void load(struct reference *reference, int t, const struct rfs_op *op)
{
	const bool learns = op->access & RFS_ACCESS_LEARNS;

	if (!(op->access & RFS_ACCESS_ATOMIC) ||
	    ((op->access & RFS_ACCESS_WRITE) && !learns && !(op->access & RFS_ACCESS_TAKES)))
		return;
	join(reference->clock[t], word_at(reference, op->object)->stored);
	if (learns)
		join(reference->clock[t], word_at(reference, op->object)->updated);
}

static void store(struct reference *reference, int t, const struct rfs_op *op)
{
	struct word *word;

	if (!(op->access & RFS_ACCESS_ATOMIC) || !(op->access & RFS_ACCESS_WRITE))
		return;
	word = word_at(reference, op->object);
	word->written = true;
	/* a compare-exchange that failed */
	if ((op->access & RFS_ACCESS_TAKES) && !(op->access & RFS_ACCESS_TELLS))
		return;
	if (op->access & RFS_ACCESS_READ) {
		join(word->updated, reference->clock[t]);
		for (size_t i = 0; i < reference->n_drops; i++)
			if (!reference->drops[i].over && reference->drops[i].thread == t)
				join(word->updated, reference->drops[i].clock);
		if (op->access & RFS_ACCESS_TELLS)
			join(word->stored, reference->clock[t]);
		return;
	}
	memset(word->stored, 0, sizeof(word->stored));
	memset(word->updated, 0, sizeof(word->updated));
	join(word->stored, reference->clock[t]);
}

static void end_drops(struct reference *reference, rfs_addr first, rfs_addr last)
{
	for (size_t i = 0; i < reference->n_drops; i++)
		if (first <= reference->drops[i].last && last >= reference->drops[i].first)
			reference->drops[i].over = true;
}

static void add_drop(struct reference *reference, int t, const struct rfs_op *op)
{
	struct last_drop drop = {.first = op->object, .last = op->object + op->size - 1, .thread = t};

	if (!word_at(reference, op->object2)->written)
		return;
	end_drops(reference, drop.first, drop.last);
	join(drop.clock, word_at(reference, op->object2)->updated);
	reference->drops = append(reference->drops, &reference->n_drops, &drop, sizeof(drop));
}

static bool has_drops(const struct reference *reference, int t)
{
	for (size_t i = 0; i < reference->n_drops; i++)
		if (!reference->drops[i].over && reference->drops[i].thread == t)
			return true;
	return false;
}

static void know_drops(const struct reference *reference, struct past_access *access)
{
	const rfs_addr first = access->op.object, last = first + access->op.size - 1;

	for (size_t i = 0; i < reference->n_drops; i++) {
		const struct last_drop *drop = &reference->drops[i];

		if (!drop->over && drop->thread == access->thread && first >= drop->first && last <= drop->last &&
		    access->op.size && !(access->op.access & RFS_ACCESS_ATOMIC))
			join(access->clock, drop->clock);
	}
}

static void reference_event(void *state, const struct rfs_event *event)
{
	struct reference *reference = state;
	int t = event->thread;
	struct sent *sent;

	reference->n_events++;
	reference->clock[t][t]++;
	switch (event->kind) {
	case RFS_EVENT_OP:
		break;
	case RFS_EVENT_ACCESS: {
		struct past_access access = {.op = event->op, .thread = t, .index = reference->n_events};

		load(reference, t, &event->op);
		memcpy(access.clock, reference->clock[t], sizeof(access.clock));
		know_drops(reference, &access);
		memcpy(access.held, reference->held[t], sizeof(access.held));
		access.n_held = reference->n_held[t];
		reference->accesses = append(reference->accesses, &reference->n_accesses, &access, sizeof(access));
		store(reference, t, &event->op);
		if ((event->op.access & RFS_ACCESS_FREE) && event->op.size && has_drops(reference, t))
			end_drops(reference, event->op.object, event->op.object + event->op.size - 1);
		break;
	}
	case RFS_EVENT_ACQUIRE:
		take(reference, t, event->op.object, event->op.kind == RFS_OP_RDLOCK);
		break;
	case RFS_EVENT_RELEASE:
		give(reference, t, event->op.object);
		break;
	case RFS_EVENT_SEND:
		sent = find_sent(reference, event->message);
		if (!sent) {
			reference->sent = append(reference->sent, &reference->n_sent,
						 &(struct sent){.message = event->message}, sizeof(*sent));
			sent = &reference->sent[reference->n_sent - 1];
		}
		join(sent->clock, reference->clock[t]);
		break;
	case RFS_EVENT_RECEIVE:
		sent = find_sent(reference, event->message);
		if (sent)
			join(reference->clock[t], sent->clock);
		break;
	case RFS_EVENT_FORGET:
		sent = find_sent(reference, event->message);
		if (sent)
			memset(sent->clock, 0, sizeof(sent->clock));
		break;
	case RFS_EVENT_RESET:
		if (event->op.size) {
			struct reset reset = {event->op.object, event->op.object + event->op.size - 1,
					      reference->n_events};

			reference->resets = append(reference->resets, &reference->n_resets, &reset, sizeof(reset));
			drop_dead_locks(reference);
			end_drops(reference, reset.first, reset.last);
		}
		break;
	case RFS_EVENT_THREAD:
		if (event->op.peer >= 0)
			join(reference->clock[t], reference->clock[event->op.peer]);
		break;
	case RFS_EVENT_LAST_DROP:
		add_drop(reference, t, &event->op);
		break;
	case RFS_EVENT_LEFT:
		break;
	}
}

static bool protected_from(const struct past_access *a, const struct past_access *b)
{
	for (size_t i = 0; i < a->n_held; i++) {
		for (size_t j = 0; j < b->n_held; j++) {
			if (a->held[i].lock == b->held[j].lock && a->held[i].life == b->held[j].life &&
			    (a->held[i].exclusive || b->held[j].exclusive))
				return true;
		}
	}
	return false;
}

/* Whether a byte is in both accesses and no reset came between them. visit: called for each such byte; NULL: none. */
static bool share_a_byte(const struct reference *reference, const struct past_access *a, const struct past_access *b,
			 reference_byte *visit, void *arg)
{
	bool any = false;

	rfs_addr first = a->op.object > b->op.object ? a->op.object : b->op.object;
	rfs_addr end_a = a->op.object + a->op.size, end_b = b->op.object + b->op.size;
	rfs_addr end = end_a < end_b ? end_a : end_b;

	for (rfs_addr byte = first; byte < end; byte++) {
		bool same_life = true;

		for (size_t i = 0; i < reference->n_resets && same_life; i++) {
			const struct reset *reset = &reference->resets[i];

			same_life = byte < reset->first || byte > reset->last || reset->index < a->index ||
				    reset->index > b->index;
		}
		any |= same_life;
		if (same_life && !visit)
			return true;
		if (same_life)
			visit(arg, byte);
	}
	return any;
}

/* Whether a and b race. a is the earlier one. */
static bool races(const struct reference *reference, const struct past_access *a, const struct past_access *b,
		  reference_byte *visit, void *arg)
{
	const unsigned write = RFS_ACCESS_WRITE | RFS_ACCESS_FREE;

	return a->thread != b->thread && ((a->op.access | b->op.access) & write) &&
	       !(a->op.access & b->op.access & RFS_ACCESS_ATOMIC) && a->clock[a->thread] > b->clock[a->thread] &&
	       !protected_from(a, b) && share_a_byte(reference, a, b, visit, arg);
}

static int compare(const void *x, const void *y)
{
	const rfs_site *a = x, *b = y;

	for (int i = 0; i < 2; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static void reference_report(void *state,
			     void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			     void *arg)
{
	struct reference *reference = state;
	rfs_site(*pairs)[2] = NULL;
	size_t n = 0;

	for (size_t j = 0; j < reference->n_accesses; j++) {
		for (size_t i = 0; i < j; i++) {
			const struct past_access *a = &reference->accesses[i], *b = &reference->accesses[j];
			rfs_site pair[2] = {a->op.site, b->op.site};

			if (!races(reference, a, b, NULL, NULL))
				continue;
			if (pair[0] > pair[1])
				pair[0] = b->op.site, pair[1] = a->op.site;
			pairs = append(pairs, &n, &pair, sizeof(pair));
		}
	}
	if (n)
		qsort(pairs, n, sizeof(*pairs), compare);
	for (size_t i = 0; i < n; i++) {
		if (i && compare(pairs[i - 1], pairs[i]) == 0)
			continue;
		emit(arg, &(struct rfs_race_access){.site = pairs[i][0]},
		     &(struct rfs_race_access){.site = pairs[i][1]});
	}
	free(pairs);
}

void reference_bytes(void *state, reference_byte *visit, void *arg)
{
	const struct reference *reference = state;

	for (size_t j = 0; j < reference->n_accesses; j++)
		for (size_t i = 0; i < j; i++)
			(void)races(reference, &reference->accesses[i], &reference->accesses[j], visit, arg);
}

static void reference_fini(void *state)
{
	struct reference *reference = state;

	free(reference->accesses);
	free(reference->resets);
	free(reference->sent);
	free(reference->words);
	free(reference->drops);
	free(reference);
}

const struct rfs_detector_ops reference_detector = {
	.abi = RFS_POLICY_ABI,
	.name = "reference",
	.summary = "hybrid detection by brute force",
	.init = reference_init,
	.event = reference_event,
	.report = reference_report,
	.fini = reference_fini,
};
