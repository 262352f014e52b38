#include "tests/e2e/harness.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS 60

void e2e_begin(struct e2e *e2e)
{
	*e2e = (struct e2e){.folder = spawn_folder()};
}

/* Frees what the previous run left. */
static void clear(struct e2e *e2e)
{
	free(e2e->command);
	spawned_release(&e2e->said);
	e2e->command = NULL;
	e2e->said = (struct spawned){0};
}

static void print_replays(const struct e2e *e2e)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures"};

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
		for (size_t i = 0; i < e2e_count(e2e, keys[k]); i++) {
			char *record = e2e_record(e2e, e2e_item(e2e, keys[k], i));

			if (record)
				cr_log_info("%s %zu: rfsup --replay %s", keys[k], i + 1, record);
			free(record);
		}
}

void e2e_end(struct e2e *e2e)
{
	if (e2e->failed) {
		cr_log_info("kept: %s", e2e->folder);
		print_replays(e2e);
		free(e2e->folder);
	} else {
		spawn_folder_remove(e2e->folder);
	}
	clear(e2e);
	json_decref(e2e->report);
}

static void run(struct e2e *e2e, const char *const *args)
{
	size_t n = 0;
	FILE *command;

	clear(e2e);
	command = open_memstream(&e2e->command, &n);
	fprintf(command, "rfsup");
	for (size_t i = 0; args[i]; i++)
		fprintf(command, " %s", args[i]);
	fclose(command);
	spawn_rfsup(args, e2e->folder, NULL, &e2e->said);
	e2e_expect(e2e, !e2e->said.timed_out, "did not end within %d s", SPAWN_LIMIT);
}

void e2e_say(struct e2e *e2e, const char *const *args)
{
	run(e2e, args);
}

void e2e_run(struct e2e *e2e, const char *const *args)
{
	char out[PATH_MAX], report[PATH_MAX];
	const char *all[ARGS] = {"-o", out};
	size_t n = 2;

	while (*args && n < ARGS - 1)
		all[n++] = *args++;
	snprintf(out, sizeof(out), "%s/out", e2e->folder);
	snprintf(report, sizeof(report), "%s/out/report.json", e2e->folder);
	spawn_remove(out);
	run(e2e, all);
	json_decref(e2e->report);
	e2e->report = json_load_file(report, 0, NULL);
}

void e2e_expect(struct e2e *e2e, bool condition, const char *format, ...)
{
	char text[4096];
	va_list args;

	if (condition)
		return;
	e2e->failed = true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cr_expect(false, "%s: %s", e2e->command ? e2e->command : "", text);
}

void e2e_expect_command(struct e2e *e2e, const char *words)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cd '%s' && { %s; } >/dev/null", e2e->folder, words);
	e2e_expect(e2e, system(command) == 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
}

bool e2e_expect_status(struct e2e *e2e, int status)
{
	e2e_expect(e2e, e2e->said.status == status, "status %d, not %d\n%s%s", e2e->said.status, status, e2e->said.out,
		   e2e->said.err);
	return e2e->said.status == status;
}

void e2e_expect_silent(struct e2e *e2e)
{
	e2e_expect_status(e2e, 0);
	e2e_expect(e2e, e2e->report, "no report");
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const char *verdict = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "verdict"));

		e2e_expect(e2e, verdict && strcmp(verdict, "unconfirmed") == 0, "pair %zu is %s", i + 1,
			   verdict ? verdict : "without a verdict");
	}
	e2e_expect(e2e, e2e_count(e2e, "deadlocks") == 0 && e2e_count(e2e, "failures") == 0,
		   "%zu deadlocks and %zu failures", e2e_count(e2e, "deadlocks"), e2e_count(e2e, "failures"));
}

char *e2e_target(const char *variant, const char *name)
{
	char path[PATH_MAX], *absolute;

	snprintf(path, sizeof(path), RFS_BUILD "/targets/%s/%s", variant, name);
	absolute = realpath(path, NULL);
	cr_assert_not_null(absolute, "%s is not there: make targets-%s", path, variant);
	return absolute;
}

char *e2e_program(struct e2e *e2e, const char *name, const char *flags)
{
	return e2e_program_at(e2e, "", name, flags);
}

/* The path under which tests share what this command compiles, or "" if tests/times/run has made no folder for it. */
static void shared_path(const char *command, char path[PATH_MAX])
{
	const char *folder = getenv("RFSUP_TEST_PROGRAMS");
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	path[0] = '\0';
	if (!folder)
		return;
	for (; *command; command++)
		hash = (hash ^ (unsigned char)*command) * 0x100000001b3;
	snprintf(path, PATH_MAX, "%s/%016" PRIx64, folder, hash);
}

char *e2e_program_at(struct e2e *e2e, const char *subfolder, const char *name, const char *flags)
{
	bool cxx = strstr(name, ".cc") != NULL;
	char path[PATH_MAX], shared[PATH_MAX], *compile, *command;

	snprintf(path, sizeof(path), "%s/%.*s", e2e->folder, (int)strcspn(name, "."), name);
	cr_assert(asprintf(&compile, "%s -D_GNU_SOURCE -pthread %s tests/e2e/programs/%s%s %s",
			   cxx ? "g++ -std=c++20" : "gcc -std=gnu11", flags, subfolder, name,
			   strstr(flags, "-static") ? "" : "-ldl") > 0);
	shared_path(compile, shared);
	if (shared[0])
		cr_assert(asprintf(&command, "{ test -e %s || { %s -o %s.%d && mv %s.%d %s; }; } && cp %s %s", shared,
				   compile, shared, getpid(), shared, getpid(), shared, shared, path) > 0);
	else
		cr_assert(asprintf(&command, "%s -o %s", compile, path) > 0);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	free(compile);
	free(command);
	return strdup(path);
}

