/*
 * generate_input_test.c - rfsup --generate with bad input writes one clear line to standard error, leaves nothing
 * behind and ends with status 2. --list says what a library has.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(generate_input, .timeout = 300);

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void write_text(const struct e2e *e2e, const char *name, const char *text)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", e2e->folder, name);
	out = fopen(path, "w");
	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
}

/* Executes a command in the folder. */
static void build(const struct e2e *e2e, const char *words)
{
	char *command;

	cr_assert(asprintf(&command, "cd %s && %s", e2e->folder, words) > 0);
	cr_assert_eq(system(command), 0, "%s", command);
	free(command);
}

/* A library with one type, a header that fits, one that does not, and one that does not compile. */
static void make_library(struct e2e *e2e)
{
	write_text(e2e, "good.h",
		   "typedef struct counter counter_t;\n"
		   "counter_t *counter_new(void);\n"
		   "int counter_add(counter_t *counter, int n);\n"
		   "void counter_free(counter_t *counter);\n"
		   "void counter_log(counter_t *counter, const char *format, ...);\n");
	write_text(e2e, "other.h", "int nothing_of_this(void);\n");
	write_text(e2e, "broken.h", "#include \"good.h\"\nint counter_twice(conter_t *counter);\n");
	write_text(e2e, "good.c",
		   "#include <stdlib.h>\n#include \"good.h\"\n"
		   "struct counter { int n; };\n"
		   "counter_t *counter_new(void) { return calloc(1, sizeof(counter_t)); }\n"
		   "int counter_add(counter_t *counter, int n) { return counter->n += n; }\n"
		   "void counter_free(counter_t *counter) { free(counter); }\n"
		   "void counter_log(counter_t *counter, const char *format, ...) { counter->n = format != 0; }\n");
	write_text(e2e, "bad.c", "__attribute__((constructor)) static void begin(void) { __builtin_trap(); }\n");
	build(e2e, "gcc -g -fPIC -shared -o libgood.so good.c && gcc -g -fPIC -shared -o libbad.so good.c bad.c");
}

/* A library whose constructor does what the text says. */
static void make_constructor(struct e2e *e2e, const char *name, const char *text)
{
	char command[2048];
	char *source;

	cr_assert(asprintf(&source,
			   "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
			   "__attribute__((constructor)) static void begin(void) { %s }\n",
			   text) > 0);
	write_text(e2e, "begin.c", source);
	free(source);
	snprintf(command, sizeof(command), "gcc -g -fPIC -shared -o %s good.c begin.c && rm begin.c", name);
	build(e2e, command);
}

static int entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	cr_assert_not_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

Test(generate_input, bad_input_is_one_line_and_leaves_nothing)
{
	static const struct {
		const char *words[8];
		const char *why;
	} rows[] = {
		{{"--generate", "libgood.so"}, "add --header FILE"},
		{{"--generate", "libnone.so", "--header", "good.h"}, "libnone.so"},
		{{"--generate", "good.c", "--header", "good.h"}, "good.c"},
		{{"--generate", "libgood.so", "--header", "none.h"}, "none.h"},
		{{"--generate", "libgood.so", "--header", "broken.h"}, "conter_t"},
		{{"--generate", "libgood.so", "--header", "other.h"}, "exports no function that the headers declare"},
		{{"--generate", "libgood.so", "--header", "good.h", "--type", "nosuch_t"}, "no type 'nosuch_t'"},
		{{"--generate", "libgood.so", "--header", "good.h", "--init", "nosuch"}, "no function 'nosuch'"},
		{{"--generate", "libgood.so", "--header", "good.h", "--cflags", "'"}, "--cflags"},
		{{"--generate", "libgood.so", "--header", "good.h", "-o", "two words"}, "a blank or a colon"},
		{{"--generate", "libbad.so", "--header", "good.h"}, "cannot be loaded and initialised"},
		{{"--generate", "libgood.so", "--header", "good.h", "--cflags", "-x c++"}, "exports no public method"},
		{{"--generate", "libgood.so", "--header", "good.h", "--cflags", "-x c++", "--results"},
		 "C libraries only"},
		{{"--generate", "libgood.so", "--header", "broken.h", "--cflags", "-x c++"}, "conter_t"},
		{{"--seed", "3", "--generate", "libgood.so"}, "add --header FILE"},
		{{"--timeout", "3", "--generate", "libgood.so"}, "an option before --generate does not work with it"},
	};
	struct e2e e2e;
	int before;

	e2e_begin(&e2e);
	make_library(&e2e);
	before = entries(e2e.folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *newline;

		e2e_say(&e2e, rows[i].words);
		newline = strchr(e2e.said.err, '\n');
		e2e_expect(&e2e, e2e.said.status == 2, "row %zu: status %d: %s", i, e2e.said.status, e2e.said.err);
		e2e_expect(&e2e, strstr(e2e.said.err, rows[i].why), "row %zu: '%s'", i, e2e.said.err);
		e2e_expect(&e2e, strncmp(e2e.said.err, "rfsup: ", 7) == 0 && newline && !newline[1],
			   "row %zu: not one line: '%s'", i, e2e.said.err);
		e2e_expect(&e2e, entries(e2e.folder) == before, "row %zu leaves something behind", i);
	}
	e2e_end(&e2e);
}

