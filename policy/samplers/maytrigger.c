/* maytrigger.c - hash tables of the pairs and of the classes in them, and their form as a blob from run to run. */
#include "policy/samplers/maytrigger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/results.h"

/* The first word of the saved relation. After it come function and class of each pair. All words are in host byte
 * order, because the data never leave the machine. */
#define MAGIC UINT64_C(0x316d617964726621) /* "!frdyam1" */

struct key {
	uint64_t function, class;
};

struct rfs_maytrigger_pair {
	struct key key;
	bool fresh; /* found in this run */
	UT_hash_handle hh;
};

struct rfs_maytrigger_class {
	uint64_t class;
	UT_hash_handle hh;
};

static struct rfs_maytrigger_pair *maytrigger_find(const struct rfs_maytrigger *relation, const struct key *key)
{
	struct rfs_maytrigger_pair *pair;

	HASH_FIND(hh, relation->pairs, key, sizeof(*key), pair);
	return pair;
}

static void maytrigger_add(struct rfs_maytrigger *relation, const struct key *key, bool fresh)
{
	struct rfs_maytrigger_pair *pair;

	if (maytrigger_find(relation, key))
		return;
	pair = rfs_policy_zalloc(1, sizeof(*pair));
	pair->key = *key;
	pair->fresh = fresh;
	HASH_ADD(hh, relation->pairs, key, sizeof(pair->key), pair);
	relation->n++;
}

int rfs_maytrigger_load(struct rfs_maytrigger *relation, const struct rfs_blob *blob)
{
	const unsigned char *at = blob->data;
	const uint64_t magic = MAGIC;
	struct rfs_maytrigger_class *known;
	struct key key;

	if (blob->size < sizeof(magic) || (blob->size - sizeof(magic)) % sizeof(key) ||
	    memcmp(at, &magic, sizeof(magic)) != 0)
		return -EINVAL;
	for (at += sizeof(magic); at < (const unsigned char *)blob->data + blob->size; at += sizeof(key)) {
		memcpy(&key, at, sizeof(key));
		maytrigger_add(relation, &key, false);
		HASH_FIND(hh, relation->triggers, &key.class, sizeof(key.class), known);
		if (known)
			continue;
		known = rfs_policy_zalloc(1, sizeof(*known));
		known->class = key.class;
		HASH_ADD(hh, relation->triggers, class, sizeof(known->class), known);
	}
	return 0;
}

int rfs_maytrigger_save(const struct rfs_maytrigger *relation, struct rfs_blob *blob)
{
	const uint64_t magic = MAGIC;
	size_t size = sizeof(magic) + relation->n * sizeof(struct key);
	unsigned char *at = malloc(size);

	if (!at)
		return -ENOMEM;
	*blob = (struct rfs_blob){at, size};
	memcpy(at, &magic, sizeof(magic));
	at += sizeof(magic);
	for (const struct rfs_maytrigger_pair *pair = relation->pairs; pair; pair = pair->hh.next) {
		memcpy(at, &pair->key, sizeof(pair->key));
		at += sizeof(pair->key);
	}
	return 0;
}

void rfs_maytrigger_add(struct rfs_maytrigger *relation, uint64_t function, uint64_t class)
{
	maytrigger_add(relation, &(struct key){function, class}, true);
}

bool rfs_maytrigger_has(const struct rfs_maytrigger *relation, uint64_t function, uint64_t class)
{
	const struct rfs_maytrigger_pair *pair = maytrigger_find(relation, &(struct key){function, class});

	return pair && !pair->fresh;
}

bool rfs_maytrigger_any(const struct rfs_maytrigger *relation, uint64_t class)
{
	struct rfs_maytrigger_class *known;

	HASH_FIND(hh, relation->triggers, &class, sizeof(class), known);
	return known != NULL;
}

void rfs_maytrigger_release(struct rfs_maytrigger *relation)
{
	struct rfs_maytrigger_pair *pair, *next_pair;
	struct rfs_maytrigger_class *class, *next_class;

	HASH_ITER (hh, relation->pairs, pair, next_pair) {
		HASH_DEL(relation->pairs, pair);
		free(pair);
	}
	HASH_ITER (hh, relation->triggers, class, next_class) {
		HASH_DEL(relation->triggers, class);
		free(class);
	}
	relation->n = 0;
}