char *e2e_library(struct e2e *e2e, const char *name, const char *flags)
{
	char path[PATH_MAX], all[PATH_MAX], *program;

	snprintf(all, sizeof(all), "-shared -fPIC %s", flags);
	program = e2e_program(e2e, name, all);
	snprintf(path, sizeof(path), "%s/lib%.*s.so", e2e->folder, (int)strcspn(name, "."), name);
	cr_assert_eq(rename(program, path), 0);
	free(program);
	return strdup(path);
}

char *e2e_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;

	if (!file)
		return NULL;
	/* the files that tests read contain no zero byte */
	if (getdelim(&text, &n, '\0', file) < 0 && text)
		text[0] = '\0';
	fclose(file);
	return text;
}

size_t e2e_count(const struct e2e *e2e, const char *key)
{
	return json_array_size(json_object_get(e2e->report, key));
}

json_t *e2e_item(const struct e2e *e2e, const char *key, size_t i)
{
	return json_array_get(json_object_get(e2e->report, key), i);
}

double e2e_stat(const struct e2e *e2e, const char *key)
{
	json_t *value = json_object_get(json_object_get(e2e->report, "stats"), key);

	return value ? json_number_value(value) : -1;
}

char *e2e_record(const struct e2e *e2e, const json_t *finding)
{
	const char *record = json_string_value(json_object_get(finding, "record"));
	char path[PATH_MAX];

	if (!record)
		return NULL;
	snprintf(path, sizeof(path), "%s%s%s", record[0] == '/' ? "" : e2e->folder, record[0] == '/' ? "" : "/",
		 record);
	return strdup(path);
}

/* Whether it is a failure that counts as a finding: not every baseline run shows it. */
static bool failed(const char *key, const json_t *finding)
{
	return strcmp(key, "pairs") == 0 ? json_object_get(finding, "failure") != NULL
					 : json_object_get(finding, "plain") == NULL;
}

char *e2e_failing_record(const struct e2e *e2e, size_t i)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures"};

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
		for (size_t j = 0; j < e2e_count(e2e, keys[k]); j++)
			if (failed(keys[k], e2e_item(e2e, keys[k], j)) && i-- == 0)
				return e2e_record(e2e, e2e_item(e2e, keys[k], j));
	return NULL;
}

bool e2e_full(void)
{
	return getenv("RFSUP_CHECK_FULL") != NULL;
}

size_t e2e_rows(size_t few, size_t all)
{
	return e2e_full() ? all : few;
}

void e2e_expect_same_replay(struct e2e *e2e, const char *record)
{
	e2e_say(e2e, WORDS("--replay", record));
	e2e_expect_status(e2e, 1);
	e2e_expect(e2e, strstr(e2e->said.err, "same as the recorded run"), "%s", e2e->said.err);
}

char *e2e_expect_failing_replay(struct e2e *e2e)
{
	char *record = e2e_failing_record(e2e, 0);

	e2e_expect(e2e, record, "there is no record\n%s", e2e->said.out);
	if (record)
		e2e_expect_same_replay(e2e, record);
	return record;
}

char *e2e_simple_record(const char *record)
{
	char *simple = NULL;

	cr_assert(asprintf(&simple, "%.*s-simple.json", (int)(strlen(record) - strlen(".json")), record) > 0);
	return simple;
}

void e2e_expect_replay(struct e2e *e2e, const json_t *finding)
{
	char *record = e2e_record(e2e, finding);

	e2e_expect(e2e, record, "no record");
	if (record) {
		e2e_say(e2e, WORDS("--replay", record));
		e2e_expect_status(e2e, 1);
	}
	free(record);
}

void e2e_expect_refused(struct e2e *e2e, const char *program, const struct e2e_refused *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		spawn_file(e2e->folder, "pairs", cases[i].text, strlen(cases[i].text), 0644);
		e2e_run(e2e, WORDS("--pairs=pairs", "--runs=1", program));
		e2e_expect_status(e2e, 2);
		e2e_expect(e2e, strstr(e2e->said.err, cases[i].says), "%s", e2e->said.err);
	}
}

void e2e_run_own_pairs(struct e2e *e2e, const char *program, const char *word)
{
	char path[PATH_MAX], *text, *line;

	e2e_run(e2e, WORDS("--runs=4", "--explore=0", program));
	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e->folder);
	text = e2e_text(path);
	cr_assert(asprintf(&line, "\n%s: ", word) > 0);
	e2e_expect(e2e, text && strstr(text, line), "%s", text ? text : "no pairs.txt");
	if (text) {
		spawn_file(e2e->folder, "pairs", text, strlen(text), 0644);
		e2e_run(e2e, WORDS("--pairs=pairs", "--runs=10", program));
		e2e_expect_status(e2e, 1);
	}
	free(line);
	free(text);
}

void e2e_confine(struct e2e *e2e, const char *flag)
{
	const char *given = getenv("RFSUP");
	char binary[PATH_MAX], flags[PATH_MAX + 64], *wrapper;

	cr_assert_not_null(realpath(given ? given : RFS_BUILD "/rfsup", binary));
	snprintf(flags, sizeof(flags), "%s -DPROGRAM='\"%s\"'", flag, binary);
	wrapper = e2e_program(e2e, "confined.c", flags);
	setenv("RFSUP", wrapper, 1);
	free(wrapper);
}