Test(generate_input, list_says_what_the_library_has)
{
	static const char *const said[] = {"counter_t",	   "counter_new", "counter_add",
					   "counter_free", "counter_log", "variable number of arguments"};
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	e2e_say(&e2e, ARGS("--generate", "libgood.so", "--header", "good.h", "--list"));
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		e2e_expect(&e2e, strstr(e2e.said.out, said[i]), "'%s' is not in\n%s", said[i], e2e.said.out);
	e2e_end(&e2e);
}

Test(generate_input, a_constructor_that_does_not_return_is_one_line)
{
	static const struct {
		const char *library, *text, *why;
	} rows[] = {
		{"libcrash.so", "abort();", "abort"},
		{"libsleep.so", "pause();", "cannot be loaded"},
		{"libexit0.so", "exit(0);", "exits with status 0"},
		{"libexit3.so", "exit(3);", "exit"},
		{"libfork.so", "if (fork() == 0) { setsid(); if (fork() == 0) pause(); _exit(0); }",
		 "starts processes"},
		/* as libsleep.so, for half a minute on a core */
		{"libhang.so", "for (;;) __asm__ volatile(\"\");", "cannot be loaded"},
	};
	const size_t n = e2e_rows(5, sizeof(rows) / sizeof(*rows));
	struct e2e e2e;
	int before;

	e2e_begin(&e2e);
	make_library(&e2e);
	for (size_t i = 0; i < n; i++)
		make_constructor(&e2e, rows[i].library, rows[i].text);
	before = entries(e2e.folder);
	for (size_t i = 0; i < n; i++) {
		const char *newline;

		e2e_say(&e2e, ARGS("--generate", rows[i].library, "--header", "good.h"));
		newline = strchr(e2e.said.err, '\n');
		e2e_expect(&e2e, e2e.said.status == 2, "%s: status %d: %s", rows[i].library, e2e.said.status,
			   e2e.said.err);
		e2e_expect(&e2e, strstr(e2e.said.err, rows[i].why) && newline && !newline[1], "%s: '%s'",
			   rows[i].library, e2e.said.err);
		e2e_expect(&e2e, entries(e2e.folder) == before, "%s leaves something behind", rows[i].library);
	}
	e2e_end(&e2e);
}

Test(generate_input, a_constructor_may_print_megabytes)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	make_constructor(
		&e2e, "libprint.so",
		"static char line[65536]; for (int i = 0; i < 100; i++) fwrite(line, 1, sizeof(line), stdout); "
		"fflush(stdout);");
	e2e_say(&e2e, ARGS("--generate", "libprint.so", "--header", "good.h", "--only", "counter_new", "--only",
			   "counter_add", "--tests", "2", "--runs", "10", "--format", "json", "-o", "out"));
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.out, "\"trials\""), "no report: '%.200s'", e2e.said.out);
	e2e_end(&e2e);
}

/* It asks for 4 GiB. */
Test(generate_input, the_memory_of_a_constructor_is_limited)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	make_constructor(&e2e, "libeat.so",
			 "void *kept[256]; int n = 0; while (n < 256 && (kept[n] = malloc(16 << 20))) n++; "
			 "if (n == 256) abort(); while (n > 0) free(kept[--n]);");
	e2e_say(&e2e, ARGS("--generate", "libeat.so", "--header", "good.h", "--only", "counter_new", "--only",
			   "counter_add", "--tests", "2", "--runs", "10", "--format", "json", "-o", "out"));
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.out, "\"trials\""), "no report: '%.200s'", e2e.said.out);
	e2e_end(&e2e);
}

