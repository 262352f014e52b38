/*
 * generate_session_test.c - rfsup --generate is repeatable, and what it has found is there after any end. A signal ends
 * all its processes.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/generated.h"
#include "tests/e2e/harness.h"

TestSuite(generate_session, .timeout = 600);

#define LOOK_NS 20000000L
#define LOOKS 15000
#define JOBS 3
#define JOBS_WORD "3"

static char *read_output(const struct e2e *e2e, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/out/%s", e2e->folder, name);
	return e2e_text(path);
}

/* The names and contents of the C programs, in alphabetical order. Caller frees. */
static char *programs(const struct e2e *e2e)
{
	char path[PATH_MAX], *text = NULL, *all;
	struct dirent **names;
	size_t size;
	FILE *out = open_memstream(&all, &size);
	int n;

	snprintf(path, sizeof(path), "%s/out/tests", e2e->folder);
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (strstr(names[i]->d_name, ".c")) {
			snprintf(path, sizeof(path), "tests/%.200s", names[i]->d_name);
			text = read_output(e2e, path);
			fprintf(out, "%s\n%s\n", names[i]->d_name, text ? text : "");
			free(text);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	fclose(out);
	return all;
}

/* Two sessions give the same reports and C programs. other: the options of the second one. */
static void expect_same(const char *library, const char *const *options, const char *const *other)
{
	static const char *const files[] = {"report.txt", "report.json"};
	char *first[3], *second[3], path[PATH_MAX];
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(path, sizeof(path), "%s/out", e2e.folder);
	for (int i = 0; i < 2; i++) {
		char **kept = i ? second : first;

		spawn_remove(path);
		json_decref(generated(&e2e, library, library, i ? other : options));
		for (int k = 0; k < 2; k++)
			kept[k] = read_output(&e2e, files[k]);
		kept[2] = programs(&e2e);
	}
	for (int k = 0; k < 3; k++) {
		e2e_expect(&e2e, first[k] && second[k] && strcmp(first[k], second[k]) == 0, "%s: not the same\n%s\n%s",
			   library, first[k] ? first[k] : "", second[k] ? second[k] : "");
		free(first[k]);
		free(second[k]);
	}
	e2e_end(&e2e);
}

Test(generate_session, the_same_seed_gives_the_same_tests_and_reports)
{
	static const char *const options[] = {"--tests", "6", "--runs", "40", "--seed", "3", "--results", NULL};

	expect_same("gen_label", options, options);
}

/* Tests of which none fails; several findings; races that only a detector sees; a prefix that each copy executes. */
Test(generate_session, reports_do_not_depend_on_the_number_of_jobs)
{
	static const char *const libraries[] = {"gen_desk", "gen_ok_rwlock", "gen_table", "gen_mailbox"};
	static const char *const one[] = {"--tests", "26", "--runs", "20", "--findings", "3", NULL},
				 *const three[] = {"--tests", "26", "--runs", "20", "--findings", "3", "-j", "3", NULL};

	for (size_t i = 0; i < e2e_rows(1, sizeof(libraries) / sizeof(*libraries)); i++)
		expect_same(libraries[i], one, three);
}

/* A library with a type that fails at once, and one that never fails. */
static void make_library(struct e2e *e2e)
{
	static const char header[] =
		"struct weak; struct weak *weak_new(void); void weak_touch(struct weak *weak);\n"
		"struct firm; struct firm *firm_new(void); int firm_add(struct firm *firm, int n);\n";
	static const char source[] =
		"#include <pthread.h>\n#include <stdlib.h>\n#include \"two.h\"\n"
		"struct weak { int *n; };\n"
		"struct weak *weak_new(void)\n"
		"{ struct weak *w = malloc(sizeof(*w)); w->n = malloc(sizeof(int)); return w; }\n"
		"void weak_touch(struct weak *weak)\n"
		"{ int *n = weak->n; weak->n = NULL; *n = 1; weak->n = n; }\n"
		"struct firm { pthread_mutex_t lock; int n; };\n"
		"struct firm *firm_new(void)\n"
		"{ struct firm *f = calloc(1, sizeof(*f)); pthread_mutex_init(&f->lock, NULL); return f; }\n"
		"int firm_add(struct firm *firm, int n)\n"
		"{ pthread_mutex_lock(&firm->lock); n = firm->n += n; pthread_mutex_unlock(&firm->lock); return n; }\n";
	char command[PATH_MAX + 100];

	spawn_file(e2e->folder, "two.h", header, strlen(header), 0600);
	spawn_file(e2e->folder, "two.c", source, strlen(source), 0600);
	snprintf(command, sizeof(command), "cd %s && gcc -g -fPIC -shared -o libtwo.so two.c", e2e->folder);
	cr_assert_eq(system(command), 0);
}

static void look_again(void)
{
	nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
}

/* Processes that execute tests in a lane. Lane 0 is the session, and the process that tries calls is there, too. */
static int running_in(const struct e2e *e2e, int lane)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/out/work/%03d/private", e2e->folder, lane);
	return spawn_running("cwd", path);
}

