/*
 * queues SHAPE: three programs of the RAPOS paper (Sen, ASE 2007, table 1). They have no bug. Their threads wait only
 * for each other.
 *
 *   buffer        two producers and two consumers handle one item each; the buffer has room for one item
 *   philosophers  five philosophers eat twice each; all except the last take the left fork first
 *   pipeline      two items go through four stages; three queues with room for one item connect them
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define SEATS 5
#define MEALS 2
#define STAGES 4
#define ITEMS 2
#define THREADS_MAX 8

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int full, item;
};

static struct queue queues[STAGES];
static pthread_mutex_t forks[SEATS];

static void put(struct queue *queue, int item)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->full)
		pthread_cond_wait(&queue->not_full, &queue->lock);
	queue->full = 1;
	queue->item = item;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->lock);
}

static int take(struct queue *queue)
{
	int item;

	pthread_mutex_lock(&queue->lock);
	while (!queue->full)
		pthread_cond_wait(&queue->not_empty, &queue->lock);
	queue->full = 0;
	item = queue->item;
	pthread_cond_signal(&queue->not_full);
	pthread_mutex_unlock(&queue->lock);
	return item;
}

static void *buffer(void *arg)
{
	if ((intptr_t)arg < 2)
		put(&queues[0], 1);
	else
		take(&queues[0]);
	return NULL;
}

static void *philosopher(void *arg)
{
	intptr_t seat = (intptr_t)arg, low = seat == SEATS - 1 ? 0 : seat, high = seat == SEATS - 1 ? seat : seat + 1;

	for (int i = 0; i < MEALS; i++) {
		pthread_mutex_lock(&forks[low]);
		pthread_mutex_lock(&forks[high]);
		pthread_mutex_unlock(&forks[high]);
		pthread_mutex_unlock(&forks[low]);
	}
	return NULL;
}

static void *stage(void *arg)
{
	intptr_t number = (intptr_t)arg;

	for (int i = 0; i < ITEMS; i++) {
		int item = number > 0 ? take(&queues[number - 1]) : i;

		if (number < STAGES - 1)
			put(&queues[number], item + 1);
	}
	return NULL;
}

static const struct {
	const char *name;
	void *(*body)(void *);
	int threads;
} shapes[] = {{"buffer", buffer, 4}, {"philosophers", philosopher, SEATS}, {"pipeline", stage, STAGES}};

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];

	for (int i = 0; i < STAGES; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].not_full, NULL);
		pthread_cond_init(&queues[i].not_empty, NULL);
	}
	for (int i = 0; i < SEATS; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (size_t k = 0; argc > 1 && k < sizeof(shapes) / sizeof(*shapes); k++) {
		if (strcmp(argv[1], shapes[k].name) != 0)
			continue;
		for (intptr_t i = 0; i < shapes[k].threads; i++)
			if (pthread_create(&threads[i], NULL, shapes[k].body, (void *)i))
				return 2;
		for (int i = 0; i < shapes[k].threads; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	return 2;
}
