/* campaign.c - a turn of a test: its campaign begins, or continues from its journal, in a fork of rfsup. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/cli/campaign/resume.h"
#include "supervisor/cli/suite/suite-priv.h"
#include "supervisor/pool/journal.h"

/* ---- the command line of a campaign ---- */

/* Options of the suite as a whole, and those that only change what is shown. */
static const struct {
	const char *name;
	char letter;
	bool value;
} ours[] = {
	{"suite", 0, true},	     {"output", 'o', true}, {"budget", 0, true},    {"cache", 0, true},
	{"jobs", 'j', true},	     {"sarif", 0, true},    {"junit", 0, true},	    {"format", 0, true},
	{"error-exitcode", 0, true}, {"stats", 0, false},   {"quiet", 'q', false},  {"verbose", 0, false},
	{"color", 0, true},	     {"baseline", 0, true}, {"launcher", 0, false}, {"until-failure", 0, false},
};

/* How many words an option of the suite has from here on; 0: it is not one. */
static size_t words_of_ours(char *const *words)
{
	const char *word = words[0];
	const size_t n = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		/* the parser has refused a short form that may be another option */
		if (n > 2 && strncmp(word, "--", 2) == 0 && strncmp(word + 2, ours[i].name, n - 2) == 0)
			return ours[i].value && !word[n] && words[1] ? 2 : 1;
		if (ours[i].letter && word[0] == '-' && word[1] == ours[i].letter)
			return ours[i].value && !word[2] && words[1] ? 2 : 1;
	}
	return 0;
}

char **rfs_suite_options(char *const *command)
{
	char **list = xcalloc(1, sizeof(*list));

	for (char *const *word = command + 1; *word;) {
		size_t n = words_of_ours(word);

		if (!n)
			rfs_words_add(&list, *word);
		word += n ? n : 1;
	}
	return list;
}

/* A glob that only this path matches. Caller frees. */
static char *glob_of(const char *path)
{
	char *glob = xmalloc(2 * strlen(path) + 1), *end = glob;

	for (; *path; path++) {
		if (strchr("*?[]\\", *path))
			*end++ = '\\';
		*end++ = *path;
	}
	*end = '\0';
	return glob;
}

/* A command line that makes this campaign. Free with rfs_words_free(). */
static char **command_of(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	char **list = NULL, **options = rfs_suite_options(suite->runs->command);

	rfs_words_add(&list, suite->runs->command[0]);
	for (char **word = options; *word; word++)
		rfs_words_add(&list, *word);
	if (job->watch.follow) {
		char *glob = glob_of(job->watch.follow);

		rfs_words_add(&list, "--follow");
		rfs_words_add(&list, glob);
		free(glob);
	}
	rfs_words_add(&list, "--launcher");
	rfs_words_add(&list, "--");
	for (char **word = job->test->words; *word; word++)
		rfs_words_add(&list, *word);
	rfs_words_free(options);
	return list;
}

/* ---- in the process of the campaign ---- */

static void die_of(const char *what)
{
	die("%s: %s", what, strerror(errno));
}

/* With several tests at the same time, each has its part of the cores. */
static void take_cores(const struct rfs_suite *suite, unsigned slot)
{
	cpu_set_t all, mine;
	int n = 0;

	if (suite->n_slots < 2 || sched_getaffinity(0, sizeof(all), &all))
		return;
	CPU_ZERO(&mine);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &all)) {
			if ((unsigned)n % suite->n_slots == slot % (unsigned)CPU_COUNT(&all))
				CPU_SET(core, &mine);
			n++;
		}
	if (CPU_COUNT(&mine))
		(void)sched_setaffinity(0, sizeof(mine), &mine);
}

static void make_campaign(struct rfs_suite *suite, const struct rfs_suite_slot *slot, double seconds)
	__attribute__((noreturn));
static void make_campaign(struct rfs_suite *suite, const struct rfs_suite_slot *slot, double seconds)
{
	struct rfs_suite_job *job = slot->job;
	struct rfs_options options = *suite->runs->options;
	char *folder = rfs_output_file(&suite->output, job->folder),
	     *journal = xasprintf("%s/" RFS_JOURNAL_FILE, folder);
	struct rfs_resumed resumed = {.keep = true};
	char **command = command_of(suite, job), why[1024];
	enum rfs_exit status;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* a terminal would send it a signal that the suite sends too, and the second one ends it without a report */
	setpgid(0, 0);
	rfs_interrupt_adopt();
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(slot->errors, STDERR_FILENO) < 0)
		die_of("cannot open /dev/null");
	rfs_log_set_level(RFS_LOG_QUIET);
	take_cores(suite, (unsigned)(slot - suite->slots));
	if (access(journal, F_OK) == 0) {
		error = rfs_journal_open(journal, &resumed.journal);
		/* a journal of the cache may be damaged; then the campaign is a new one */
		if (error) {
			char *mark = rfs_merge_file(&suite->output, job->folder, RFS_OUTPUT_MARK);

			unlink(journal);
			unlink(mark);
			free(mark);
		}
		resumed.directory = folder;
	}
	if (rfs_suite_enter(job->test, why, sizeof(why)))
		die("%s", why);
	options.log = RFS_LOG_QUIET;
	options.output = folder;
	options.test = rfs_job_name(job);
	options.sarif = rfs_merge_file(&suite->output, job->folder, RFS_MERGE_SARIF);
	options.junit = NULL;
	options.json = options.github = options.stats = false;
	options.suite = options.cache = NULL;
	options.launcher = true;
	options.jobs = 1;
	options.budget = seconds;
	options.error_exitcode = RFS_EXIT_FINDING;
	if (job->watch.follow)
		options.run.follow = glob_of(job->watch.follow);
	status = suite->runs->campaign(suite->runs, &options, job->test->words, command, &resumed);
	exit(status);
}

/* ---- in the process of the suite ---- */

int rfs_campaign_start(struct rfs_suite *suite, struct rfs_suite_slot *slot, double seconds)
{
	if (slot->job->turn.made && !slot->job->turn.left) {
		char *folder = rfs_output_file(&suite->output, slot->job->folder);

		rfs_tree_remove(folder);
		free(folder);
	}
	slot->errors = memfd_create("rfsup", MFD_CLOEXEC);
	if (slot->errors < 0)
		return -errno;
	fflush(NULL);
	slot->campaign = true;
	slot->began = rfs_clock();
	slot->limit = seconds;
	slot->pid = fork();
	if (slot->pid == 0)
		make_campaign(suite, slot, seconds);
	if (slot->pid < 0) {
		int error = -errno;

		close(slot->errors);
		return error;
	}
	return 0;
}
