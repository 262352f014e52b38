/* github_test.c - findings as commands for a workflow of GitHub, and as a table. */
#include "supervisor/report/machine/github.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

TestSuite(github, .timeout = 20);

static const char sarif[] =
	"{\"runs\":[{\"results\":["
	"{\"ruleId\":\"harmful-race\",\"level\":\"error\",\"message\":{\"text\":\"50% a,b: x|y\\nnext\"},"
	"\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a,b.c\",\"uriBaseId\":\"W\"},"
	"\"region\":{\"startLine\":65}}}]},"
	"{\"ruleId\":\"misuse\",\"level\":\"note\",\"message\":{\"text\":\"t\"},"
	"\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"file:///usr/include/x.h\"}}}]},"
	"{\"ruleId\":\"race\",\"message\":{\"text\":\"s\"},\"suppressions\":[{\"kind\":\"external\"}]},"
	"{\"ruleId\":\"race\",\"message\":{\"text\":\"k\"},\"baselineState\":\"unchanged\"}]}]}";

static char *written(const char *text, bool summary)
{
	json_t *root = json_loads(text, 0, NULL);
	char *out = NULL;
	size_t size;
	FILE *stream = xopen_memstream(&out, &size);

	if (summary)
		rfs_github_write_summary(root, NULL, "b_1", stream);
	else
		rfs_github_write(root, stream);
	fclose(stream);
	json_decref(root);
	return out;
}

static void expect(const char *text, bool summary, const char *expected)
{
	char *out = written(text, summary);

	cr_expect_str_eq(out, expected);
	free(out);
}

Test(github, findings_that_count_are_commands)
{
	expect(sarif, false,
	       "::error file=a%2Cb.c,line=65,title=rfsup: harmful-race::50%25 a,b: x|y%0Anext\n"
	       "::notice title=rfsup: misuse::t\n");
	expect("{\"runs\":[]}", false, "");
	expect("{", false, "");
}

Test(github, the_summary_is_a_table)
{
	expect(sarif, true,
	       "### rfsup: b\\_1\n\n2 findings\n\n| kind | place | finding |\n|---|---|---|\n"
	       "| harmful-race | a,b.c:65 | 50% a,b: x\\|y next |\n"
	       "| misuse | file:///usr/include/x.h | t |\n\n");
	expect("{\"runs\":[]}", true, "### rfsup: b\\_1\n\n0 findings\n\n");
}

/* A test that fails always has no finding, and is not green. */
Test(github, red_tests_without_a_finding_are_named)
{
	json_t *tests = json_array(), *sarif_of_none = json_loads("{\"runs\":[]}", 0, NULL);
	char *out = NULL;
	size_t size;
	FILE *stream = xopen_memstream(&out, &size);

	json_array_append_new(tests, rfs_github_test("a|b", "FAILED", "it fails\nalways"));
	json_array_append_new(tests, rfs_github_test("c", "incomplete", NULL));
	rfs_github_write_tests(tests, stream);
	rfs_github_write_summary(sarif_of_none, tests, "p", stream);
	fclose(stream);
	cr_expect_str_eq(out, "::error title=rfsup: FAILED::a|b: it fails%0Aalways\n"
			      "::warning title=rfsup: incomplete::c\n"
			      "### rfsup: p\n\n0 findings\n\n| red without a finding | | |\n|---|---|---|\n"
			      "| a\\|b | FAILED | it fails always |\n| c | incomplete |  |\n\n");
	free(out);
	json_decref(tests);
	json_decref(sarif_of_none);
}

/* GitHub shows only ten of a step. */
Test(github, further_findings_are_counted)
{
	char *text = xstrdup("{\"runs\":[{\"results\":["), *out;

	for (int i = 0; i < 13; i++) {
		char *longer = xasprintf("%s%s{\"message\":{\"text\":\"m\"}}", text, i ? "," : "");

		free(text);
		text = longer;
	}
	out = xasprintf("%s]}]}", text);
	free(text);
	text = written(out, false);
	cr_expect(strstr(text, "::notice title=rfsup::3 more findings are in the report\n"), "%s", text);
	free(text);
	free(out);
}