/* Types of which no object can be made (a ring needs a knot, and a knot a ring), and one whose method never returns. */
Test(generate_input, a_type_without_tests_has_a_reason)
{
	static const char *const said[] = {
		"never_t                      not instantiated: never_new gave no object in ",
		"crash_t                      not instantiated: crash_new did not return in any call",
		"variadic_t                   not instantiated: variadic_new takes a variable number of arguments",
		"ring_t                       not instantiated: ring_of gave no object in ",
		"alone_t                      not instantiated: no function of the library makes one",
		"useless_t                    no method runs: useless_use did not return in any call",
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	write_text(&e2e, "types.h",
		   "typedef struct never never_t;\nnever_t *never_new(void);\nint never_use(never_t *never);\n"
		   "typedef struct crash crash_t;\ncrash_t *crash_new(void);\nint crash_use(crash_t *crash);\n"
		   "typedef struct variadic variadic_t;\nvariadic_t *variadic_new(int n, ...);\n"
		   "int variadic_use(variadic_t *variadic);\n"
		   "typedef struct ring ring_t;\ntypedef struct knot knot_t;\nring_t *ring_of(knot_t *knot);\n"
		   "int ring_use(ring_t *ring);\nint knot_open(ring_t *ring, knot_t **out);\n"
		   "int knot_use(knot_t *knot);\n"
		   "typedef struct alone alone_t;\nint alone_use(alone_t *alone);\n"
		   "typedef struct useless useless_t;\nuseless_t *useless_new(void);\n"
		   "int useless_use(useless_t *useless);\n");
	write_text(&e2e, "types.c",
		   "#include <stdlib.h>\n#include \"types.h\"\n"
		   "never_t *never_new(void) { return NULL; }\nint never_use(never_t *n) { return n != 0; }\n"
		   "crash_t *crash_new(void) { abort(); }\nint crash_use(crash_t *c) { return c != 0; }\n"
		   "variadic_t *variadic_new(int n, ...) { return malloc(n); }\n"
		   "ring_t *ring_of(knot_t *k) { return (ring_t *)k; }\nint ring_use(ring_t *r) { return r != 0; }\n"
		   "int knot_open(ring_t *r, knot_t **out) { *out = (knot_t *)r; return !r; }\n"
		   "int knot_use(knot_t *k) { return k != 0; }\n"
		   "int variadic_use(variadic_t *v) { return v != 0; }\nint alone_use(alone_t *a) { return a != 0; }\n"
		   "useless_t *useless_new(void) { return malloc(1); }\n"
		   "int useless_use(useless_t *u) { abort(); return u != 0; }\n");
	build(&e2e, "gcc -g -fPIC -shared -o libtypes.so types.c");
	e2e_say(&e2e, ARGS("--generate", "libtypes.so", "--header", "types.h"));
	e2e_expect(&e2e, e2e.said.status == 4, "status %d: %s", e2e.said.status, e2e.said.err);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		e2e_expect(&e2e, strstr(e2e.said.out, said[i]), "'%s' is not in\n%s", said[i], e2e.said.out);
	e2e_end(&e2e);
}

/* What methods of a library may not do. The counter itself is safe. port: in network byte order. */
static void make_wild_library(struct e2e *e2e, int port)
{
	char command[2048];

	write_text(e2e, "wild.h",
		   "typedef struct wild wild_t;\n"
		   "wild_t *wild_new(void);\n"
		   "int wild_add(wild_t *wild, int n);\n"
		   "int wild_daemon(wild_t *wild);\n"
		   "int wild_kill(wild_t *wild, int process);\n"
		   "int wild_sigqueue(wild_t *wild, int process);\n"
		   "int wild_tgkill(wild_t *wild);\n"
		   "int wild_local(wild_t *wild);\n"
		   "int wild_outside(wild_t *wild);\n"
		   "int wild_loopback(wild_t *wild);\n"
		   "int wild_eat(wild_t *wild);\n"
		   "int wild_print(wild_t *wild);\n"
		   "int wild_write(wild_t *wild, const char *name);\n"
		   "int wild_cut(wild_t *wild);\n"
		   "int wild_save(wild_t *wild);\n"
		   "int wild_fill(wild_t *wild);\n"
		   "int wild_exit(wild_t *wild);\n"
		   "int wild_sleep(wild_t *wild);\n");
	write_text(e2e, "wild.c",
		   "#include <arpa/inet.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <signal.h>\n#include "
		   "<stdio.h>\n"
		   "#include <stdlib.h>\n#include <string.h>\n#include <sys/socket.h>\n#include "
		   "<sys/syscall.h>\n#include <sys/un.h>\n#include <unistd.h>\n"
		   "#include \"wild.h\"\n"
		   "struct wild { pthread_mutex_t mutex; int n; };\n"
		   "wild_t *wild_new(void) { return calloc(1, sizeof(wild_t)); }\n"
		   "int wild_add(wild_t *w, int n)\n"
		   "{ pthread_mutex_lock(&w->mutex); n = w->n += n; pthread_mutex_unlock(&w->mutex); return n; }\n"
		   "int wild_daemon(wild_t *w)\n"
		   "{ pid_t child = fork(); if (child == 0) { setsid(); if (fork() == 0) {\n"
		   "FILE *f = fopen(PLACE \"/escaped\", \"w\"); fclose(f); pause(); }\n"
		   "_exit(0); } return wild_add(w, child > 0); }\n"
		   "int wild_kill(wild_t *w, int process) { return wild_add(w, kill(process + 99999, SIGKILL)); }\n"
		   "int wild_sigqueue(wild_t *w, int process)\n"
		   "{ return wild_add(w, sigqueue(process + 99999, SIGKILL, (union sigval){0})); }\n"
		   "int wild_tgkill(wild_t *w)\n"
		   "{ return wild_add(w, syscall(SYS_tgkill, getppid(), getppid(), SIGKILL)); }\n"
		   "static int connected(int family, void *to, size_t size)\n"
		   "{ int s = socket(family, SOCK_STREAM, 0), good = s >= 0 && connect(s, to, size) == 0;\n"
		   "if (s >= 0) close(s); return good; }\n"
		   "int wild_local(wild_t *w)\n"
		   "{ struct sockaddr_un to = {AF_UNIX, \"socket\"};\n"
		   "return wild_add(w, connected(AF_UNIX, &to, sizeof(to))); }\n"
		   "int wild_outside(wild_t *w)\n"
		   "{ struct sockaddr_in to = {AF_INET, PORT, {htonl(INADDR_LOOPBACK)}};\n"
		   "if (connected(AF_INET, &to, sizeof(to))) fclose(fopen(PLACE \"/escaped\", \"w\"));\n"
		   "return wild_add(w, 1); }\n"
		   "int wild_loopback(wild_t *w)\n"
		   "{ struct sockaddr_in at = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}}; socklen_t size = sizeof(at);\n"
		   "int s = socket(AF_INET, SOCK_STREAM, 0);\n"
		   "if (bind(s, (void *)&at, size) || listen(s, 1) || getsockname(s, (void *)&at, &size) ||\n"
		   "!connected(AF_INET, &at, size)) abort();\n"
		   "close(s); return wild_add(w, 1); }\n"
		   "int wild_eat(wild_t *w)\n"
		   "{ for (int i = 0; i < 4000; i++) { void *p = malloc(1 << 20); if (!p) break; memset(p, 1, 1 << "
		   "20); }\n"
		   "return wild_add(w, 1); }\n"
		   "int wild_print(wild_t *w)\n"
		   "{ static char line[65536]; for (int i = 0; i < 100; i++) write(1, line, sizeof(line));\n"
		   "return wild_add(w, 1); }\n"
		   "int wild_write(wild_t *w, const char *name)\n"
		   "{ FILE *f = fopen(name, \"w\"); if (f) fclose(f); return wild_add(w, f != 0); }\n"
		   "int wild_cut(wild_t *w)\n"
		   "{ close(open(PLACE \"/wild.h\", O_WRONLY | O_TRUNC)); truncate(PLACE \"/wild.c\", 0);\n"
		   "close(open(PLACE \"/made\", O_WRONLY | O_CREAT, 0600)); unlink(PLACE \"/kept\");\n"
		   "return wild_add(w, 1); }\n"
		   "int wild_save(wild_t *w)\n"
		   "{ static __thread int n; char name[64]; FILE *f;\n"
		   "snprintf(name, sizeof(name), \"%d-%d\", gettid(), n++); f = fopen(name, \"w\");\n"
		   "if (!f) abort(); fclose(f); f = fopen(\"/dev/null\", \"w\"); if (!f) abort(); fclose(f);\n"
		   "return wild_add(w, 1); }\n"
		   "int wild_fill(wild_t *w)\n"
		   "{ int f = open(\"file\", O_WRONLY | O_CREAT, 0600); if (ftruncate(f, 1 << 30) == 0) abort();\n"
		   "close(f); return wild_add(w, 1); }\n"
		   "int wild_exit(wild_t *w) { exit(wild_add(w, 0)); }\n"
		   "int wild_sleep(wild_t *w) { pause(); return wild_add(w, 1); }\n");
	snprintf(command, sizeof(command), "gcc -w -g -fPIC -shared -DPLACE='\"%s\"' -DPORT=%d -o libwild.so wild.c",
		 e2e->folder, port);
	build(e2e, command);
}

/* Whether a process has the folder in its command line, as the driver has. */
static bool something_runs(const struct e2e *e2e)
{
	char command[512];

	snprintf(command, sizeof(command), "grep -aqs -e '%s' $(ls /proc/[0-9]*/cmdline 2>/dev/null | grep -v /$$/)",
		 e2e->folder);
	return system(command) == 0;
}

static json_int_t trials_with(const struct e2e *e2e, const char *key)
{
	json_t *report = json_loads(e2e->said.out, 0, NULL);
	json_int_t n = json_integer_value(json_object_get(json_object_get(report, "trial_ends"), key));

	json_decref(report);
	return n;
}

/* Tests of wild_add() and of this method, whose name is that of the folder. */
static void test_method(struct e2e *e2e, const char *method)
{
	e2e_say(e2e, ARGS("--generate", "libwild.so", "--header", "wild.h", "--only", "wild_new", "--only", "wild_add",
			  "--only", method, "--tests", "2", "--runs", "10", "--format", "json", "-o", method));
}

/* The loader can load such a library only if functions are resolved when they are called. */
Test(generate_input, a_function_that_is_defined_nowhere_is_no_obstacle)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	write_text(&e2e, "lost.c", "int defined_nowhere(void);\nint lost(void) { return defined_nowhere(); }\n");
	build(&e2e, "gcc -g -fPIC -shared -o liblost.so good.c lost.c");
	e2e_say(&e2e, ARGS("--generate", "liblost.so", "--header", "good.h", "--tests", "2", "--runs", "10", "--format",
			   "json", "-o", "out"));
	e2e_expect(&e2e, e2e.said.status < 2, "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.out, "\"returned\": 1"), "no method returned: %s", e2e.said.out);
	e2e_end(&e2e);
}

