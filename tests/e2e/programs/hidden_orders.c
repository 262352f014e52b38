/*
 * hidden_orders.c - two threads with one order of which few schedules have, in something that is easily overlooked: the
 * argument says in what. The kinds of the first table fail in that order; those of the second one do not fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LATE 1000 /* microseconds */
#define BIG 20000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static sem_t semaphore, other_semaphore;
static char *block;
static volatile int x, y, z;
static volatile int *on_stack;
static int fd, mapped_fd, target[64], source[64];
static volatile char *mapped;
static unsigned short numbers[3] = {1, 2, 3};
static long first_number;
static char path[64], name[8] = "ABCDefg", same[8] = "abcdEFG";
static volatile size_t size = sizeof(target);
static timer_t timer;

static void check(int right)
{
	if (!right)
		abort();
}

static void write_block(void)
{
	volatile char *at;

	pthread_mutex_lock(&mutex);
	at = block;
	pthread_mutex_unlock(&mutex);
	*at = 1;
}

static void grow_block(void)
{
	pthread_mutex_lock(&mutex);
	block = realloc(block, 100000);
	pthread_mutex_unlock(&mutex);
}

static void make_file(void)
{
	sem_post(&semaphore);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static void take_file(void)
{
	sem_wait(&semaphore);
	check(unlink(path) == 0);
}

static void read_line(void)
{
	char line[9];

	check(fgets(line, sizeof(line), stdin) != NULL);
}

static void read_lines(void)
{
	char line[9], next[9];

	check(fgets(line, sizeof(line), stdin) && fgets(next, sizeof(next), stdin));
	check(next[0] == line[0] + 1);
}

static void read_letters(void)
{
	const int digit = getchar(), end = getchar();

	check(digit >= '1' && end == '\n');
}

static void post_and_take(void)
{
	sem_post(&semaphore);
	sem_trywait(&semaphore);
}

static void is_zero(void)
{
	int value;

	sem_getvalue(&semaphore, &value);
	check(value == 0);
}

static void store_in_stream(void)
{
	y = 1;
	z = 1;
	flockfile(stderr);
	x = 1;
	funlockfile(stderr);
}

static void look_in_stream(void)
{
	flockfile(stderr);
	check(!y || x);
	funlockfile(stderr);
}

static void close_it(void)
{
	z = 1;
	close(fd);
}

static void is_closed(void)
{
	usleep(LATE);
	check(fcntl(fd, F_GETFD) == -1);
}

static void draw(void)
{
	usleep(LATE);
	nrand48(numbers);
}

static void draw_first(void)
{
	z = 1;
	check(nrand48(numbers) == first_number);
}

static void wait_with_stack(void)
{
	volatile int large[BIG];

	large[0] = 1;
	on_stack = large;
	sem_post(&semaphore);
	sem_wait(&other_semaphore);
}

static void use_stack(void)
{
	sem_wait(&semaphore);
	sem_post(&other_semaphore);
	check(*on_stack == 1);
}

static void end_with_mutex(void)
{
	pthread_mutex_lock(&robust);
}

static void try_robust(void)
{
	const int error = pthread_mutex_trylock(&robust);

	check(error != EBUSY);
	if (error == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	pthread_mutex_unlock(&robust);
}

static void store_mapped(void)
{
	mapped[0] = 1;
	mapped[0] = 0;
}

static void read_mapped(void)
{
	char c = 0;

	check(pread(mapped_fd, &c, 1, 0) == 1 && c == 0);
}

static void delete_timer(void)
{
	usleep(LATE);
	timer_delete(timer);
}

static void ask_timer(void)
{
	struct itimerspec left;

	z = 1;
	check(timer_gettime(timer, &left) == 0);
}

static void copy(void)
{
	memcpy(target, source, size);
}

static void look_at_copy(void)
{
	const int early = *(volatile int *)&target[0], late = *(volatile int *)&target[8];

	check(early != 1 || late == 1);
}

static void change_name(void)
{
	usleep(LATE);
	name[6] = 'x';
}

static void compare(void)
{
	z = 1;
	check(strcasecmp(name, same) == 0);
}

/* ---- these do not fail ---- */

static void write_block_in_section(void)
{
	pthread_mutex_lock(&mutex);
	*block = 1;
	pthread_mutex_unlock(&mutex);
}

static void lock_stream(void)
{
	flockfile(stderr);
	flockfile(stderr);
	x++;
	funlockfile(stderr);
	x++;
	funlockfile(stderr);
}

static void try_stream(void)
{
	if (ftrylockfile(stderr))
		return;
	x++;
	funlockfile(stderr);
}

static void draw_own(void)
{
	unsigned short own[3] = {4, 5, 6};

	nrand48(own);
}

static void copy_in_section(void)
{
	pthread_mutex_lock(&mutex);
	memcpy(target, source, size);
	pthread_mutex_unlock(&mutex);
}

static void look_at_value(void)
{
	int value;

	sem_getvalue(&semaphore, &value);
}

static void nothing(void)
{
}

static const struct kind {
	const char *name;
	void (*first)(void), (*second)(void);
	int in_main; /* the main thread itself does the second */
} kinds[] = {
	{"realloc", write_block, grow_block, 0},
	{"value", post_and_take, is_zero, 0},
	{"stream", store_in_stream, look_in_stream, 0},
	{"input", read_lines, read_line, 0},
	{"ended", make_file, take_file, 1},
	{"closed", is_closed, close_it, 1},
	{"numbers", draw, draw_first, 1},
	{"stack", wait_with_stack, use_stack, 0},
	{"robust", end_with_mutex, try_robust, 0},
	{"mapped", store_mapped, read_mapped, 0},
	{"timer", delete_timer, ask_timer, 1},
	{"copy", look_at_copy, copy, 0},
	{"letters", read_letters, read_letters, 0},
	{"names", change_name, compare, 1},
	{"section", write_block_in_section, grow_block, 0},
	{"streams", lock_stream, try_stream, 0},
	{"own_numbers", draw_own, draw_own, 0},
	{"copies", copy_in_section, copy_in_section, 0},
	{"look", look_at_value, look_at_value, 0},
	{"file", nothing, nothing, 0},
};

static const struct kind *kind;

static void *first(void *arg)
{
	kind->first();
	return arg;
}

static void *second(void *arg)
{
	kind->second();
	return arg;
}

static void prepare(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	char file[] = "hidden_orders.XXXXXX";
	pthread_mutexattr_t attributes;
	unsigned short copy_of_numbers[3];

	snprintf(path, sizeof(path), "hidden_orders.%d", getpid());
	block = calloc(1, 64);
	sem_init(&semaphore, 0, 0);
	sem_init(&other_semaphore, 0, 0);
	fd = open("/dev/null", O_RDONLY);
	mapped_fd = mkstemp(file);
	unlink(file);
	if (!block || !malloc(64) || fd < 0 || mapped_fd < 0 || ftruncate(mapped_fd, 4096))
		_exit(2);
	if (strcmp(kind->name, "mapped") == 0)
		mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapped_fd, 0);
	memcpy(copy_of_numbers, numbers, sizeof(numbers));
	first_number = nrand48(copy_of_numbers);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	for (size_t i = 0; i < sizeof(source) / sizeof(*source); i++)
		source[i] = 1;
	if (strcmp(kind->name, "timer") == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer))
		_exit(2);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	if (!kind)
		return 2;
	prepare();
	pthread_create(&threads[0], NULL, first, NULL);
	if (kind->in_main)
		kind->second();
	else
		pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	if (!kind->in_main)
		pthread_join(threads[1], NULL);
	if (strcmp(kind->name, "realloc") == 0)
		check(block[0] == 1);
	if (strcmp(kind->name, "file") == 0)
		check(write(mapped_fd, "x", 1) == 1);
	return 0;
}
