/*
 * generate_input_test.c - rfsup --generate with bad input writes one clear line to standard error, leaves nothing
 * behind and ends with status 2. --list says what a library has.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(generate_input, .timeout = 120);

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

/* A library with one type, a header that fits, one that does not, and one that does not compile. */
static void make_library(struct e2e *e2e)
{
	char command[2048];

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
	snprintf(command, sizeof(command),
		 "cd %s && gcc -g -fPIC -shared -o libgood.so good.c && gcc -g -fPIC -shared -o libbad.so good.c bad.c",
		 e2e->folder);
	cr_assert_eq(system(command), 0);
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
		{{"--seed", "3", "--generate", "libgood.so"}, "--generate must be the first option"},
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
