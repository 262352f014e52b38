/*
 * pipeline: three stages pass two buffers round through queues: fill, double, add up and return. The second stage
 * marks a buffer as used, but only after passing it on.
 *
 * Answer: the pair fill:mark is real and harmful. If a buffer is filled again before the late mark, the second
 * stage takes a full buffer that is marked as used, and aborts. (The queues are correct.)
 * Plain runs: almost never fail. The third stage begins when two buffers are marked, and the third mark is
 * harmless.
 * Twin: marks the buffer before passing it on. The pair may still be predicted, because a queue at which no thread
 * waits gives no order to hybrid detection, but it cannot be created.
 */
#include "target.h"

#define BUFFERS 2
#define ROUNDS 3

enum state { USED, FULL };

struct buffer {
	enum state state;
	int value;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	struct buffer *buffers[BUFFERS];
	int put, taken; /* how many since the start; the index is the number modulo BUFFERS */
};

struct buffer buffers[BUFFERS];
struct queue to_fill = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};
struct queue to_double = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};
struct queue to_add = {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};

static void put(struct queue *queue, struct buffer *buffer)
{
	pthread_mutex_lock(&queue->lock);
	queue->buffers[queue->put++ % BUFFERS] = buffer;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->lock);
}

static struct buffer *take(struct queue *queue)
{
	struct buffer *buffer;

	pthread_mutex_lock(&queue->lock);
	while (queue->taken == queue->put)
		pthread_cond_wait(&queue->not_empty, &queue->lock);
	buffer = queue->buffers[queue->taken++ % BUFFERS];
	pthread_mutex_unlock(&queue->lock);
	return buffer;
}

static void *fill(void *arg)
{
	for (int i = 1; i <= ROUNDS; i++) {
		struct buffer *buffer = take(&to_fill);

		buffer->value = i;
		buffer->state = FULL; /* RACE: fill */
		put(&to_double, buffer);
	}
	return arg;
}

static void *twice(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct buffer *buffer = take(&to_double);

		if (buffer->state != FULL)
			fail("a full buffer is marked as used");
		buffer->value *= 2;
#ifdef FIXED
		buffer->state = USED; /* RACE: mark */
#endif
		put(&to_add, buffer);
#ifndef FIXED
		buffer->state = USED; /* RACE: mark */
#endif
	}
	return arg;
}

static void *add_up(void *arg)
{
	long sum = 0;

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		struct buffer *buffer = take(&to_add);

		sum += buffer->value;
		put(&to_fill, buffer);
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t first, second, third;

	for (int i = 0; i < BUFFERS; i++)
		put(&to_fill, &buffers[i]);
	third = start_late(add_up, NULL, 3);
	second = start(twice, NULL);
	first = start(fill, NULL);
	join(first);
	join(second);
	printf("sum %ld\n", (long)join(third));
	return 0;
}
