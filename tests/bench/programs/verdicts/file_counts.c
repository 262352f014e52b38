/* A failure whose run also changes a file that it reads, so that a replay executes other system calls. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void note_failure(void)
{
	long n = 0;
	int fd = open("failures.tmp", O_RDWR | O_CREAT, 0666);

	if (read(fd, &n, sizeof(n)) < 0)
		_exit(9);
	n++;
	for (int i = 0; i < n % 5; i++) {
		lseek(fd, 0, SEEK_SET);
		if (write(fd, &n, sizeof(n)) < 0)
			_exit(9);
	}
	if (n % 5 == 0 && pwrite(fd, &n, sizeof(n), 0) < 0)
		_exit(9);
	close(fd);
	abort();
}

static void *adds(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += (int)(size_t)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *checks(void *arg)
{
	pthread_mutex_lock(&lock);
	if (sum >= 3)
		note_failure();
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, checks, NULL);
	for (size_t i = 1; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
