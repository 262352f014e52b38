/* The parent reads the result of its child from a pipe. The child computes it with two threads, which lose an update.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	for (int i = 0; i < 3; i++) {
		if (FIXED)
			pthread_mutex_lock(&lock);
		sum = sum + 1;
		if (FIXED)
			pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	int ends[2], got = 0;
	pthread_t a, b;

	if (pipe(ends))
		return 2;
	if (!fork()) {
		close(ends[0]);
		pthread_create(&a, NULL, add, NULL);
		pthread_create(&b, NULL, add, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		_exit(write(ends[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	close(ends[1]);
	if (read(ends[0], &got, sizeof(got)) != sizeof(got))
		return 3;
	wait(NULL);
	printf("%d\n", got);
	return got != 6;
}
