/*
 * gen_ok_worker: a type that has its own thread. The thread takes lines from a list that a mutex guards.
 *
 * Answer: nothing is found.
 */
#include "gen_ok_worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct line {
	struct line *next;
	char bytes[];
};

struct gen_writer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct line *first, **last;
	size_t n_put, n_done, n_bytes; /* lines that were put; of these, lines written or dropped */
	bool ends;
	pthread_t thread;
};

static void *write_lines(void *arg)
{
	struct gen_writer *writer = arg;

	pthread_mutex_lock(&writer->lock);
	while (writer->first || !writer->ends) {
		struct line *line = writer->first;

		if (!line) {
			pthread_cond_wait(&writer->changed, &writer->lock);
			continue;
		}
		writer->first = line->next;
		if (!writer->first)
			writer->last = &writer->first;
		writer->n_bytes += strlen(line->bytes);
		writer->n_done++;
		free(line);
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

struct gen_writer *gen_writer_new(void)
{
	struct gen_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->changed, NULL);
	writer->last = &writer->first;
	if (pthread_create(&writer->thread, NULL, write_lines, writer) == 0)
		return writer;
	free(writer);
	return NULL;
}

void gen_writer_free(struct gen_writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	writer->ends = true;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	pthread_cond_destroy(&writer->changed);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

void gen_writer_add(struct gen_writer *writer, const char *bytes)
{
	struct line *line = malloc(sizeof(*line) + strlen(bytes) + 1);

	line->next = NULL;
	strcpy(line->bytes, bytes);
	pthread_mutex_lock(&writer->lock);
	*writer->last = line;
	writer->last = &line->next;
	writer->n_put++;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
}

void gen_writer_flush(struct gen_writer *writer)
{
	size_t n;

	pthread_mutex_lock(&writer->lock);
	n = writer->n_put;
	while (writer->n_done < n)
		pthread_cond_wait(&writer->changed, &writer->lock);
	pthread_mutex_unlock(&writer->lock);
}

size_t gen_writer_written(struct gen_writer *writer)
{
	size_t n;

	pthread_mutex_lock(&writer->lock);
	n = writer->n_bytes;
	pthread_mutex_unlock(&writer->lock);
	return n;
}

size_t gen_writer_drop(struct gen_writer *writer)
{
	struct line *line, *next;
	size_t n = 0;

	pthread_mutex_lock(&writer->lock);
	for (line = writer->first; line; line = next, n++) {
		next = line->next;
		free(line);
	}
	writer->first = NULL;
	writer->last = &writer->first;
	writer->n_done += n;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
	return n;
}
