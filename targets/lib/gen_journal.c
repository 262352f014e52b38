/*
 * gen_journal: its functions print to a FILE of the caller, so they only run if they get a real one.
 *
 * Answer: gen_journal_print() copies the address of the lines in a locked section, and prints without the lock.
 * gen_journal_add() moves the lines meanwhile: a use after free. Twin: it prints with the lock held.
 */
#include "gen_journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct gen_journal {
	pthread_mutex_t lock;
	FILE *echo;
	int *lines;
	size_t n;
};

struct gen_journal *gen_journal_new(FILE *echo)
{
	struct gen_journal *journal = calloc(1, sizeof(*journal));

	if (journal) {
		pthread_mutex_init(&journal->lock, NULL);
		journal->echo = echo;
		fprintf(echo, "journal\n");
	}
	return journal;
}

void gen_journal_free(struct gen_journal *journal)
{
	pthread_mutex_destroy(&journal->lock);
	free(journal->lines);
	free(journal);
}

void gen_journal_add(struct gen_journal *journal, int line)
{
	int *longer;

	pthread_mutex_lock(&journal->lock);
	longer = malloc((journal->n + 1) * sizeof(*longer));
	if (longer) {
		if (journal->n)
			memcpy(longer, journal->lines, journal->n * sizeof(*longer));
		longer[journal->n++] = line;
		free(journal->lines);
		journal->lines = longer;
		fprintf(journal->echo, "%d\n", line);
	}
	pthread_mutex_unlock(&journal->lock);
}

void gen_journal_print(struct gen_journal *journal, FILE *out)
{
	const int *lines;
	size_t n;

	pthread_mutex_lock(&journal->lock);
	lines = journal->lines;
	n = journal->n;
#ifndef FIXED
	pthread_mutex_unlock(&journal->lock);
#endif
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%d\n", lines[i]);
#ifdef FIXED
	pthread_mutex_unlock(&journal->lock);
#endif
}
