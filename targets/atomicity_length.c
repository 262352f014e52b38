/*
 * atomicity_length: a reader asks for the length of a text in one section and copies the text in another. A thread that
 * clears the text between the two leaves a null pointer.
 *
 * Answer: failure, no race: an atomicity violation R-w-R on the pointer.
 * Plain and random runs: never fail, because the reader is done long before the text is cleared.
 * Twin: one section.
 */
#include <string.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char *data;
	size_t length;
} text;
static char copy[64];

static void *read_text(void *arg)
{
	size_t n;

	(void)arg;
	pthread_mutex_lock(&lock);
	n = text.data ? text.length : 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	for (size_t i = 0; i < n; i++)
		copy[i] = text.data[i];
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *clear_text(void *arg)
{
	char *old;

	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	old = text.data;
	text.data = NULL;
	text.length = 0;
	pthread_mutex_unlock(&lock);
	free(old);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	text.data = strdup("some text");
	text.length = 9;
	pthread_create(&threads[0], NULL, read_text, NULL);
	pthread_create(&threads[1], NULL, clear_text, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return copy[0] == 'x';
}
