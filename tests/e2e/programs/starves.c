/*
 * starves calls|writes: one thread makes calls that never wait, until another one sets a flag.
 * starves alarm|alarm-calls: a thread computes, or makes such calls, until a timer's signal sets the flag.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int null;

static void *calls(void *arg)
{
	while (!stop)
		if (close(open("/dev/null", O_RDONLY)))
			return arg;
	return NULL;
}

static void *writes(void *arg)
{
	volatile unsigned long sum = 0;

	while (!stop) {
		for (int i = 0; i < 1000; i++)
			sum += (unsigned long)i;
		if (write(null, "x", 1) != 1)
			return arg;
	}
	return NULL;
}

static void computes(void)
{
	for (unsigned long i = 0; !stop; i++)
		__asm__ volatile("" : : "r"(i));
}

static void *ends(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	stop = 1;
	return arg;
}

static void on_alarm(int signo)
{
	stop = signo;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "calls";
	pthread_t one, two;

	null = open("/dev/null", O_WRONLY);
	if (strncmp(how, "alarm", 5) == 0) {
		signal(SIGALRM, on_alarm);
		alarm(1);
		if (strcmp(how, "alarm") == 0)
			computes();
		else
			calls(NULL);
		return stop != SIGALRM;
	}
	pthread_create(&one, NULL, strcmp(how, "calls") == 0 ? calls : writes, NULL);
	pthread_create(&two, NULL, ends, NULL);
	pthread_join(two, NULL);
	pthread_join(one, NULL);
	return 0;
}
