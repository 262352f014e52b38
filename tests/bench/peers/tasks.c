/* tasks: a merge sort whose parts are tasks of one queue under a lock. A part is merged by the thread that ends its
 * second half. SIZE: numbers to sort. */
#include "team.h"

#include <stdbool.h>
#include <string.h>

#define SMALL 16 /* numbers that are sorted at once */

struct task {
	struct task *parent, *next;
	int *first;
	long n;
	int open; /* halves that are not sorted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct task *queue;
static bool done;

static void put(struct task *parent, int *first, long n)
{
	struct task *task = malloc(sizeof(*task));

	*task = (struct task){.parent = parent, .first = first, .n = n, .open = 2};
	pthread_mutex_lock(&lock);
	task->next = queue; /* PAIR */
	queue = task;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

/* NULL: all is sorted. */
static struct task *take(void)
{
	struct task *task;

	pthread_mutex_lock(&lock);
	while (!queue && !done)
		pthread_cond_wait(&changed, &lock);
	task = queue;
	if (task)
		queue = task->next;
	pthread_mutex_unlock(&lock);
	return task;
}

static void sort(int *first, long n)
{
	for (long i = 1; i < n; i++) {
		const int value = first[i];
		long k = i;

		for (; k > 0 && first[k - 1] > value; k--)
			first[k] = first[k - 1];
		first[k] = value;
	}
}

static void merge(int *first, long n)
{
	const long half = n / 2;
	int *left = malloc((size_t)half * sizeof(*left));
	long a = 0, b = half;

	memcpy(left, first, (size_t)half * sizeof(*left));
	for (long i = 0; a < half; i++)
		first[i] = b < n && first[b] < left[a] ? first[b++] : left[a++];
	free(left);
}

/* A part was sorted. Merges all parts whose second half it is. */
static void end(struct task *task)
{
	struct task *parent = task->parent;

	free(task);
	while (parent) {
		bool last;

		pthread_mutex_lock(&lock);
		last = --parent->open == 0;
		pthread_mutex_unlock(&lock);
		if (!last)
			return;
		merge(parent->first, parent->n);
		task = parent;
		parent = task->parent;
		free(task);
	}
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *number)
{
	struct task *task;

	(void)number;
	while ((task = take()) != NULL)
		if (task->n <= SMALL) {
			sort(task->first, task->n);
			end(task);
		} else {
			const long half = task->n / 2;
			int *first = task->first;
			const long n = task->n;

			put(task, first, half);
			put(task, first + half, n - half);
		}
	return NULL;
}

int main(int argc, char **argv)
{
	const long n = team_arguments(argc, argv);
	int *numbers = malloc((size_t)n * sizeof(*numbers));
	bool sorted = true;

	for (long i = 0; i < n; i++)
		numbers[i] = (int)((unsigned long)i * 2654435761u % 1000003);
	put(NULL, numbers, n);
	team_run(work);
	for (long i = 1; i < n; i++)
		sorted &= numbers[i - 1] <= numbers[i];
	printf("%d\n", sorted);
	return !sorted;
}
