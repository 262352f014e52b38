/*
 * driver_test.c - the driver executes each test as if it were the first one, although its processes have executed
 * others. The answers of a driver that executes one test after the other are compared with those of one that begins
 * anew each time.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/generate/tests/trial.h"
#include "tests/supervisor/scratch.h"

TestSuite(driver, .timeout = 120);

#define ANSWER 512
#define ADDRESS 12 /* digits of an address */
#define GUARD RFS_BUILD "/generated/rfsup-guard.so"
#define DRIVER RFS_BUILD "/generated/rfsup-driver"

/* Each function says what others have left. */
static const char library[] =
	"#define _GNU_SOURCE\n"
	"#include <fcntl.h>\n"
	"#include <pthread.h>\n"
	"#include <stdlib.h>\n"
	"#include <sys/stat.h>\n"
	"#include <unistd.h>\n"
	"static int calls, files, ends[2];\n"
	"static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, plain = "
	"PTHREAD_MUTEX_INITIALIZER;\n"
	"long count(long n) { return calls += n; }\n"
	"int make(void) { return files = open(\"file\", O_CREAT | O_EXCL | O_RDWR, 0600); }\n"
	"long fill(void) { return write(files, \"12345\", 5); }\n"
	"long go_to(long n) { return lseek(files, n, SEEK_SET); }\n"
	"long size(void) { struct stat s; return fstat(files, &s) ? -1 : s.st_size; }\n"
	"long position(void) { return lseek(files, 0, SEEK_CUR); }\n"
	"int other(void) { return access(\"other\", F_OK) == 0 ? 1 : (close(open(\"other\", O_CREAT, 0600)), 2); }\n"
	"int gone(void) { return unlink(\"file\"); }\n"
	"int make_pipe(void) { return pipe2(ends, O_NONBLOCK); }\n"
	"long put(void) { return write(ends[1], \"1\", 1); }\n"
	"long get(void) { char bytes[9]; return read(ends[0], bytes, sizeof(bytes)); }\n"
	"static void *wait_for_ever(void *arg) { for (;;) pause(); return arg; }\n"
	"int make_thread(void) { pthread_t t; return pthread_create(&t, NULL, wait_for_ever, NULL); }\n"
	"int threads(void) { struct stat s; return stat(\"/proc/self/task\", &s) ? -1 : s.st_nlink - 2; }\n"
	"int take(void) { return pthread_mutex_lock(&recursive) || pthread_mutex_trylock(&recursive); }\n"
	"int block(void) { pthread_mutex_lock(&plain); return pthread_mutex_lock(&plain); }\n"
	"int spin(void) { for (volatile int i = 0;; i++) ; return 0; }\n"
	"int crash(void) { return *(volatile int *)8; }\n"
	"void leave(void) { exit(5); }\n"
	"void *block_of(long n) { char *p = malloc(n); p[0] = p[n - 1] = 1; return p; }\n"
	"int first_byte(char *p) { return p[0]++; }\n"
	"int drop(char *p) { free(p); return 0; }\n";