Test(generate_input, tests_are_contained)
{
	static const struct {
		const char *method, *key; /* of trial_ends; NULL: nothing is counted */
	} rows[] = {
		{"wild_daemon", "processes"}, {"wild_kill", "processes"}, {"wild_local", "network"},
		{"wild_eat", "memory"},	      {"wild_print", NULL},	  {"wild_write", NULL},
		{"wild_exit", "ended"},	      {"wild_sleep", "hung"},	  {"wild_sigqueue", "processes"},
		{"wild_tgkill", "deaths"},
	};
	struct e2e e2e;
	int before;

	e2e_begin(&e2e);
	make_wild_library(&e2e, 0);
	before = entries(e2e.folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		test_method(&e2e, rows[i].method);
		e2e_expect(&e2e, e2e.said.status == 0, "%s: status %d: %s", rows[i].method, e2e.said.status,
			   e2e.said.err);
		if (rows[i].key)
			e2e_expect(&e2e, trials_with(&e2e, rows[i].key) > 0, "%s: not counted: %s", rows[i].method,
				   e2e.said.out);
		before++; /* the folder of its reports */
		e2e_expect(&e2e, entries(e2e.folder) == before, "%s leaves something behind", rows[i].method);
		e2e_expect(&e2e, !something_runs(&e2e), "%s leaves a process behind", rows[i].method);
	}
	e2e_end(&e2e);
}

