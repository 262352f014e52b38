/* completion_test.c - rfsup --completion: what bash and zsh do with it. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(completion, .timeout = 120);

/* Writes the script for the shell to FOLDER/script. */
static void write_script(struct e2e *e2e, const char *shell)
{
	char path[PATH_MAX];
	FILE *out;

	e2e_say(e2e, WORDS("--completion", shell));
	e2e_expect_status(e2e, 0);
	snprintf(path, sizeof(path), "%s/script", e2e->folder);
	out = fopen(path, "we");
	cr_assert_not_null(out);
	fputs(e2e->said.out, out);
	fclose(out);
}

/* Completes the words, which bash has split at '='; the result must contain `expected`. */
static void expect_completion(struct e2e *e2e, const char *words, const char *expected)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command),
		 "bash -c 'source ./script; COMP_WORDS=(rfsup %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
		 "_rfsup; echo \" ${COMPREPLY[*]} \"' | grep -qF -- ' %s '",
		 words, expected);
	e2e_expect_command(e2e, command);
}

Test(completion, bash_completes_options_values_and_files)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	write_script(&e2e, "bash");
	expect_completion(&e2e, "--poi", "--points=");
	expect_completion(&e2e, "--points = ra", "races");
	expect_completion(&e2e, "--runs 5 --verb", "--verbose");
	expect_completion(&e2e, "--replay scr", "script");
	expect_completion(&e2e, "-j 2 scr", "script");
	expect_completion(&e2e, "-- ./prog scr", "script");
	e2e_end(&e2e);
}

/* What somebody types before the Tab key, and the line after it. */
static const struct {
	const char *typed, *line;
} typed[] = {
	{"rfsup --poi", "rfsup --points"}, /* and the = of both shells */
	{"rfsup --points=ra", "rfsup --points=races"},
	{"rfsup --memory-model=t", "rfsup --memory-model=tso"},
	{"rfsup --policy racef", "rfsup --policy racefuzzer"},
	{"rfsup --replay some-r", "rfsup --replay some-record.json"},
	{"rfsup -o some-f", "rfsup -o some-folder"},
	{"rfsup --no-fork", "rfsup --no-fork-server"},
};

static void expect_typed(const char *shell, const char *script)
{
	char *driver = realpath("tests/e2e/programs/type_keys.zsh", NULL), command[4 * PATH_MAX];
	struct e2e e2e;

	e2e_begin(&e2e);
	write_script(&e2e, shell);
	snprintf(command, sizeof(command), "mv script %s; touch some-record.json; mkdir some-folder", script);
	e2e_expect_command(&e2e, command);
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		snprintf(command, sizeof(command),
			 "PATH=$(dirname \"$RFSUP\"):$PATH zsh -f %s %s '%s' >said; cat said >&2; grep -qE -- "
			 "'=42=%s[=/ ]*$' said",
			 driver, shell, typed[i].typed, typed[i].line);
		e2e_expect_command(&e2e, command);
	}
	free(driver);
	e2e_end(&e2e);
}

Test(completion, bash_completes_what_is_typed)
{
	expect_typed("bash", "rfsup.bash");
}

Test(completion, zsh_completes_what_is_typed)
{
	expect_typed("zsh", "_rfsup");
}

Test(completion, zsh_can_read_it)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	write_script(&e2e, "zsh");
	e2e_expect_command(&e2e, "zsh -n script && grep -q \"'\\*--points=\\[\" script");
	e2e_say(&e2e, WORDS("--completion=fish"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--completion: 'fish' is neither bash nor zsh") != NULL, "%s",
		   e2e.said.err);
	e2e_end(&e2e);
}