/* Calls of a test. Each begins with calls of the one before, and most do not go on from there. */
#define COUNT "0 - count i1\n0 - count i10\n"
#define FILE_MADE "0 0 make\n0 - count i1\n"
#define PIPE_MADE "0 0 make_pipe\n"
#define BLOCK "0 0 block_of i64\n0 - first_byte v0\n"
static const char *const tests[] = {
	"0 1 count i1\n",
	"0 1 count i1\n",
	COUNT "1 1 count i100\n",
	COUNT "1 1 count i100\n2 2 count i1000\n",
	COUNT "1 1 count i200\n",
	COUNT "1 1 count i200\n1 2 count i300\n",
	COUNT "1 1 count i200\n1 2 count i400\n",
	COUNT "1 1 count i200\n1 2 count i400\n2 3 count i500\n",
	COUNT "1 1 crash\n",
	COUNT "1 1 count i7\n",
	COUNT "1 1 spin\n",
	COUNT "1 1 count i8\n",
	COUNT "1 1 block\n",
	COUNT "1 1 leave\n",
	COUNT "1 1 count i9\n",
	COUNT,
	"0 - count i1\n",
	/* one copy changes a file, and the next one looks at it */
	FILE_MADE "1 1 size\n",
	FILE_MADE "1 1 fill\n",
	FILE_MADE "1 1 size\n",
	FILE_MADE "1 1 position\n",
	FILE_MADE "1 1 go_to i3\n",
	FILE_MADE "1 1 position\n",
	FILE_MADE "1 1 other\n",
	FILE_MADE "1 1 other\n",
	FILE_MADE "1 1 gone\n",
	FILE_MADE "1 1 gone\n",
	FILE_MADE "1 1 fill\n1 2 position\n",
	FILE_MADE "1 1 fill\n1 2 go_to i1\n",
	FILE_MADE "1 1 fill\n1 2 position\n",
	"0 - count i1\n1 1 make\n",
	"0 - count i1\n1 1 make\n",
	PIPE_MADE "1 1 put\n",
	PIPE_MADE "1 1 get\n",
	PIPE_MADE "1 1 put\n1 2 get\n",
	PIPE_MADE "1 1 put\n1 2 put\n",
	PIPE_MADE "1 1 put\n1 2 get\n",
	"0 0 make_thread\n0 1 threads\n",
	"0 0 make_thread\n0 1 count i1\n",
	"0 0 make_thread\n0 1 count i1\n0 2 threads\n",
	"0 0 make_thread\n0 1 threads\n",
	"0 - take\n1 1 take\n",
	"0 - take\n1 1 count i1\n",
	"0 - take\n1 1 take\n",
	BLOCK "1 1 first_byte v0\n",
	BLOCK "1 1 drop v0\n",
	BLOCK "1 1 first_byte v0\n",
	BLOCK "1 1 drop v0\n1 2 first_byte v0\n",
	BLOCK "1 1 drop v0\n1 2 drop v0\n",
	BLOCK "1 1 first_byte v0\n1 2 first_byte v0\n",
	/* more common calls than processes that are kept */
	"0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count "
	"i1\n",
	"0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count i1\n0 1 count "
	"i2\n",
};
#define N_TESTS (sizeof(tests) / sizeof(*tests))

static void begin(const char *program, const char *guard, struct rfs_driver *driver)
{
	const struct rfs_driver_settings settings = {0};
	char why[256], *shim = realpath("library.so", NULL);

	cr_assert_eq(rfs_driver_start(program, guard, shim, "work", &settings, driver, why, sizeof(why)), 0, "%s", why);
	free(shim);
}

/* Where a block is depends on what a process has read of the test before its first call. */
static void hide_addresses(char *answer)
{
	char *digits = answer;

	for (size_t n; (n = strspn(digits += strcspn(digits, "0123456789abcdef"), "0123456789abcdef")); digits += n)
		if (n == ADDRESS)
			memset(digits, 'x', n);
}

static void ask(const struct rfs_driver *driver, const char *test, char answer[ANSWER])
{
	struct pollfd from = {.fd = driver->from, .events = POLLIN};
	size_t n = 0;

	cr_assert_gt(dprintf(driver->to, "%zu\n%s", strlen(test), test), 0);
	while (n == 0 || answer[n - 1] != '\n') {
		ssize_t got;

		cr_assert_eq(poll(&from, 1, 20000), 1, "no answer to\n%s", test);
		got = read(driver->from, answer + n, ANSWER - 1 - n);
		cr_assert_gt(got, 0, "the driver ended at\n%s", test);
		n += (size_t)got;
	}
	answer[n] = '\0';
	hide_addresses(answer);
}

static char *enter_with_library(void)
{
	char *folder = scratch_enter();

	scratch_file("library.c", library, strlen(library), 0600);
	cr_assert_eq(system("gcc -O1 -w -shared -fPIC -pthread -o library.so library.c"), 0);
	cr_assert_eq(mkdir("work", 0700), 0);
	return folder;
}

Test(driver, a_test_does_not_depend_on_those_before)
{
	char *program = realpath(DRIVER, NULL), *guard = realpath(GUARD, NULL), *folder = enter_with_library();
	char first[N_TESTS][ANSWER], answer[ANSWER];
	struct rfs_driver driver;

	begin(program, guard, &driver);
	for (size_t i = 0; i < N_TESTS; i++) {
		ask(&driver, tests[i], first[i]);
		cr_assert(rfs_driver_rest(&driver));
	}
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < N_TESTS; i++) {
			ask(&driver, tests[i], answer);
			cr_expect_str_eq(answer, first[i], "test %zu: %snot %s", i, answer, first[i]);
		}
	rfs_driver_stop(&driver);
	free(program);
	free(guard);
	scratch_leave(folder);
}
