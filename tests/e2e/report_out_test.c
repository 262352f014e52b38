/*
 * report_out_test.c - reports for other tools: --sarif, --junit, --baseline, --error-exitcode, --color, and what is
 * said if they cannot be used.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(report_out, .timeout = 120);

Test(report_out, a_finding_is_written_in_all_forms_and_then_known)
{
	char *target = e2e_target("O2g", "figure1"), baseline[PATH_MAX];
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=10", "--sarif=r.sarif", "--junit=r.xml", "--error-exitcode=7",
			    "--color=always", target));
	e2e_expect_status(&e2e, 7);
	e2e_expect(&e2e, strstr(e2e.said.out, "\033[") != NULL, "no colours");
	e2e_expect_command(&e2e,
			   "jq -e '.runs[0].results[0] | .ruleId == \"harmful-race\" and "
			   "(.codeFlows[0].threadFlows | length) == 2 and (.attachments | length) == 3 and "
			   ".locations[0].physicalLocation.region.startLine > 0 and (.baselineState | not)' r.sarif");
	e2e_expect_command(&e2e, "xmllint --xpath 'string(/testsuites/testsuite/testcase[2]/failure/@type)' r.xml | "
				 "grep '^harmful-race$'");
	e2e_expect_command(&e2e, "mv out/report.json earlier.json");

	snprintf(baseline, sizeof(baseline), "--baseline=%s/earlier.json", e2e.folder);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=10", baseline, "--sarif=r.sarif", "--junit=r.xml",
			    "--error-exitcode=7", target));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL") == NULL && strstr(e2e.said.out, "known  ") != NULL,
		   "the finding is not known");
	e2e_expect_command(&e2e, "jq -e '.runs[0].results[0].baselineState == \"unchanged\"' r.sarif");
	e2e_expect_command(&e2e, "xmllint --xpath '//skipped' r.xml");
	free(target);
	e2e_end(&e2e);
}

/* Readers that others wrote accept the files, whatever the findings are: junitparser, the object model that was made
 * from the schema of SARIF, and jsonschema with rfsup's own schema. */
Test(report_out, other_readers)
{
	static const struct {
		const char *target, *argument, *option, *junit, *sarif;
	} cases[] = {
		{"figure1", NULL, "--runs=5", "2 1 0 0", "1"},
		{"order_free", NULL, "--runs=6", "2 1 0 0", "1"},
		{"misuse", "unlock-free", "--misuse=error", NULL, NULL},
		{"check_then_act", NULL, "--suppressions=s.supp", NULL, NULL},
		/* the short check ends here */
		{"figure1_fixed", NULL, "--runs=5", "1 0 0 0", "0"},
		{"philosophers", NULL, "--runs=5", "5 4 0 0", "4"},
		{"order_violation", NULL, "--runs=5", "2 1 0 0", "1"},
	};
	char *program = realpath("tests/e2e/programs/read_reports.py", NULL), command[2 * PATH_MAX + 200];
	char *schema = realpath("docs/report.schema.json", NULL);
	struct e2e e2e;

	cr_assert(program && schema);
	e2e_begin(&e2e);
	spawn_file(e2e.folder, "s.supp", "race:*\n", 7, 0600);
	for (size_t i = 0; i < e2e_rows(4, sizeof(cases) / sizeof(*cases)); i++) {
		char *target = e2e_target("O2g", cases[i].target);

		e2e_run(&e2e, WORDS("--runs=5", "--explore=5", cases[i].option, "--sarif=r.sarif", "--junit=r.xml",
				    target, cases[i].argument));
		snprintf(command, sizeof(command), "/usr/bin/python3 '%s' junit r.xml | grep -x '%s'", program,
			 cases[i].junit ? cases[i].junit : "[0-9 ]*");
		e2e_expect_command(&e2e, command);
		snprintf(command, sizeof(command), "/usr/bin/python3 '%s' sarif r.sarif | grep -x '%s'", program,
			 cases[i].sarif ? cases[i].sarif : "[0-9]*");
		e2e_expect_command(&e2e, command);
		snprintf(command, sizeof(command), "/usr/bin/python3 '%s' json '%s' out/report.json", program, schema);
		e2e_expect_command(&e2e, command);
		if (i == 0) {
			snprintf(command, sizeof(command),
				 "jq 'del(.pairs[0].verdict)' out/report.json >damaged.json && "
				 "! /usr/bin/python3 '%s' json '%s' damaged.json 2>err && grep -q verdict err",
				 program, schema);
			e2e_expect_command(&e2e, command);
		}
		free(target);
	}
	e2e_end(&e2e);
	free(program);
	free(schema);
}

