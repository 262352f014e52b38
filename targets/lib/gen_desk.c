/*
 * gen_desk: two bugs with different causes.
 *
 * Answer: gen_desk_return() acquires the locks of the trays in another order than gen_desk_move(). And the note is used
 * without a lock, so it may be freed twice, or while it is read.
 * Twin: one order, and a lock for the note.
 */
#include "gen_desk.h"

#include <pthread.h>
#include <stdlib.h>

struct gen_desk {
	pthread_mutex_t first, second, note_lock;
	size_t n_first, n_second;
	char *note;
};

struct gen_desk *gen_desk_new(void)
{
	struct gen_desk *desk = calloc(1, sizeof(*desk));

	if (desk) {
		pthread_mutex_init(&desk->first, NULL);
		pthread_mutex_init(&desk->second, NULL);
		pthread_mutex_init(&desk->note_lock, NULL);
	}
	return desk;
}

void gen_desk_free(struct gen_desk *desk)
{
	pthread_mutex_destroy(&desk->first);
	pthread_mutex_destroy(&desk->second);
	pthread_mutex_destroy(&desk->note_lock);
	free(desk->note);
	free(desk);
}

void gen_desk_add(struct gen_desk *desk)
{
	pthread_mutex_lock(&desk->first);
	desk->n_first++;
	pthread_mutex_unlock(&desk->first);
}

/* Both locks are held. */
static size_t move(size_t *from, size_t *to)
{
	size_t n = *from;

	*to += n;
	*from = 0;
	return n;
}

size_t gen_desk_move(struct gen_desk *desk)
{
	size_t n;

	pthread_mutex_lock(&desk->first);
	pthread_mutex_lock(&desk->second);
	n = move(&desk->n_first, &desk->n_second);
	pthread_mutex_unlock(&desk->second);
	pthread_mutex_unlock(&desk->first);
	return n;
}

size_t gen_desk_return(struct gen_desk *desk)
{
#ifdef FIXED
	pthread_mutex_t *before = &desk->first, *after = &desk->second;
#else
	pthread_mutex_t *before = &desk->second, *after = &desk->first;
#endif
	size_t n;

	pthread_mutex_lock(before);
	pthread_mutex_lock(after);
	n = move(&desk->n_second, &desk->n_first);
	pthread_mutex_unlock(after);
	pthread_mutex_unlock(before);
	return n;
}

static void lock_note(struct gen_desk *desk)
{
#ifdef FIXED
	pthread_mutex_lock(&desk->note_lock);
#else
	(void)desk;
#endif
}

static void unlock_note(struct gen_desk *desk)
{
#ifdef FIXED
	pthread_mutex_unlock(&desk->note_lock);
#else
	(void)desk;
#endif
}

void gen_desk_write(struct gen_desk *desk, char first)
{
	char *note = malloc(1);

	if (!note)
		return;
	*note = first;
	lock_note(desk);
	free(desk->note);
	desk->note = note;
	unlock_note(desk);
}

char gen_desk_read(struct gen_desk *desk)
{
	char first;

	lock_note(desk);
	first = desk->note ? *desk->note : '\0';
	unlock_note(desk);
	return first;
}