/* Whether the kernel can keep tests from files, also from truncate(2), which is new in version 3. */
static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 3;
}

/* The bytes of a file in the folder; -1: there is none. */
static long bytes_of(const struct e2e *e2e, const char *name)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", e2e->folder, name);
	return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

Test(generate_input, tests_change_no_files_of_others)
{
	const char *const kept[] = {"wild.h", "wild.c", "kept"};
	struct e2e e2e;

	if (!has_landlock())
		return;
	e2e_begin(&e2e);
	make_wild_library(&e2e, 0);
	write_text(&e2e, "kept", "kept\n");
	test_method(&e2e, "wild_cut");
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		e2e_expect(&e2e, bytes_of(&e2e, kept[i]) > 0, "%s is lost", kept[i]);
	e2e_expect(&e2e, bytes_of(&e2e, "made") < 0, "a file was made");
	e2e_end(&e2e);
}

/* In trials before the first execution and after it. */
Test(generate_input, tests_have_files_of_their_own)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	make_wild_library(&e2e, 0);
	test_method(&e2e, "wild_save");
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, trials_with(&e2e, "crashed") == 0, "%s", e2e.said.out);
	e2e_end(&e2e);
}

/* A listening socket of this process. *port: in network byte order. */
static int listening(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 1) == 0 &&
		  getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	*port = at.sin_port;
	return fd;
}

