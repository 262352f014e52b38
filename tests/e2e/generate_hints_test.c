/*
 * generate_hints_test.c - rfsup --generate --hints: hints reach what the headers do not say, and decide which types
 * count.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/generated.h"
#include "tests/e2e/harness.h"

TestSuite(generate_hints, .timeout = 600);

static const char header[] = "struct door; struct item; struct weak; struct firm;\n"
			     "struct door *door_new(void);\n"
			     "void door_open(struct door *door, const char *word);\n"
			     "void door_write(struct door *door, const char *bytes, int many);\n"
			     "struct item *item_clone(struct item *other);\n"
			     "void item_drop(struct item *item);\n"
			     "int item_get(struct item *item);\n"
			     "void room_enter(void);\n"
			     "void room_leave(void);\n"
			     "struct weak *weak_new(void);\n"
			     "void weak_touch(struct weak *weak);\n"
			     "struct firm *firm_new(void);\n"
			     "int firm_add(struct firm *firm, int n);\n"
			     "struct desk; struct desk *desk_new(void); int desk_use(struct desk *desk);\n";

/* touch() fails if two threads call it at the same time. desk_use() fails in a thread that has not entered the room. */
static const char source[] =
	"#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"all.h\"\n"
	"static void touch(int **p) { int *n = *p; *p = NULL; *n = 1; *p = n; }\n"
	"struct door { int *n; };\n"
	"struct door *door_new(void)\n"
	"{ struct door *d = malloc(sizeof(*d)); d->n = malloc(sizeof(int)); return d; }\n"
	"void door_open(struct door *door, const char *word)\n"
	"{ if (word && strcmp(word, \"sesame\") == 0) touch(&door->n); }\n"
	"void door_write(struct door *door, const char *bytes, int many)\n"
	"{ if (bytes && many == 100) touch(&door->n); }\n"
	"struct item { int n; };\n"
	"struct item *item_clone(struct item *other)\n"
	"{ struct item *i = calloc(1, sizeof(*i)); i->n = other ? other->n : 1; return i; }\n"
	"void item_drop(struct item *item) { free(item); }\n"
	"int item_get(struct item *item) { return item->n; }\n"
	"static __thread int entered;\n"
	"void room_enter(void) { entered++; }\n"
	"void room_leave(void) { if (!entered--) abort(); }\n"
	"struct desk { pthread_mutex_t lock; int n; };\n"
	"struct desk *desk_new(void)\n"
	"{ struct desk *d = calloc(1, sizeof(*d)); pthread_mutex_init(&d->lock, NULL); return d; }\n"
	"int desk_use(struct desk *d)\n"
	"{ int n; if (!entered) abort();\n"
	"  pthread_mutex_lock(&d->lock); n = ++d->n; pthread_mutex_unlock(&d->lock); return n; }\n"
	"struct weak { int *n; };\n"
	"struct weak *weak_new(void)\n"
	"{ struct weak *w = malloc(sizeof(*w)); w->n = malloc(sizeof(int)); return w; }\n"
	"void weak_touch(struct weak *weak) { touch(&weak->n); }\n"
	"struct firm { pthread_mutex_t lock; int n; };\n"
	"struct firm *firm_new(void)\n"
	"{ struct firm *f = calloc(1, sizeof(*f)); pthread_mutex_init(&f->lock, NULL); return f; }\n"
	"int firm_add(struct firm *firm, int n)\n"
	"{ pthread_mutex_lock(&firm->lock); n = firm->n += n; pthread_mutex_unlock(&firm->lock); return n; }\n";

static void begin(struct e2e *e2e)
{
	char command[1024];

	e2e_begin(e2e);
	spawn_file(e2e->folder, "all.h", header, strlen(header), 0600);
	spawn_file(e2e->folder, "all.c", source, strlen(source), 0600);
	snprintf(command, sizeof(command), "cd %s && gcc -g -fPIC -shared -o liball.so all.c", e2e->folder);
	cr_assert_eq(system(command), 0);
}