/* All processes of a session in the test's folder. */
static int running(const struct e2e *e2e)
{
	int n = spawn_running("cwd", e2e->folder);

	for (int lane = 0; lane <= JOBS; lane++)
		n += running_in(e2e, lane);
	return n;
}

/* Waits until two lanes execute a test. */
static void wait_for_lanes(struct e2e *e2e)
{
	bool both = false;

	for (int i = 0; i < LOOKS && !both; i++) {
		both = running_in(e2e, 1) && running_in(e2e, 2);
		if (!both)
			look_again();
	}
	e2e_expect(e2e, both, "lanes 1 and 2 execute no tests");
}

static void expect_found(struct e2e *e2e)
{
	char *json = read_output(e2e, "report.json"), *text = read_output(e2e, "report.txt"), *program;
	json_t *report = json ? json_loads(json, 0, NULL) : NULL, *type;
	const json_t *finding = NULL;
	size_t i;

	json_array_foreach(json_object_get(report, "types"), i, type) if (json_object_get(type, "finding")) finding =
		json_object_get(type, "finding");
	program = e2e_text(generated_string(finding, "program"));
	e2e_expect(e2e, json_is_false(json_object_get(report, "complete")), "complete\n%s", json ? json : "");
	e2e_expect(e2e, text && strstr(text, "struct weak") && strstr(text, "was still running"), "no report\n%s",
		   text ? text : "");
	e2e_expect(e2e, program && strstr(program, "weak_touch(v0)"), "no program\n%s", program ? program : "");
	e2e_expect(e2e, access(generated_string(finding, "record"), R_OK) == 0, "no record\n%s", json ? json : "");
	json_decref(report);
	free(program);
	free(text);
	free(json);
	text = read_output(e2e, "index.html");
	e2e_expect(e2e, text && strstr(text, "<a href=\"tests/struct_weak-") && strstr(text, "/pages/"), "no links\n%s",
		   text ? text : "");
	free(text);
}

Test(generate_session, kill_leaves_what_was_found_and_no_process)
{
	char report[PATH_MAX];
	struct spawned said;
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	snprintf(report, sizeof(report), "%s/out/report.json", e2e.folder);
	spawn_start(WORDS("--generate", "libtwo.so", "--header", "two.h", "-o", "out", "--quiet", "--tests", "1000000",
			  "-j", JOBS_WORD),
		    e2e.folder, NULL, &said);
	for (int i = 0; i < LOOKS && access(report, R_OK) != 0; i++)
		look_again();
	wait_for_lanes(&e2e);
	kill(said.pid, SIGKILL);
	spawn_wait(&said);
	for (int i = 0; i < LOOKS && running(&e2e); i++)
		look_again();
	e2e_expect(&e2e, running(&e2e) == 0, "%d processes run", running(&e2e));
	expect_found(&e2e);
	spawned_release(&said);
	e2e_end(&e2e);
}

Test(generate_session, a_signal_ends_all_tests_that_are_executed_at_the_same_time)
{
	struct spawned said;
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	spawn_start(WORDS("--generate", "libtwo.so", "--header", "two.h", "--type", "struct firm", "-o", "out",
			  "--quiet", "--tests", "1000000", "-j", JOBS_WORD),
		    e2e.folder, NULL, &said);
	wait_for_lanes(&e2e);
	kill(said.pid, SIGINT);
	spawn_wait(&said);
	e2e_expect(&e2e, said.status == 4, "status %d: %s", said.status, said.err);
	e2e_expect(&e2e, running(&e2e) == 0, "%d processes run", running(&e2e));
	spawned_release(&said);
	e2e_end(&e2e);
}

static void expect_copies(const char *library, const char *header)
{
	static const char *const options[] = {"--tests", "4", "--runs", "20", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, library, header, options);
	e2e_expect(&e2e,
		   json_integer_value(json_object_get(report, "served_executions")) * 2 >
			   json_integer_value(json_object_get(report, "executions")),
		   "not served\n%s", e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);
}

