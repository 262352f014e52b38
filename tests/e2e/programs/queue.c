/*
 * queue.c - a queue on the heap. main() locks it many times in a row, then a consumer aborts if it comes before the
 * producer. For the page of the run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct queue {
	pthread_mutex_t lock;
	int items, total;
};

static void *produce(void *arg)
{
	struct queue *q = arg;

	pthread_mutex_lock(&q->lock);
	q->items++;
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void *consume(void *arg)
{
	struct queue *q = arg;

	pthread_mutex_lock(&q->lock);
	if (q->items == 0) {
		fprintf(stderr, "the queue is <empty>\n");
		abort();
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

int main(void)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_t thread[3];

	pthread_mutex_init(&q->lock, NULL);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&q->lock);
		q->total += i;
		pthread_mutex_unlock(&q->lock);
	}
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, i ? consume : produce, q))
			return 2;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	free(q);
	return 0;
}
