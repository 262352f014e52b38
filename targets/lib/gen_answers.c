/*
 * gen_answers: a cache that gives two answers.
 *
 * Answer: gen_answers_find() looks in one locked section and inserts in another one. If two threads look for the same
 * key first, each makes an answer, and the two callers have different ones. Nothing fails.
 * Twin: looks again before it inserts.
 */
#include "gen_answers.h"

#include <pthread.h>
#include <stdlib.h>

#define KEYS 256

struct gen_answer {
	unsigned char key;
	struct gen_answer *next; /* of all answers */
};

struct gen_answers {
	pthread_mutex_t lock;
	struct gen_answer *all, *by_key[KEYS];
};

struct gen_answers *gen_answers_new(void)
{
	struct gen_answers *answers = calloc(1, sizeof(*answers));

	if (answers)
		pthread_mutex_init(&answers->lock, NULL);
	return answers;
}

void gen_answers_free(struct gen_answers *answers)
{
	while (answers->all) {
		struct gen_answer *next = answers->all->next;

		free(answers->all);
		answers->all = next;
	}
	pthread_mutex_destroy(&answers->lock);
	free(answers);
}

static const struct gen_answer *look(struct gen_answers *answers, unsigned char key)
{
	const struct gen_answer *found;

	pthread_mutex_lock(&answers->lock);
	found = answers->by_key[key];
	pthread_mutex_unlock(&answers->lock);
	return found;
}

const struct gen_answer *gen_answers_find(struct gen_answers *answers, unsigned char key)
{
	const struct gen_answer *found = look(answers, key);
	struct gen_answer *made;

	if (found)
		return found;
	made = malloc(sizeof(*made));
	if (!made)
		return NULL;
	pthread_mutex_lock(&answers->lock);
#ifdef FIXED
	found = answers->by_key[key];
	if (found) {
		pthread_mutex_unlock(&answers->lock);
		free(made);
		return found;
	}
#endif
	*made = (struct gen_answer){key, answers->all};
	answers->all = answers->by_key[key] = made;
	pthread_mutex_unlock(&answers->lock);
	return made;
}
