/*
 * Prints all that a program may see of the world without communication: times, random bytes, ids, addresses, the
 * machine, a directory. Two threads do this in turn. The output must be the same in all runs of one seed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int global;

static void print_bytes(const char *what, const void *data, size_t n)
{
	printf("%s", what);
	for (size_t i = 0; i < n; i++)
		printf("%02x", ((const unsigned char *)data)[i]);
	printf("\n");
}

static void times_and_random(void)
{
	struct timespec ts;
	struct timeval tv;
	struct tms tms;
	unsigned char bytes[16];
	int fd = open("/dev/urandom", O_RDONLY);
	FILE *file = fopen("/dev/random", "r");
	unsigned aux;

	for (int clock = 0; clock < 8; clock++) {
		clock_gettime(clock, &ts);
		printf("clock %d %ld.%09ld\n", clock, (long)ts.tv_sec, ts.tv_nsec);
	}
	gettimeofday(&tv, NULL);
	printf("%ld.%06ld %ld %ld\n", (long)tv.tv_sec, (long)tv.tv_usec, (long)time(NULL), (long)times(&tms));
	printf("tsc %llu %llu\n", __rdtsc(), __rdtscp(&aux));
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) || read(fd, bytes + 4, 4) != 4 ||
	    fread(bytes + 8, 1, 4, file) != 4)
		abort();
	print_bytes("random ", bytes, sizeof(bytes));
	close(fd);
	fclose(file);
#ifdef __RDRND__
#error "the program must not be built for a processor with rdrand"
#endif
	printf("rdrand %d rdseed %d\n", !!__builtin_cpu_supports("rdrnd"), !!__builtin_cpu_supports("rdseed"));
}

static void ids_and_addresses(void)
{
	int local;
	void *block = malloc(100), *map = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	printf("ids %d %d %d %d %d\n", getpid(), gettid(), getppid(), getpgrp(), getsid(0));
	printf("addresses %p %p %p %p %p %p\n", (void *)&local, (void *)&global, block, map, (void *)pthread_self(),
	       (void *)printf);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child %d %d of %d\n", getpid(), gettid(), getppid());
		fflush(stdout);
		_exit(7);
	}
	printf("forked %d, waited for %d", child, waitpid(child, &status, 0));
	printf(", status %d\n", WEXITSTATUS(status));
	free(block);
}

static void machine(void)
{
	struct sysinfo info;
	struct rusage usage;
	struct utsname name;
	cpu_set_t cores;
	unsigned cpu, node;

	sysinfo(&info);
	getrusage(RUSAGE_SELF, &usage);
	uname(&name);
	getcpu(&cpu, &node);
	sched_getaffinity(0, sizeof(cores), &cores);
	printf("%s up %ld free %lu faults %ld core %u of %d, configured %ld, first %d\n", name.sysname, info.uptime,
	       info.freeram, usage.ru_minflt, cpu, CPU_COUNT(&cores), sysconf(_SC_NPROCESSORS_ONLN),
	       CPU_ISSET(0, &cores));
}

static void directory(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	long third = 0;

	for (int i = 0; (entry = readdir(dir)); i++) {
		printf("entry %s\n", entry->d_name);
		if (i == 2)
			third = telldir(dir);
	}
	rewinddir(dir);
	entry = readdir(dir);
	printf("again %s\n", entry ? entry->d_name : "none");
	seekdir(dir, third);
	entry = readdir(dir);
	printf("fourth %s\n", entry ? entry->d_name : "none");
	closedir(dir);
}

static atomic_int sender;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	atomic_store(&sender, info->si_pid);
}

static void signals(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &action, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
	printf("tgkill from %d\n", atomic_load(&sender));
	kill(getpid(), SIGUSR1);
	while (atomic_exchange(&sender, 0) == 0)
		sched_yield();
	printf("own signal: %s\n", kill(getpid(), 0) == 0 ? "can be sent" : "cannot be sent");
	errno = 0;
	printf("nobody: %d %d\n", kill(4999999, 0), errno);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		printf("worker %ld\n", (long)(intptr_t)arg);
		times_and_random();
		ids_and_addresses();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	machine();
	directory();
	signals();
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* the test asks for a failure, because only then the run is recorded */
	return argc > 1 ? atoi(argv[1]) : 0;
}
