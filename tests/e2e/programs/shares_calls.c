/*
 * shares_calls.c - two threads whose calls meet in something that is no memory of the program: the argument says in
 * what. The kinds of the first table fail in an order of calls that is not explored; those of the second one do not
 * fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SIZE 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile char *page, *other;
static char path[64];
static int fd, ends[2];
static FILE *stream;
static volatile int own;
static pthread_t threads[2], main_thread;

static void check(int right)
{
	if (!right)
		abort();
}

static void store(void)
{
	page[3] = 1;
}

static void unmap(void)
{
	munmap((void *)page, SIZE);
}

static void unmap_directly(void)
{
	syscall(SYS_munmap, page, SIZE);
}

static void protect(void)
{
	mprotect((void *)page, SIZE, PROT_READ);
	mprotect((void *)page, SIZE, PROT_READ | PROT_WRITE);
}

static void store_twice(void)
{
	page[3] = 1;
	check(page[3] == 1);
}

static void advise(void)
{
	madvise((void *)page, SIZE, MADV_DONTNEED);
}

static void map_again(void)
{
	mmap((void *)page, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void move(void)
{
	if (mremap((void *)page, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other) == MAP_FAILED)
		_exit(0);
}

static void set(void)
{
	setenv("SHARES_CALLS", "1", 1);
}

static void is_unset(void)
{
	check(!getenv("SHARES_CALLS"));
}

static void draw(void)
{
	rand();
}

static void draw_first(void)
{
	srand(1);
	check(rand() == 1804289383);
}

static void split(void)
{
	char text[] = "a b";

	strtok(text, " ");
	strtok(NULL, " ");
}

static void split_other(void)
{
	char text[] = "c d", *last;

	strtok(text, " ");
	last = strtok(NULL, " ");
	check(last && *last == 'd');
}

static void convert(void)
{
	const time_t date = 0;

	gmtime(&date);
}

static void convert_other(void)
{
	const time_t date = 400 * 86400;
	const struct tm *tm = gmtime(&date);

	check(tm->tm_year == 71);
}

static void name_card(void)
{
	ether_ntoa(&(struct ether_addr){{1}});
}

static void name_other_card(void)
{
	const char *name = ether_ntoa(&(struct ether_addr){{2}});

	check(*name == '2');
}

static void put_a(void)
{
	fputs("a", stream);
}

static void put_b(void)
{
	fputs("b", stream);
}

static void write_a(void)
{
	check(write(fd, "a", 1) == 1);
}

static void write_b(void)
{
	check(write(fd, "b", 1) == 1);
}

static void ignore(void)
{
	signal(SIGUSR1, SIG_IGN);
}

static void is_default(void)
{
	struct sigaction now;

	sigaction(SIGUSR1, NULL, &now);
	check(now.sa_handler != SIG_IGN);
}

static void unblock_second(int signo)
{
	sigset_t set;

	(void)signo;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void raise_first(void)
{
	raise(SIGUSR1);
}

static void send_second(void)
{
	sigset_t set;

	kill(getpid(), SIGUSR2);
	sigpending(&set);
	check(sigismember(&set, SIGUSR2));
}

static void go_to_root(void)
{
	if (chdir("/"))
		_exit(0);
}

static void is_not_root(void)
{
	char folder[200];

	check(!getcwd(folder, sizeof(folder)) || strcmp(folder, "/") != 0);
}

static void limit(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){50, 50});
}

static void is_not_limited(void)
{
	struct rlimit now;

	getrlimit(RLIMIT_NOFILE, &now);
	check(now.rlim_cur != 50);
}

static void fire(int signo)
{
	(void)signo;
	check(page[5] == 0);
}

static void store_and_clear(void)
{
	page[5] = 1;
	page[5] = 0;
}

static void look(void)
{
	check(page[6] == 0);
}

static void sees_own(int signo)
{
	(void)signo;
	check(own == 0);
}

static void store_own(void)
{
	own = 1;
	own = 0;
}

static void rename_thread(void)
{
	pthread_setname_np(pthread_self(), "renamed");
}

static void is_not_renamed(void)
{
	char name[16] = "";

	pthread_getname_np(threads[0], name, sizeof(name));
	check(strcmp(name, "renamed") != 0);
}

/* holds in virtual time only, so each uncontrolled run fails */
static void is_2020(void)
{
	check(time(NULL) < 1609459200);
}

/* by then, the first thread has often ended */
static void send_to_first(void)
{
	pthread_kill(threads[0], SIGHUP);
}

/* ---- these do not fail ---- */

static void send_ignored(void)
{
	pthread_kill(main_thread, SIGURG);
}

static void own_file(void)
{
	char name[128], c = 0;
	int own;

	snprintf(name, sizeof(name), "%s.%lx", path, (unsigned long)pthread_self());
	own = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	check(own >= 0 && write(own, "x", 1) == 1 && pread(own, &c, 1, 0) == 1 && c == 'x');
	close(own);
	unlink(name);
}

static void section(void)
{
	char c;

	pthread_mutex_lock(&mutex);
	check(write(ends[1], "x", 1) == 1);
	check(read(ends[0], &c, 1) == 1);
	pthread_mutex_unlock(&mutex);
}

static void large_block(void)
{
	char *block = malloc(300000);

	check(block != NULL);
	block = realloc(block, 600000);
	check(block != NULL);
	free(block);
}

static void section_put(void)
{
	pthread_mutex_lock(&mutex);
	fputs("a", stream);
	pthread_mutex_unlock(&mutex);
}

static void print(void)
{
	puts("a line");
}

static const struct kind {
	const char *name;
	void (*first)(void), (*second)(void);
} kinds[] = {
	{"unmap", store, unmap},
	{"unmap_directly", store, unmap_directly},
	{"protect", store, protect},
	{"advise", store_twice, advise},
	{"map_again", store_twice, map_again},
	{"move", store, move},
	{"environment", set, is_unset},
	{"random", draw, draw_first},
	{"token", split, split_other},
	{"time", convert, convert_other},
	{"card", name_card, name_other_card},
	{"stream", put_a, put_b},
	{"append", write_a, write_b},
	{"signal", ignore, is_default},
	{"mask", raise_first, send_second},
	{"folder", go_to_root, is_not_root},
	{"limit", limit, is_not_limited},
	{"timer", store_and_clear, look},
	{"sent", store_own, send_to_first},
	{"threads", rename_thread, is_not_renamed},
	{"date", is_2020, section},
	{"own_file", own_file, own_file},
	{"section", section, section},
	{"block", large_block, large_block},
	{"section_put", section_put, section_put},
	{"print", print, print},
	{"send", section, send_ignored},
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
	const struct itimerval soon = {.it_value = {.tv_usec = 50}};
	sigset_t set;

	snprintf(path, sizeof(path), "shares_calls.%d", getpid());
	page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	other = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stream = tmpfile();
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	unlink(path);
	if (!stream || fd < 0 || pipe(ends))
		_exit(2);
	signal(SIGHUP, sees_own);
	signal(SIGUSR1, unblock_second);
	signal(SIGUSR2, unblock_second);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (strcmp(kind->name, "timer") == 0) {
		signal(SIGALRM, fire);
		setitimer(ITIMER_REAL, &soon, NULL);
	}
}

int main(int argc, char **argv)
{
	char c = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	if (!kind)
		return 2;
	main_thread = pthread_self();
	prepare();
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	rewind(stream);
	check(kind->first != put_a || fgetc(stream) == 'a');
	check(kind->first != write_a || (pread(fd, &c, 1, 0) == 1 && c == 'a'));
	return 0;
}
