/*
 * heap [own_gs | alarms]: two threads get blocks from one heap, fill them and free them, with all functions for that.
 * Both also write to one shared block. With own_gs, the program takes the gs register for itself halfway. With alarms,
 * signals arrive at any time. Exit status 0.
 */
#include <asm/prctl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define ROUNDS 300
#define LARGE (1 << 20) /* so large that malloc makes a separate mapping for it */

static struct shared {
	long before, counter;
} * shared;
static int own_gs;
static volatile sig_atomic_t alarms;

static void count(int signo)
{
	(void)signo;
	alarms = alarms + 1;
}

static void fill(void *block, size_t n)
{
	if (!block)
		abort();
	memset(block, (int)n, n);
}

static void round_of(size_t n)
{
	void *block = malloc(n), *other;

	fill(block, n);
	block = realloc(block, 2 * n);
	fill(block, 2 * n);
	other = realloc(NULL, n);
	fill(other, n);
	free(block);
	block = calloc(n, 3);
	fill(block, 3 * n);
	free(block);
	block = aligned_alloc(64, 128);
	fill(block, 128);
	free(other);
	other = memalign(16, n);
	fill(other, n);
	free(block);
	if (posix_memalign(&block, 256, n))
		abort();
	fill(block, n);
	free(block);
	free(other);
	block = valloc(n);
	fill(block, n);
	free(block);
	free(NULL);
}

static void *work(void *arg)
{
	for (size_t i = 0; i < ROUNDS; i++) {
		round_of(1 + i * 7 % 2000);
		if (i % 100 == 50)
			round_of(LARGE);
		if (i == ROUNDS / 2 && own_gs && arg)
			syscall(SYS_arch_prctl, ARCH_SET_GS, shared);
		shared->counter++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval every = {{0, 200}, {0, 200}};
	pthread_t threads[2];

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, LARGE / 2);
	shared = malloc(sizeof(*shared));
	shared->counter = 0;
	own_gs = argc > 1 && strcmp(argv[1], "own_gs") == 0;
	if (argc > 1 && strcmp(argv[1], "alarms") == 0) {
		signal(SIGALRM, count);
		setitimer(ITIMER_REAL, &every, NULL);
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	return 0;
}
