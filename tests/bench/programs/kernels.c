/*
 * kernels SHAPE: three compute programs like the Java Grande benchmarks that the RAPOS paper (Sen, ASE 2007) measures.
 * They have eleven threads, main included, and are so small that a run costs little more than its schedule.
 *
 *   moldyn      each thread computes its share of the forces into its own array; barrier; thread 0 adds them up;
 *               barrier; each thread moves its particles; barrier
 *   montecarlo  each thread computes its paths and adds its result to a list, under a lock
 *   raytracer   a lock hands out one row at a time; another lock protects the sum of the checksums; barrier
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define WORKERS 10
#define PARTICLES 20
#define ROUNDS 2
#define ROWS 14

static pthread_barrier_t barrier;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER, row_lock = PTHREAD_MUTEX_INITIALIZER,
		       sum_lock = PTHREAD_MUTEX_INITIALIZER;
static double position[PARTICLES], force[WORKERS][PARTICLES], total[PARTICLES];
static double results[WORKERS];
static int n_results, next_row;
static uint64_t checksum;

static void *moldyn(void *arg)
{
	size_t me = (size_t)arg;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = me; i < PARTICLES; i += WORKERS)
			for (size_t k = 0; k < PARTICLES; k++)
				force[me][k] += position[i] - position[k];
		pthread_barrier_wait(&barrier);
		for (size_t w = 0; me == 0 && w < WORKERS; w++)
			for (size_t k = 0; k < PARTICLES; k++)
				total[k] += force[w][k];
		pthread_barrier_wait(&barrier);
		for (size_t i = me; i < PARTICLES; i += WORKERS)
			position[i] += total[i] * 1e-3;
	}
	return NULL;
}

static void *montecarlo(void *arg)
{
	uint64_t state = (size_t)arg * 7919 + 1;
	double sum = 0;

	for (int path = 0; path < 100; path++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(state >> 11) * 0x1p-53;
	}
	pthread_mutex_lock(&list_lock);
	results[n_results++] = sum;
	pthread_mutex_unlock(&list_lock);
	return NULL;
}

static void *raytracer(void *arg)
{
	uint64_t sum = 0;

	(void)arg;
	for (;;) {
		int row;

		pthread_mutex_lock(&row_lock);
		row = next_row++;
		pthread_mutex_unlock(&row_lock);
		if (row >= ROWS)
			break;
		for (int x = 0; x < 50; x++)
			sum += (uint64_t)(row * x) % 7;
	}
	pthread_mutex_lock(&sum_lock);
	checksum += sum;
	pthread_mutex_unlock(&sum_lock);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static const struct {
	const char *name;
	void *(*body)(void *);
} shapes[] = {{"moldyn", moldyn}, {"montecarlo", montecarlo}, {"raytracer", raytracer}};

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];
	void *(*body)(void *) = NULL;

	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(argv[1], shapes[i].name) == 0)
			body = shapes[i].body;
	if (!body || pthread_barrier_init(&barrier, NULL, WORKERS))
		return 2;
	for (size_t i = 0; i < PARTICLES; i++)
		position[i] = (double)i;
	for (size_t i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, body, (void *)i))
			return 2;
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
