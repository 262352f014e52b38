/*
 * processor_test.c - records of other processors. A record has the features of its processor; here they are changed, as
 * if the run had been recorded elsewhere.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/record/checksum.h"
#include "tests/e2e/harness.h"

TestSuite(processor, .timeout = 120);

#define CHECKSUM ",\"checksum\":\""

/* Writes FOLDER/changed.json: the record with `to` in place of `from`, and its correct checksum. */
static void change(struct e2e *e2e, const char *record, const char *from, const char *to)
{
	char *text = e2e_text(record), *end, *at, *changed = NULL, sum[RFS_CHECKSUM_SIZE], path[PATH_MAX];
	FILE *out;

	cr_assert_not_null(text);
	end = strstr(text, CHECKSUM);
	at = strstr(text, from);
	cr_assert(end && at && at < end, "no %s in %s", from, record);
	*end = '\0';
	cr_assert(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	rfs_checksum(changed, strlen(changed), sum);
	snprintf(path, sizeof(path), "%s/changed.json", e2e->folder);
	out = fopen(path, "we");
	cr_assert_not_null(out);
	fprintf(out, "%s" CHECKSUM "%s\"}\n", changed, sum);
	fclose(out);
	free(changed);
	free(text);
}

/* Replays FOLDER/changed.json. */
static void replay_changed(struct e2e *e2e, int status, const char *says)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/changed.json", e2e->folder);
	e2e_say(e2e, WORDS("--quiet", "--replay", path));
	e2e_expect_status(e2e, status);
	e2e_expect(e2e, strstr(e2e->said.err, says) != NULL, "no '%s' in: %s", says, e2e->said.err);
}

Test(processor, a_replay_shows_the_features_of_the_record)
{
	struct e2e e2e;
	char *program, record[PATH_MAX];

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "asks_processor.c", "-g");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", program));
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);

	change(&e2e, record, "\"processor\":\"", "\"processor\":\"");
	replay_changed(&e2e, 0, "pclmul: here 1, C library 1, libgcc 1");

	change(&e2e, record, " pclmulqdq ", " ");
	/* the replay is another run, because it says something else */
	replay_changed(&e2e, 3, "pclmul: here 0, C library 0, libgcc 0");

	/* as if recorded on a processor that has more */
	change(&e2e, record, "\"processor\":\"", "\"processor\":\"avx9000 ");
	replay_changed(&e2e, 3, "this processor lacks avx9000, which the program could use in the recorded run");

	/* made before records had the key */
	change(&e2e, record, "\"processor\":\"", "\"unknown\":\"");
	replay_changed(&e2e, 0, "pclmul: here 1, C library 1, libgcc 1");
	free(program);
	e2e_end(&e2e);
}