/* A session with these hints. only: a glob of functions; NULL: all. Returns report.json, which the test owns. */
static json_t *run(struct e2e *e2e, const char *hints, const char *only, const char *init)
{
	const char *args[20] = {"--generate", "liball.so", "--header", "all.h",	    "--quiet", "--tests", "10",
				"--runs",     "30",	   "--hints",  "hints.txt", "-o",      "out"};
	char out[PATH_MAX], report[PATH_MAX + 16];
	size_t n = 13;

	if (only) {
		args[n++] = "--only";
		args[n++] = only;
	}
	if (init) {
		args[n++] = "--init";
		args[n++] = init;
	}
	spawn_file(e2e->folder, "hints.txt", hints, strlen(hints), 0600);
	snprintf(out, sizeof(out), "%s/out", e2e->folder);
	snprintf(report, sizeof(report), "%s/report.json", out);
	spawn_remove(out);
	e2e_say(e2e, args);
	json_decref(e2e->report);
	e2e->report = json_load_file(report, 0, NULL);
	return e2e->report;
}

static json_t *type_named(const json_t *report, const char *name)
{
	json_t *type;
	size_t i;

	json_array_foreach(json_object_get(report, "types"), i,
			   type) if (strcmp(generated_string(type, "name"), name) == 0) return type;
	return NULL;
}

Test(generate_hints, values_and_lengths_reach_a_bug)
{
	static const struct {
		const char *hint, *only, *in_program;
		int status;
	} rows[] = {
		{"# nothing\n", "door_[no]*", NULL, 0},
		{"param door_open 1 values \"sesame\" null # the word\n", "door_[no]*", "door_open(v0, \"sesame\")", 1},
		{"\n", "door_[nw]*", NULL, 0},
		{"param door_write 2 length-of 1\n", "door_[nw]*", ", 100);", 1},
	};
	struct e2e e2e;

	begin(&e2e);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const json_t *finding = json_object_get(
			type_named(run(&e2e, rows[i].hint, rows[i].only, NULL), "struct door"), "finding");
		char *program = finding ? e2e_text(generated_string(finding, "program")) : NULL;

		e2e_expect_status(&e2e, rows[i].status);
		if (rows[i].in_program)
			e2e_expect(&e2e, program && strstr(program, rows[i].in_program), "row %zu\n%s", i,
				   program ? program : "no program");
		free(program);
	}
	e2e_end(&e2e);
}

Test(generate_hints, claims_decide_what_counts)
{
	static const struct {
		const char *hints;
		int status;
		const char *said, *not_said;
	} rows[] = {
		{"", 1, "no hint calls them safe", "THREAD-UNSAFE"},
		{"type firm safe\n", 0, "no hint calls them safe", "THREAD-UNSAFE"},
		{"type * unsafe\ntype weak safe\n", 1, "THREAD-UNSAFE struct weak (safe, as the hints say)",
		 "no hint calls them safe"},
		{"type \"struct weak\" unsafe\n", 0, "1 types were not tested, because the hints call them unsafe.",
		 "no hint calls them safe"},
	};
	struct e2e e2e;

	begin(&e2e);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const json_t *weak = type_named(run(&e2e, rows[i].hints, "[wf][ei]*", NULL), "struct weak");

		e2e_expect_status(&e2e, rows[i].status);
		e2e_expect(&e2e, strstr(e2e.said.out, rows[i].said), "row %zu: no '%s'\n%s", i, rows[i].said,
			   e2e.said.out);
		e2e_expect(&e2e, !strstr(e2e.said.out, rows[i].not_said), "row %zu: '%s'\n%s", i, rows[i].not_said,
			   e2e.said.out);
		if (json_object_get(weak, "finding"))
			e2e_expect(&e2e, json_is_true(json_object_get(weak, "counts")) == (rows[i].status == 1),
				   "row %zu: 'counts' is wrong", i);
	}
	e2e_end(&e2e);
}

Test(generate_hints, roles_are_listed)
{
	static const char hints[] = "constructor item_clone\ndestructor item_drop\nskip room_*\ntype item safe\n";
	static const char *const said[] = {"struct item (safe, as the hints say)", "constructors   item_clone",
					   "destructors    item_drop", "room_enter: left out by the hints"};
	struct e2e e2e;

	begin(&e2e);
	spawn_file(e2e.folder, "hints.txt", hints, strlen(hints), 0600);
	e2e_say(&e2e, WORDS("--generate", "liball.so", "--header", "all.h", "--hints", "hints.txt", "--list"));
	e2e_expect_status(&e2e, 0);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		e2e_expect(&e2e, strstr(e2e.said.out, said[i]), "no '%s'\n%s", said[i], e2e.said.out);
	e2e_end(&e2e);
}

