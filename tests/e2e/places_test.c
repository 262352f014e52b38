/*
 * places_test.c - watchpoints by closed pages stop where the variable changes, wherever it is, forward and back.
 * Forward, single steps must give the same stops in the full check. The control of each row: the writes beside the
 * variable, and those of the same value, stop nobody.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(places, .timeout = 900);

static const struct place {
	const char *name;
	const char *in;	   /* the function at which the variable is watched; from there on it changes: */
	const char *watch; /* with a condition, if any */
	int stops;
	int before; /* so often in front of that function; -1: not known, because the stack was used before */
	const char *last;
} places[] = {
	{"2 bytes of the heap", "in_heap", "heap->two", 1, 0, "New value = 1\n"},
	{"1 byte", "in_heap", "heap->one", 3, 0, "New value = 1 '\\001'\n"},
	{"a variable of the caller", "writes_to", "*of_caller", 4, -1, "New value = 3\n"},
	{"two in one page", "in_heap", "heap->first\nwatch -l heap->second", 2, 1, "New value = 1\n"},
	{"with a condition", "in_heap", "heap->one if heap->second > 1 && heap->one == 0", 1, 0,
	 "New value = 0 '\\000'\n"},
	{"across the end of a page", "across", "*(long long *)(pages + 4092)", 2, 0, "New value = 7\n"},
};

static void write_place(const struct place *place, const char *how, bool back, FILE *out)
{
	const char *at = "printf \"AT %d %#lx %#lx %d\\n\", $_thread, $pc, $rsp, calls\n";

	fprintf(out, "delete\nmonitor restart\nmonitor watch %s\ntbreak %s\ncontinue\nwatch -l %s\ntbreak finish\n",
		how, place->in, place->watch);
	for (int i = 0; i <= place->stops; i++)
		fprintf(out, "continue\n%s", at);
	fputs("echo BACK\\n\n", out);
	for (int i = 0; back && i <= place->stops + (place->before > 0 ? place->before : 0); i++)
		if (i < place->stops || place->before >= 0)
			fprintf(out, "reverse-continue\n%s", at);
	fputs("echo END\\n\n", out);
}

static size_t count(const char *text, const char *end, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) && at < end; at++)
		n++;
	return n;
}

/* Only where the stops are, and what has changed. Frees the text; caller frees. */
static char *stops_of(char *said)
{
	char *kept = calloc(1, strlen(said) + 1);
	const char *text = said;

	while (*text) {
		const size_t n = strcspn(text, "\n") + (strchr(text, '\n') != NULL);

		if (!strncmp(text, "AT ", 3) || strstr(text, "value = ") == text + 4 || !strncmp(text, "No more", 7))
			strncat(kept, text, n);
		text += n;
	}
	free(said);
	return kept;
}

/* What gdb says about the place. Caller frees. */
static char *watch(struct e2e *e2e, const char *record, const struct place *place, const char *how, bool back)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/script", e2e->folder);
	out = fopen(path, "w");
	cr_assert_not_null(out);
	fputs("set pagination off\nset confirm off\n", out);
	write_place(place, how, back, out);
	fclose(out);
	e2e_say(e2e, WORDS("--replay", record, "--gdb", "--stop-at=0", "--", "-nx", "-batch", "-x", path));
	return strdup(e2e->said.out);
}

static void judge(struct e2e *e2e, const struct place *place, const char *said)
{
	const char *back = strstr(said, "BACK\n"), *end = back ? strstr(back, "END\n") : NULL;
	const int stops = place->stops + (place->before > 0 ? place->before : 0);

	e2e_expect(e2e, end != NULL, "%s: the script ended early:\n%s\n%s", place->name, said, e2e->said.err);
	if (!end)
		return;
	e2e_expect(e2e, count(said, back, "New value = ") == (size_t)place->stops && count(said, back, place->last),
		   "%s: not %d stops forward:\n%s", place->name, place->stops, said);
	e2e_expect(e2e, count(back, end, "New value = ") == (size_t)stops, "%s: not %d stops back:\n%s", place->name,
		   stops, said);
	e2e_expect(e2e, count(back, end, "No more reverse-execution history") == (place->before >= 0),
		   "%s: the start of history:\n%s", place->name, said);
}

Test(places, each)
{
	const size_t n = e2e_rows(1, sizeof(places) / sizeof(*places));
	char record[PATH_MAX], *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "places.c", "-O0 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", program));
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	for (size_t i = 0; i < n; i++) {
		char *pages = watch(&e2e, record, &places[i], "pages", true), *steps, *end;

		judge(&e2e, &places[i], pages);
		if (e2e_full()) {
			steps = stops_of(watch(&e2e, record, &places[i], "steps", false));
			end = strstr(pages, "BACK\n");
			if (end)
				*end = '\0';
			pages = stops_of(pages);
			e2e_expect(&e2e, strcmp(pages, steps) == 0, "%s: by pages:\n%sby steps:\n%s", places[i].name,
				   pages, steps);
			free(steps);
		}
		free(pages);
	}
	free(program);
	e2e_end(&e2e);
}