static bool is_private(const struct e2e *e2e)
{
	json_t *report = json_loads(e2e->said.out, 0, NULL);
	bool is = json_is_true(json_object_get(report, "private_network"));

	json_decref(report);
	return is;
}

/* Sockets work, but do not reach the one of this process. */
Test(generate_input, tests_have_a_private_network)
{
	struct e2e e2e;
	int port, fd, before;

	if (system("unshare --map-root-user --net true 2>/dev/null") != 0)
		cr_skip_test("this machine allows no network namespaces");
	e2e_begin(&e2e);
	fd = listening(&port);
	make_wild_library(&e2e, port);
	before = entries(e2e.folder);
	test_method(&e2e, "wild_loopback");
	e2e_expect(&e2e, e2e.said.status == 0 && is_private(&e2e), "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, trials_with(&e2e, "crashed") == 0, "sockets do not work: %s", e2e.said.out);
	test_method(&e2e, "wild_outside");
	e2e_expect(&e2e, e2e.said.status == 0, "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, entries(e2e.folder) == before + 2, "a test has reached this process");
	close(fd);
	e2e_end(&e2e);
}

Test(generate_input, sockets_are_refused_without_a_private_network)
{
	struct e2e e2e;
	int port, fd, before;

	e2e_begin(&e2e);
	fd = listening(&port);
	make_wild_library(&e2e, port);
	e2e_confine(&e2e, "-DREFUSED=SYS_unshare");
	before = entries(e2e.folder);
	test_method(&e2e, "wild_outside");
	e2e_expect(&e2e, e2e.said.status == 0 && !is_private(&e2e), "status %d: %s", e2e.said.status, e2e.said.err);
	e2e_expect(&e2e, trials_with(&e2e, "network") > 0, "not counted: %s", e2e.said.out);
	e2e_expect(&e2e, entries(e2e.folder) == before + 1, "a test has reached this process");
	close(fd);
	e2e_end(&e2e);
}

/* Also in executions under control: otherwise the call would succeed there, and end the test. */
Test(generate_input, files_of_tests_are_limited)
{
	struct e2e e2e;
	json_t *report, *type;

	e2e_begin(&e2e);
	make_wild_library(&e2e, 0);
	test_method(&e2e, "wild_fill");
	report = json_loads(e2e.said.out, 0, NULL);
	type = json_array_get(json_object_get(report, "types"), 0);
	e2e_expect(&e2e, json_integer_value(json_object_get(type, "tests")) > 0, "no tests: %s", e2e.said.out);
	e2e_expect(&e2e, json_integer_value(json_object_get(type, "sequential_failures")) == 0, "%s", e2e.said.out);
	e2e_expect(&e2e, trials_with(&e2e, "crashed") == 0, "%s", e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);
}