/* Without the hint, each test fails in a sequential order, because its threads have not entered. */
Test(generate_hints, threads_call_the_functions_of_the_hints)
{
	static const char *const hints[] = {"", "thread-start room_enter\nthread-end room_leave\n"};
	struct e2e e2e;

	begin(&e2e);
	for (int i = 0; i < 2; i++) {
		const json_t *desk = type_named(run(&e2e, hints[i], "desk_*", "room_enter"), "struct desk");
		json_int_t n = json_integer_value(json_object_get(desk, "tests"));
		json_int_t failed = json_integer_value(json_object_get(desk, "sequential_failures"));

		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, n == 10 && failed == (i ? 0 : n), "hints %d: %d of %d tests fail", i, (int)failed,
			   (int)n);
	}
	e2e_end(&e2e);
}

Test(generate_hints, a_wrong_hint_is_refused_with_its_place)
{
	static const struct {
		const char *hint, *why;
	} rows[] = {
		{"# good\ntyp door safe\n", "hints.txt:2:1: not a hint"},
		{"type door\n", "hints.txt:1:10: write safe or unsafe"},
		{"type gate safe\n", "hints.txt:1:6: the library has no type 'gate'"},
		{"\n\n  skip nothing_*", "hints.txt:3:8: the headers declare no function 'nothing_*'"},
		{"constructor door_shut\n", "hints.txt:1:13: the headers declare no function 'door_shut'"},
		{"constructor room_enter\n", "hints.txt:1:13: 'room_enter' makes no object"},
		{"destructor room_enter\n", "hints.txt:1:12: 'room_enter' gets no object"},
		{"thread-start door_open\n", "hints.txt:1:14: 'door_open' has parameters"},
		{"param door_open 2 values 1\n", "hints.txt:1:17: 'door_open' has no parameter 2"},
		{"param door_open 1 values 1\n", "hints.txt:1:26: '1' does not fit"},
		{"param door_open 1 values \"a\n", "hints.txt:1:26: the string has no end"},
		{"param door_write 1 length-of 2\n", "hints.txt:1:18: parameter 1 of 'door_write' is not an integer"},
		{"param door_write 2 length-of 2\n", "hints.txt:1:30: parameter 2 of 'door_write' is not a pointer"},
		{"param door_write 2\n", "hints.txt:1:19: write length-of or values"},
	};
	struct e2e e2e;

	begin(&e2e);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *newline;

		spawn_file(e2e.folder, "hints.txt", rows[i].hint, strlen(rows[i].hint), 0600);
		e2e_say(&e2e,
			WORDS("--generate", "liball.so", "--header", "all.h", "--hints", "hints.txt", "-o", "out"));
		newline = strchr(e2e.said.err, '\n');
		e2e_expect_status(&e2e, 2);
		e2e_expect(&e2e, strstr(e2e.said.err, rows[i].why), "row %zu: '%s'", i, e2e.said.err);
		e2e_expect(&e2e, newline && !newline[1], "row %zu: not one line: '%s'", i, e2e.said.err);
	}
	e2e_say(&e2e, WORDS("--generate", "liball.so", "--header", "all.h", "--hints", "none.txt", "-o", "out"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--hints: cannot read 'none.txt'"), "'%s'", e2e.said.err);
	e2e_end(&e2e);
}

/* Each file begins with a command, and its hints fit the library that Debian has. */
Test(generate_hints, shipped_hints_fit_their_libraries)
{
	struct e2e e2e;
	char command[3 * PATH_MAX], *script = realpath("tests/e2e/programs/list_hints.sh", NULL),
				    *hints = realpath("hints", NULL);

	e2e_begin(&e2e);
	snprintf(command, sizeof(command), "'%s' '%s'/%s.hints", script, hints, e2e_full() ? "*" : "sqlite");
	e2e_expect_command(&e2e, command);
	free(hints);
	free(script);
	e2e_end(&e2e);
}
