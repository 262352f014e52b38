/* gtest.c - runs the tests one by one in child processes, and joins their reports. */
#include "supervisor/cli/campaign/gtest.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/output.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/gtest_list.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_own.h"

struct gtest {
	const struct rfs_options *options;
	char **command;
	struct rfs_output output;
	struct rfs_gtest_list tests;
	char **folders;		 /* of each test, relative to the output folder */
	enum rfs_exit *statuses; /* of each test */
	int cancel_fd;
	rfs_gtest_run *run;
	void *arg;
};

/* ---- one test ---- */

/* "007-Suite.Test". The number keeps names apart that differ in slashes only. Caller frees. */
static char *folder_of(const struct gtest *gtest, size_t i)
{
	char *name = xasprintf("%03zu-%s", i + 1, gtest->tests.names[i]);

	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '-';
	if (strlen(name) > 200)
		name[200] = '\0';
	return name;
}

/* The command line of the test's campaign: without --gtest, which the user may have shortened. Caller frees the list.
 */
static char **gtest_command_of(const struct gtest *gtest, char *filter)
{
	char **list = rfs_gtest_words(gtest->command, filter);
	size_t kept = 0;
	bool found = false;

	for (size_t i = 0; list[i]; i++) {
		bool is_it = i && !found && strlen(list[i]) >= strlen("--gt") &&
			     strncmp("--gtest", list[i], strlen(list[i])) == 0;

		found |= is_it;
		if (!is_it)
			list[kept++] = list[i];
	}
	list[kept] = NULL;
	return list;
}

/* In the process of the test. Its report is in its folder, so it prints nothing. */
static void run_test(const struct gtest *gtest, size_t i) __attribute__((noreturn));
static void run_test(const struct gtest *gtest, size_t i)
{
	char *filter = xasprintf("--gtest_filter=%s", gtest->tests.names[i]);
	char **words = rfs_gtest_words(gtest->options->argv, filter), **command = gtest_command_of(gtest, filter);
	char *output = rfs_output_file(&gtest->output, gtest->folders[i]);
	char *sarif = xasprintf("%s/" RFS_MERGE_SARIF, output), *junit = xasprintf("%s/" RFS_MERGE_JUNIT, output);
	struct rfs_options options = *gtest->options;
	enum rfs_exit status;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rfs_interrupt_adopt();
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		die("cannot open /dev/null: %s", strerror(errno));
	rfs_log_set_level(RFS_LOG_QUIET);
	options.log = RFS_LOG_QUIET;
	options.output = output;
	options.test = gtest->tests.names[i];
	options.sarif = gtest->options->sarif || gtest->options->github ? sarif : NULL;
	options.junit = gtest->options->junit ? junit : NULL;
	options.json = options.github = options.stats = false;
	status = gtest->run(gtest->arg, &options, words, command);
	free(junit);
	free(sarif);
	free(output);
	free(command);
	free(words);
	free(filter);
	exit(status);
}

/* The status of the test's campaign; RFS_EXIT_UNCONTROLLED if its process died. */
static enum rfs_exit make_campaign(const struct gtest *gtest, size_t i)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("cannot make a process: %s", strerror(errno));
	if (pid == 0)
		run_test(gtest, i);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return RFS_EXIT_UNCONTROLLED;
	return WIFEXITED(status) ? (enum rfs_exit)WEXITSTATUS(status) : RFS_EXIT_UNCONTROLLED;
}

/* ---- all tests ---- */

static const char *gtest_word_of(enum rfs_exit status)
{
	switch (status) {
	case RFS_EXIT_CLEAN:
		return "ok";
	case RFS_EXIT_FINDING:
		return "FOUND";
	case RFS_EXIT_INPUT:
		return "not run";
	case RFS_EXIT_UNCONTROLLED:
		return "not controlled";
	case RFS_EXIT_INCOMPLETE:
		return "incomplete";
	}
	return "?";
}

/* The word for a test that fails without rfsup. */
#define OWN_WORD "FAILED"

/* What the report of a test says of the test itself. */
struct itself {
	bool one_thread; /* the campaign is incomplete only because the test has no second thread */
	struct rfs_report_own own;
};

static struct itself read_report(const struct gtest *gtest, size_t i)
{
	char *path = rfs_merge_file(&gtest->output, gtest->folders[i], "report.json");
	json_t *root = json_load_file(path, 0, NULL);
	const char *reason = json_string_value(json_object_get(root, "incomplete"));
	json_t *always = json_object_get(json_object_get(root, "plain"), "always");
	json_t *signal = json_object_get(always, "signal");
	const struct itself itself = {
		.one_thread = reason && strcmp(reason, RFS_ONE_THREAD) == 0,
		.own = {always != NULL, signal != NULL,
			(int)json_integer_value(signal ? signal : json_object_get(always, "status"))},
	};

	json_decref(root);
	free(path);
	return itself;
}

