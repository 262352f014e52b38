/* trial_test.c - a driver that ends, is stopped or answers nonsense is noticed. Shell scripts take the driver's place.
 */
#include "supervisor/generate/tests/trial.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/generate/tests/sequence.h"
#include "tests/supervisor/scratch.h"

TestSuite(trial, .timeout = 60);

static void make_script(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	cr_assert_not_null(out);
	fprintf(out, "#!/bin/sh\n%s\n", text);
	fclose(out);
	cr_assert_eq(chmod(name, 0700), 0);
}

/* Makes two trials. Returns how many were answered; *last: the second answer, if there is one. */
static int answered(const char *text, struct rfs_trial *last)
{
	const struct rfs_driver_settings settings = {0};
	const struct rfs_sequence nothing = {0};
	struct rfs_driver driver;
	char why[256], *path;
	int n = 0;

	signal(SIGPIPE, SIG_IGN); /* as rfs_generate() does */
	make_script("driver", text);
	path = realpath("driver", NULL);
	cr_assert_eq(rfs_driver_start(path, "", "", ".", &settings, &driver, why, sizeof(why)), 0, "%s", why);
	while (n < 2 && rfs_driver_try(&driver, NULL, &nothing, last))
		n++;
	rfs_driver_stop(&driver);
	free(path);
	return n;
}

Test(trial, answers_are_read)
{
	struct rfs_trial trial;
	char *folder = scratch_enter();

	/* the answer is written in two pieces */
	cr_expect_eq(
		answered("printf 'ok 1' >/proc/self/fd/201; sleep 0.1; printf '0 ff +network\\n' >/proc/self/fd/201\n"
			 "sleep 0.1; echo signal 11 7 >/proc/self/fd/201; sleep 100",
			 &trial),
		2);
	cr_expect_eq(trial.end, RFS_TRIAL_SIGNAL);
	cr_expect_eq(trial.n, 1);
	cr_expect_eq(trial.results[0], 7);
	scratch_leave(folder);
}

Test(trial, a_driver_that_cannot_answer_is_noticed)
{
	static const char *const scripts[] = {
		"exit 0",
		"kill -STOP $$",
		"printf 'ok 1' >/proc/self/fd/201; kill -STOP $$",
		"echo ok >/proc/self/fd/201; kill -STOP $$",
		"printf 'ok 1' >/proc/self/fd/201",
		"echo what >/proc/self/fd/201; sleep 100",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		struct rfs_trial trial;
		char *folder = scratch_enter();

		cr_expect_lt(answered(scripts[i], &trial), 2, "%s", scripts[i]);
		scratch_leave(folder);
	}
}
