/* call_pairs.c - two hash tables with counts: by methods, and by what the calls do. */
#include "supervisor/generate/tests/call_pairs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"

/* The effects that tell pairs apart. */
#define HEAP_EFFECTS (RFS_DRIVER_ALLOCATES | RFS_DRIVER_FREES)

/* A pair that shows nothing counts as executed this many times. */
#define SILENT 4

/*
 * The smaller function and effect first. A pair of methods has no effects and shares nothing. All members have one
 * size, so there are no bytes between them, which would be compared too.
 */
struct key {
	size_t functions[2], effects[2], shares;
};

struct row {
	struct key key;
	uint64_t times; /* that the pair was planned; more if it showed nothing */
	bool is_executed;
	UT_hash_handle hh;
};

struct rfs_call_pairs {
	struct row *methods, *calls;
	size_t n_executed; /* of methods */
};

struct rfs_call_pairs *rfs_call_pairs_new(void)
{
	return xcalloc(1, sizeof(struct rfs_call_pairs));
}

static void free_rows(struct row *rows)
{
	struct row *row, *next;

	HASH_ITER (hh, rows, row, next) {
		HASH_DEL(rows, row);
		free(row);
	}
}

void rfs_call_pairs_free(struct rfs_call_pairs *pairs)
{
	free_rows(pairs->methods);
	free_rows(pairs->calls);
	free(pairs);
}

static bool call_pairs_is_same(const struct rfs_value *a, const struct rfs_value *b, int object)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case RFS_VALUE_INTEGER:
		return a->integer == b->integer;
	case RFS_VALUE_STRING:
	case RFS_VALUE_CXX_STRING:
		return strcmp(a->string, b->string) == 0;
	case RFS_VALUE_VARIABLE:
		return a->integer == b->integer && a->integer != object;
	default:
		return false;
	}
}

static bool call_pairs_share(const struct rfs_sequence_call *a, const struct rfs_sequence_call *b, int object)
{
	for (size_t i = 0; i < a->n_values; i++)
		for (size_t k = 0; k < b->n_values; k++)
			if (call_pairs_is_same(&a->values[i], &b->values[k], object))
				return true;
	return false;
}

static struct key key_of_methods(const struct rfs_sequence_call *a, const struct rfs_sequence_call *b)
{
	bool swapped = a->function > b->function;

	return (struct key){.functions = {swapped ? b->function : a->function, swapped ? a->function : b->function}};
}

static struct key key_of_calls(const struct rfs_sequence_call *a, const struct rfs_sequence_call *b, int object)
{
	struct key key = key_of_methods(a, b);
	bool swapped = a->function > b->function || (a->function == b->function && a->effects > b->effects);

	key.effects[0] = (swapped ? b->effects : a->effects) & HEAP_EFFECTS;
	key.effects[1] = (swapped ? a->effects : b->effects) & HEAP_EFFECTS;
	key.shares = call_pairs_share(a, b, object);
	return key;
}

static uint64_t times(const struct row *rows, const struct key *key)
{
	const struct row *row;

	HASH_FIND(hh, rows, key, sizeof(*key), row);
	return row ? row->times : 0;
}

/* The row of a pair, which is made if it is absent. */
static struct row *call_pairs_row_of(struct row **rows, const struct key *key)
{
	struct row *row;

	HASH_FIND(hh, *rows, key, sizeof(*key), row);
	if (!row) {
		row = xcalloc(1, sizeof(*row));
		memcpy(&row->key, key, sizeof(*key));
		HASH_ADD(hh, *rows, key, sizeof(*key), row);
	}
	return row;
}

/* The different pairs of a call of each thread. The caller frees the result. */
static size_t different_pairs(struct rfs_calls first, struct rfs_calls second, int object, struct key **out)
{
	struct key *keys = xcalloc(first.n * second.n + 1, sizeof(*keys));
	size_t n = 0;

	for (size_t i = 0; i < first.n; i++)
		for (size_t k = 0; k < second.n; k++) {
			size_t at = 0;

			keys[n] = key_of_calls(&first.list[i], &second.list[k], object);
			while (memcmp(&keys[at], &keys[n], sizeof(*keys)) != 0)
				at++;
			n += at == n;
		}
	*out = keys;
	return n;
}

double rfs_call_pairs_weight(const struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second,
			     int object)
{
	struct key *keys;
	size_t n = different_pairs(first, second, object, &keys);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += 1.0 / (1.0 + (double)times(pairs->calls, &keys[i]));
	free(keys);
	return sum;
}

static void add_times(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, int object,
		      uint64_t times)
{
	struct key *keys;
	size_t n = different_pairs(first, second, object, &keys);

	for (size_t i = 0; i < n; i++)
		call_pairs_row_of(&pairs->calls, &keys[i])->times += times;
	free(keys);
}

void rfs_call_pairs_planned(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, int object)
{
	add_times(pairs, first, second, object, 1);
	for (size_t i = 0; i < first.n; i++)
		for (size_t k = 0; k < second.n; k++) {
			const struct key methods = key_of_methods(&first.list[i], &second.list[k]);

			call_pairs_row_of(&pairs->methods, &methods)->times++;
		}
}

void rfs_call_pairs_executed(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, int object,
			     bool telling)
{
	if (!telling)
		add_times(pairs, first, second, object, SILENT - 1);
	for (size_t i = 0; i < first.n; i++)
		for (size_t k = 0; k < second.n; k++) {
			const struct key methods = key_of_methods(&first.list[i], &second.list[k]);
			struct row *row = call_pairs_row_of(&pairs->methods, &methods);

			pairs->n_executed += !row->is_executed;
			row->is_executed = true;
		}
}

bool rfs_call_pairs_are_new(const struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second)
{
	for (size_t i = 0; i < first.n; i++)
		for (size_t k = 0; k < second.n; k++) {
			const struct key key = key_of_methods(&first.list[i], &second.list[k]);

			if (!times(pairs->methods, &key))
				return true;
		}
	return false;
}

size_t rfs_call_pairs_count(const struct rfs_call_pairs *pairs)
{
	return pairs->n_executed;
}
