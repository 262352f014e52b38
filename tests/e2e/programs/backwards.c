/* backwards.c - calls, recursion, a long loop, a signal and two threads, for reverse_test.c. argv[1]: how long the loop
 * is */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

int total, last, handled;
/* a page of its own, because without debug registers rfsup closes the pages of watched variables */
static _Alignas(4096) union {
	long sum;
	char page[4096];
} sums;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int add(int by)
{
	total += by;
	return total;
}

static int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

static void spin(long n)
{
	for (long i = 0; i < n; i++)
		sums.sum += i;
}

static void spun(void)
{
	sums.sum++;
}

static void on_signal(int signo)
{
	handled += signo;
}

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		last = *(int *)arg;
		add(10 * last);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void finish(void)
{
	handled = -handled;
}

int main(int argc, char **argv)
{
	static int ids[] = {1, 2};
	pthread_t threads[2];

	add(1);
	add(2);
	add(3);
	last = fib(4);
	spin(argc > 1 ? atol(argv[1]) : 1000);
	spun();
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	finish();
	return 0;
}