struct violating {
	char target[24], rule[24];
	char does[12]; /* what one of the steps says first */
};

ParameterizedTestParameters(report_out, violations)
{
	static struct violating rows[] = {{"atomicity_bank", "atomicity-violation", "writes"},
					  {"order_free", "order-violation", "frees"},
					  {"order_destroy", "order-violation", "destroys"}};

	/* the third has the rule of the second */
	return cr_make_param_array(struct violating, rows, e2e_rows(2, sizeof(rows) / sizeof(*rows)));
}

/* A violation is no crash to other tools, and its report names the failure by its id. The twin has neither. */
ParameterizedTest(struct violating *row, report_out, violations)
{
	char *target = e2e_target("O2g", row->target), command[400], twin[40], *fixed;
	struct e2e e2e;

	snprintf(twin, sizeof(twin), "%s_fixed", row->target);
	fixed = e2e_target("O2g", twin);
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=6", "--explore=5", "--sarif=r.sarif", "--junit=r.xml", target));
	e2e_expect_status(&e2e, 1);
	snprintf(command, sizeof(command),
		 "jq -e '[.runs[0].results[] | select(.ruleId == \"%s\")] | length == 1 and "
		 "(.[0].relatedLocations | length) >= 2 and (.[0].codeFlows[0].threadFlows | length) == 2' r.sarif",
		 row->rule);
	e2e_expect_command(&e2e, command);
	e2e_expect_command(&e2e, "jq -e '[.runs[0].results[] | select(.ruleId == \"crash\")] == []' r.sarif");
	snprintf(command, sizeof(command),
		 "jq -e '[.runs[0].results[].codeFlows[]?.threadFlows[].locations[].location.message.text] | "
		 "any(startswith(\"%s \"))' r.sarif",
		 row->does);
	e2e_expect_command(&e2e, command);
	e2e_expect_command(&e2e,
			   "jq -e '([.failures[].id] - [.predicted_violations[] | select(.harmful) | .failure]) == []' "
			   "out/report.json");
	snprintf(command, sizeof(command), "xmllint --xpath '//failure[@type=\"%s\"]' r.xml", row->rule);
	e2e_expect_command(&e2e, command);
	e2e_run(&e2e, WORDS("--runs=6", "--explore=5", "--sarif=r.sarif", "--junit=r.xml", fixed));
	e2e_expect_command(&e2e, "jq -e '.runs[0].results == []' r.sarif");
	e2e_end(&e2e);
	free(target);
	free(fixed);
}

Test(report_out, a_program_without_findings_passes)
{
	char *target = e2e_target("O2g", "figure1_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=10", "--sarif=r.sarif", "--junit=r.xml", target));
	e2e_expect_status(&e2e, 0);
	e2e_expect_command(&e2e, "jq -e '.runs[0].results == []' r.sarif");
	e2e_expect_command(&e2e, "xmllint --xpath '/testsuites/testsuite[@tests=1 and @failures=0]' r.xml");
	free(target);
	e2e_end(&e2e);
}

Test(report_out, files_that_cannot_be_used_are_said_before_any_run)
{
	static const struct {
		const char *option, *says;
	} cases[] = {
		{"--sarif=/nonexistent/r.sarif", "--sarif: cannot write '/nonexistent/r.sarif'"},
		{"--junit=/", "--junit: cannot write '/': Is a directory"},
		{"--baseline=/nonexistent", "--baseline: cannot read '/nonexistent'"},
		{"--baseline=/dev/null", "--baseline: '/dev/null' is not a JSON report"},
		{"--error-exitcode=256", "--error-exitcode: '256' is not an integer between 0 and 255"},
		{"--color=blue", "--color: 'blue' is not one of auto, always, never"},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e2e_say(&e2e, WORDS(cases[i].option, "/bin/true"));
		e2e_expect_status(&e2e, 2);
		e2e_expect(&e2e, strstr(e2e.said.err, cases[i].says) != NULL, "%s: %s", cases[i].option, e2e.said.err);
	}
	e2e_end(&e2e);
}

Test(report_out, a_full_disk_loses_nothing_else)
{
	char *target = e2e_target("O2g", "figure1");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=10", "--sarif=/dev/full", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.err, "--sarif: cannot write '/dev/full': No space left on device") != NULL,
		   "%s", e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL") != NULL, "the report is missing");
	free(target);
	e2e_end(&e2e);
}