/* All but the first execution, and those with a detector. */
Test(generate_session, executions_are_copies_of_a_fork_server)
{
	expect_copies("gen_ok_counters", "gen_ok_counters");
}

/* A process with an open file cannot be copied, so its copies execute the prefix. */
Test(generate_session, copies_execute_a_prefix_that_opens_a_file)
{
	expect_copies("gen_mailbox_fixed", "gen_mailbox");
}

/* Tests are made ready as they are needed: the first one needs few trials. */
Test(generate_session, the_first_test_needs_few_trials)
{
	static const char *const options[] = {"--tests", "1", "--runs", "10", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, "gen_label_fixed", "gen_label", options);
	e2e_expect(&e2e, json_integer_value(json_object_get(report, "trials")) < 30, "many trials\n%s", e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);
}

/* Otherwise most objects would be freed before the threads begin, and most calls would crash. */
Test(generate_session, a_method_that_frees_its_object_is_called_a_few_times)
{
	const char *const options[] = {"--tests", "12", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, "gen_ok_room", "gen_ok_room", options);
	generated_nothing(&e2e, report);
	e2e_expect(&e2e, json_integer_value(json_object_get(generated_type(report, 0), "tests")) == 12, "tests");
	e2e_expect(&e2e, json_integer_value(json_object_get(generated_type(report, 0), "sequential_failures")) == 0,
		   "tests that fail sequentially");
	json_decref(report);
	e2e_end(&e2e);
}

Test(generate_session, functions_have_names_of_any_length)
{
	enum { LENGTH = 600 };
	char name[LENGTH + 1], text[3 * LENGTH], command[PATH_MAX + 100];
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	memset(name, 'x', LENGTH);
	name[LENGTH] = '\0';
	snprintf(text, sizeof(text),
		 "struct long_one; struct long_one *long_new(void); int long_%s(struct long_one *l);\n", name);
	spawn_file(e2e.folder, "long.h", text, strlen(text), 0600);
	snprintf(text, sizeof(text),
		 "#include <stdlib.h>\n#include \"long.h\"\nstruct long_one { int n; };\n"
		 "struct long_one *long_new(void) { return calloc(1, sizeof(int)); }\n"
		 "int long_%s(struct long_one *l) { return l->n; }\n",
		 name);
	spawn_file(e2e.folder, "long.c", text, strlen(text), 0600);
	snprintf(command, sizeof(command), "cd %s && gcc -g -fPIC -shared -o liblong.so long.c", e2e.folder);
	cr_assert_eq(system(command), 0);
	e2e_say(&e2e, WORDS("--generate", "liblong.so", "--header", "long.h", "-o", "out", "--format", "json",
			    "--quiet", "--tests", "2"));
	report = json_loads(e2e.said.out, 0, NULL);
	e2e_expect(&e2e, json_integer_value(json_object_get(generated_type(report, 0), "tests")) == 2, "%s%s",
		   e2e.said.out, e2e.said.err);
	json_decref(report);
	e2e_end(&e2e);
}

/* Whether a folder of --list for this test is in /tmp: its source includes a header of the test's folder. */
static bool has_list_folder(const struct e2e *e2e)
{
	bool found = false;
	glob_t sources;

	if (glob("/tmp/rfsup-generate-*/shim.c", 0, NULL, &sources))
		return false;
	for (size_t i = 0; i < sources.gl_pathc; i++) {
		char *text = e2e_text(sources.gl_pathv[i]);

		found |= text && strstr(text, e2e->folder);
		free(text);
	}
	globfree(&sources);
	return found;
}

Test(generate_session, an_interrupted_list_leaves_no_folder)
{
	struct spawned said;
	struct e2e e2e;

	e2e_begin(&e2e);
	make_library(&e2e);
	spawn_start(WORDS("--generate", "libtwo.so", "--header", "two.h", "--list"), e2e.folder, NULL, &said);
	for (int i = 0; i < LOOKS && !has_list_folder(&e2e); i++)
		look_again();
	kill(said.pid, SIGINT);
	spawn_wait(&said);
	e2e_expect(&e2e, said.status == 4, "status %d: %s", said.status, said.err);
	e2e_expect(&e2e, strstr(said.err, "interrupted"), "'%s'", said.err);
	e2e_expect(&e2e, !has_list_folder(&e2e), "a folder is left in /tmp");
	spawned_release(&said);
	e2e_end(&e2e);
}
