/* github.c - takes findings from SARIF, so that both say the same. */
#include "supervisor/report/machine/github.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/report/machine/json_put.h"

/* GitHub shows at most ten of each kind for a step, and does not say so. */
#define MOST 10

/* Where a finding is. */
struct spot {
	const char *file; /* NULL: unknown */
	long long line;	  /* 0: unknown */
};

static struct spot spot_of(const json_t *result)
{
	const json_t *location = json_array_get(json_object_get(result, "locations"), 0);
	const json_t *place = json_object_get(location, "physicalLocation");
	const char *file = json_string_value(json_object_get(json_object_get(place, "artifactLocation"), "uri"));

	return (struct spot){file, json_integer_value(json_object_get(json_object_get(place, "region"), "startLine"))};
}

static bool counts(const json_t *result)
{
	const char *state = json_string_value(json_object_get(result, "baselineState"));

	return !json_array_size(json_object_get(result, "suppressions")) && !(state && strcmp(state, "unchanged") == 0);
}

static const char *text_of(const json_t *result)
{
	const char *text = json_string_value(json_object_get(json_object_get(result, "message"), "text"));

	return text ? text : "";
}

static const char *rule_of(const json_t *result)
{
	const char *rule = json_string_value(json_object_get(result, "ruleId"));

	return rule ? rule : "finding";
}

/* property: the text is the value of a property, in which more characters have a meaning. */
static void put_escaped(const char *text, bool property, FILE *out)
{
	for (; *text; text++)
		if (strchr(property ? "%\r\n:," : "%\r\n", *text))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
}

static void put_command(const json_t *result, FILE *out)
{
	const char *level = json_string_value(json_object_get(result, "level"));
	const struct spot spot = spot_of(result);
	const char *kind = !level || strcmp(level, "error") == 0 ? "error"
			   : strcmp(level, "warning") == 0	 ? "warning"
								 : "notice";

	fprintf(out, "::%s ", kind);
	/* a file outside of the repository has no place in it */
	if (spot.file && strncmp(spot.file, "file://", 7) != 0) {
		fputs("file=", out);
		put_escaped(spot.file, true, out);
		if (spot.line)
			fprintf(out, ",line=%lld", spot.line);
		fputc(',', out);
	}
	fputs("title=rfsup: ", out);
	put_escaped(rule_of(result), true, out);
	fputs("::", out);
	put_escaped(text_of(result), false, out);
	fputc('\n', out);
}

/* Calls a function for each finding that counts, up to `most` of them. Returns how many there are. */
static size_t each(const json_t *sarif, void (*put)(const json_t *result, FILE *out), size_t most, FILE *out)
{
	const json_t *run, *result;
	size_t i, k, n = 0;

	json_array_foreach(json_object_get(sarif, "runs"), i, run)
		json_array_foreach(json_object_get(run, "results"), k, result) if (counts(result) && n++ < most)
			put(result, out);
	return n;
}

void rfs_github_write(const json_t *sarif, FILE *out)
{
	const size_t n = each(sarif, put_command, MOST, out);

	if (n > MOST)
		fprintf(out, "::notice title=rfsup::%zu more findings are in the report\n", n - MOST);
}

/* Text in a cell of a table. */
static void put_cell(const char *text, FILE *out)
{
	for (; *text; text++)
		if (strchr("|\\`*_<>[]", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
}

static void put_row(const json_t *result, FILE *out)
{
	const struct spot spot = spot_of(result);

	fputs("| ", out);
	put_cell(rule_of(result), out);
	fputs(" | ", out);
	put_cell(spot.file ? spot.file : "", out);
	if (spot.file && spot.line)
		fprintf(out, ":%lld", spot.line);
	fputs(" | ", out);
	put_cell(text_of(result), out);
	fputs(" |\n", out);
}

static void put_nothing(const json_t *result, FILE *out)
{
	(void)result;
	(void)out;
}

static const char *test_text(const json_t *test, const char *key)
{
	const char *text = json_string_value(json_object_get(test, key));

	return text ? text : "";
}

static void put_test_row(const json_t *test, FILE *out)
{
	fputs("| ", out);
	put_cell(test_text(test, "name"), out);
	fputs(" | ", out);
	put_cell(test_text(test, "outcome"), out);
	fputs(" | ", out);
	put_cell(test_text(test, "says"), out);
	fputs(" |\n", out);
}

void rfs_github_write_tests(const json_t *tests, FILE *out)
{
	const json_t *test;
	size_t i;

	json_array_foreach(tests, i, test)
	{
		const char *outcome = test_text(test, "outcome"), *says = test_text(test, "says");

		if (i == MOST) {
			fprintf(out, "::notice title=rfsup::%zu more tests are in the report\n",
				json_array_size(tests) - MOST);
			return;
		}
		fprintf(out, "::%s title=rfsup: ", strcmp(outcome, RFS_GITHUB_FAILED) == 0 ? "error" : "warning");
		put_escaped(outcome, true, out);
		fputs("::", out);
		put_escaped(test_text(test, "name"), false, out);
		if (*says)
			fputs(": ", out);
		put_escaped(says, false, out);
		fputc('\n', out);
	}
}

json_t *rfs_github_test(const char *name, const char *outcome, const char *says)
{
	json_t *test = json_object();

	rfs_json_put_text(test, "name", name);
	rfs_json_put_text(test, "outcome", outcome);
	rfs_json_put_text(test, "says", says);
	return test;
}

void rfs_github_write_summary(const json_t *sarif, const json_t *tests, const char *name, FILE *out)
{
	const json_t *test;
	size_t i;
	const size_t n = each(sarif, put_nothing, 0, out);

	fputs("### rfsup: ", out);
	put_cell(name, out);
	fprintf(out, "\n\n%zu finding%s\n\n", n, rfs_plural(n));
	if (n) {
		fputs("| kind | place | finding |\n|---|---|---|\n", out);
		each(sarif, put_row, n, out);
		fputc('\n', out);
	}
	if (json_array_size(tests)) {
		fputs("| red without a finding | | |\n|---|---|---|\n", out);
		json_array_foreach(tests, i, test) put_test_row(test, out);
		fputc('\n', out);
	}
}

bool rfs_github_publish(const char *text, const char *name, json_t *tests)
{
	json_t *sarif = json_loads(text, 0, NULL);
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *out = path && *path ? fopen(path, "ae") : NULL;
	bool written = true;

	rfs_github_write(sarif, stdout);
	rfs_github_write_tests(tests, stdout);
	if (fflush(stdout)) {
		rfs_error("cannot write to standard output: %s", strerror(errno));
		written = false;
	}
	if (out) {
		rfs_github_write_summary(sarif, tests, name, out);
		written &= !fclose(out);
	} else if (path && *path) {
		written = false;
	}
	if (path && *path && !written)
		rfs_error("cannot add to the job summary '%s': %s", path, strerror(errno));
	json_decref(sarif);
	json_decref(tests);
	return written;
}