/* Whether the failure of the test itself is its result. */
static bool fails_itself(const struct itself *itself, enum rfs_exit status)
{
	return itself->own.failed && status != RFS_EXIT_FINDING && status != RFS_EXIT_INPUT;
}

/* Prints the result of a test immediately, because many tests take long. */
static void print_test(const struct gtest *gtest, size_t i, enum rfs_exit status, const struct itself *itself)
{
	char *result;

	if (gtest->options->json)
		return;
	result = status == RFS_EXIT_FINDING || itself->own.failed ? rfs_merge_result(&gtest->output, gtest->folders[i])
								  : NULL;
	printf("%-15s %s", fails_itself(itself, status) ? OWN_WORD : gtest_word_of(status), gtest->tests.names[i]);
	if (result)
		printf(": %s", result);
	if (status == RFS_EXIT_CLEAN && itself->one_thread)
		printf(": it has no second thread");
	if (status != RFS_EXIT_CLEAN)
		printf("; see %s/%s", gtest->output.path, gtest->folders[i]);
	putchar('\n');
	fflush(stdout);
	free(result);
}

static void print_counts(const struct gtest *gtest, const size_t counts[], size_t own, size_t made)
{
	static const enum rfs_exit order[] = {RFS_EXIT_CLEAN, RFS_EXIT_FINDING, RFS_EXIT_INCOMPLETE,
					      RFS_EXIT_UNCONTROLLED, RFS_EXIT_INPUT};

	if (gtest->options->json)
		return;
	printf("%zu test%s", gtest->tests.n, rfs_plural(gtest->tests.n));
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (counts[order[i]])
			printf(", %zu %s", counts[order[i]], gtest_word_of(order[i]));
	if (own)
		printf(", %zu %s", own, OWN_WORD);
	if (made < gtest->tests.n)
		printf(", %zu not started", gtest->tests.n - made);
	printf("\nfiles           %s\n", gtest->output.path);
}

static enum rfs_exit run_tests(struct gtest *gtest, struct rfs_report_own *own)
{
	size_t counts[RFS_EXIT_INCOMPLETE + 1] = {0}, made = 0, failed = 0;
	enum rfs_exit *statuses = gtest->statuses, all = RFS_EXIT_CLEAN;
	struct itself itself;

	for (; made < gtest->tests.n && !rfs_interrupted(gtest->cancel_fd); made++) {
		statuses[made] = make_campaign(gtest, made);
		if (statuses[made] > RFS_EXIT_INCOMPLETE)
			statuses[made] = RFS_EXIT_UNCONTROLLED;
		itself = read_report(gtest, made);
		if (itself.one_thread && statuses[made] == RFS_EXIT_INCOMPLETE)
			statuses[made] = RFS_EXIT_CLEAN;
		print_test(gtest, made, statuses[made], &itself);
		if (itself.own.failed)
			rfs_merge_own(own, &itself.own);
		if (fails_itself(&itself, statuses[made]))
			failed++;
		else
			counts[statuses[made]]++;
		all = rfs_merge_status(all, statuses[made]);
		if (statuses[made] == RFS_EXIT_FINDING && gtest->options->until_failure) {
			made++;
			break;
		}
	}
	if (made < gtest->tests.n)
		all = rfs_merge_status(all, RFS_EXIT_INCOMPLETE);
	print_counts(gtest, counts, failed, made);
	const struct rfs_merge merge = {
		.output = &gtest->output,
		.options = gtest->options,
		.names = gtest->tests.names,
		.folders = gtest->folders,
		.statuses = statuses,
		.n = made,
	};
	if (!rfs_merge_reports(&merge) && all != RFS_EXIT_FINDING)
		all = RFS_EXIT_INPUT;
	return all;
}

enum rfs_exit rfs_gtest(const struct rfs_options *options, char **command, int cancel_fd, rfs_gtest_run *run, void *arg,
			struct rfs_report_own *own)
{
	struct gtest gtest = {
		.options = options,
		.command = command,
		.cancel_fd = cancel_fd,
		.run = run,
		.arg = arg,
	};
	enum rfs_exit status;
	char why[1024], **environment = rfs_variables_set(environ, options->env);

	if (rfs_gtest_list(options->argv, environment, &gtest.tests, why, sizeof(why)) ||
	    rfs_output_open(options->output, command, &gtest.output, why, sizeof(why)))
		die("%s", why);
	rfs_variables_free(environment);
	gtest.folders = xcalloc(gtest.tests.n, sizeof(*gtest.folders));
	gtest.statuses = xcalloc(gtest.tests.n, sizeof(*gtest.statuses));
	for (size_t i = 0; i < gtest.tests.n; i++)
		gtest.folders[i] = folder_of(&gtest, i);
	*own = (struct rfs_report_own){0};
	status = run_tests(&gtest, own);
	for (size_t i = 0; i < gtest.tests.n; i++)
		free(gtest.folders[i]);
	free(gtest.folders);
	free(gtest.statuses);
	rfs_gtest_list_release(&gtest.tests);
	rfs_output_close(&gtest.output);
	return status;
}
