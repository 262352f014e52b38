/* replay_test.c - records and replay, --pairs with the file of phase 1, --jobs, and campaigns that are ended early. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(replay, .timeout = 300);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Copies a target into the folder under a new name, so that no other process runs the same file. Caller frees. */
static char *copy_target(const char *folder, const char *name, const char *as)
{
	char *path = NULL, command[4096];

	cr_assert_gt(asprintf(&path, "%s/%s", folder, as), 0);
	snprintf(command, sizeof(command), "cp '%s/targets/O2g/%s' '%s'", RFS_BUILD, name, path);
	cr_assert_eq(system(command), 0, "%s is not built", name);
	return path;
}

static void read_file(const char *folder, const char *name, char *buf, size_t n)
{
	char path[4096];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_geq(fd, 0, "%s", path);
	got = read(fd, buf, n - 1);
	cr_assert(got >= 0);
	buf[got] = '\0';
	close(fd);
}

static int status_of(const char *folder, const char *const *words, char *said, size_t n)
{
	struct spawned run;
	int status;

	spawn_rfsup(words, folder, NULL, &run);
	status = run.status;
	snprintf(said, n, "%s", run.err);
	spawned_release(&run);
	return status;
}

/*
 * Runs a campaign on figure1, which leaves the record of a harmful race. Puts its name into record. Returns the folder.
 */
static char *with_record(char *record, size_t n)
{
	char *folder = spawn_folder(), *program = copy_target(folder, "figure1", "prog"), said[4096];
	json_t *report, *pair;
	json_error_t error;
	char name[4096];
	size_t i;

	cr_assert_eq(status_of(folder, WORDS("-oout", "--explore=0", "--runs=20", program), said, sizeof(said)), 1,
		     "%s", said);
	snprintf(name, sizeof(name), "%s/out/report.json", folder);
	report = json_load_file(name, 0, &error);
	cr_assert_not_null(report, "%s", error.text);
	record[0] = '\0';
	json_array_foreach(json_object_get(report, "pairs"), i,
			   pair) if (strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0)
		snprintf(record, n, "%s", json_string_value(json_object_get(pair, "record")));
	cr_assert_neq(record[0], '\0');
	json_decref(report);
	free(program);
	return folder;
}

Test(replay, shows_the_finding_again)
{
	char record[1024], said[4096], *folder = with_record(record, sizeof(record));

	for (int i = 0; i < 20; i++) {
		cr_assert_eq(status_of(folder, WORDS("--replay", record), said, sizeof(said)), 1, "%s", said);
		cr_expect_not_null(strstr(said, "same as the recorded run"), "%s", said);
		cr_expect_not_null(strstr(said, "SIGABRT"), "%s", said);
		cr_expect_not_null(strstr(said, "ERROR1"), "the target's own output is let through: %s", said);
	}
	spawn_folder_remove(folder);
}

Test(replay, works_from_another_folder)
{
	char record[1024], said[4096], path[4096], *folder = with_record(record, sizeof(record));

	snprintf(path, sizeof(path), "%s/%s", folder, record);
	cr_expect_eq(status_of("/", WORDS("--replay", path), said, sizeof(said)), 1, "%s", said);
	spawn_folder_remove(folder);
}

Test(replay, refuses_another_program)
{
	char record[1024], said[4096], *folder = with_record(record, sizeof(record)), *program;

	/* another file takes the place of the program: the fixed twin */
	program = copy_target(folder, "figure1_fixed", "prog");
	cr_expect_eq(status_of(folder, WORDS("--replay", record), said, sizeof(said)), 3, "%s", said);
	cr_expect_not_null(strstr(said, "build-id"), "%s", said);
	free(program);
	spawn_folder_remove(folder);
}

Test(replay, refuses_a_damaged_record)
{
	char record[1024], said[4096], path[4096], *folder = with_record(record, sizeof(record));

	snprintf(path, sizeof(path), "%s/%s", folder, record);
	cr_assert_eq(truncate(path, 100), 0);
	cr_expect_eq(status_of(folder, WORDS("--replay", record), said, sizeof(said)), 2, "%s", said);
	cr_expect_not_null(strstr(said, "damaged"), "%s", said);
	spawn_folder_remove(folder);
}

Test(replay, the_report_tells_the_story_with_few_switches)
{
	char record[1024], said[4096], text[16384], simple[2048], *folder = with_record(record, sizeof(record));

	read_file(folder, "out/report.txt", text, sizeof(text));
	/* one more than the failure needs: both threads of the race are at its statements */
	cr_expect_not_null(strstr(text, "    the same with 3 switches\n"), "%s", text);
	cr_expect_not_null(strstr(text, "writes z: 1"), "%s", text);
	snprintf(simple, sizeof(simple), "%.*s-simple.json", (int)(strlen(record) - strlen(".json")), record);
	cr_expect_eq(status_of(folder, WORDS("--replay", simple), said, sizeof(said)), 1, "%s", said);
	cr_expect_not_null(strstr(said, "same as the recorded run"), "%s", said);
	spawn_folder_remove(folder);
}

Test(replay, the_report_says_what_differs_from_a_run_that_passes)
{
	char said[4096], text[16384], *folder = spawn_folder(),
				      *program = copy_target(folder, "atomicity_split", "prog");

	cr_expect_eq(status_of(folder, WORDS("-oout", "--explore=40", program), said, sizeof(said)), 1, "%s", said);
	read_file(folder, "out/report.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text,
				  "unlike a run that passes: [thread 2: unlock lock at atomicity_split.c:26] comes "
				  "before [thread 1: lock lock at atomicity_split.c:23]"),
			   "%s", text);
	cr_expect_not_null(strstr(text, "        > FAIL: lost update\n"), "%s", text);
	free(program);
	spawn_folder_remove(folder);
}

static mode_t mode_of(const char *folder, const char *name)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	cr_assert_eq(stat(path, &st), 0, "%s", path);
	return st.st_mode & 07777;
}

Test(replay, nobody_else_can_read_a_run)
{
	char record[1024], trace[1024], *folder;

	umask(0);
	folder = with_record(record, sizeof(record));
	snprintf(trace, sizeof(trace), "%.*s.trace", (int)(strlen(record) - strlen(".json")), record);
	cr_expect_eq(mode_of(folder, "out"), 0700);
	cr_expect_eq(mode_of(folder, "out/records"), 0700);
	cr_expect_eq(mode_of(folder, "out/runs"), 0700);
	cr_expect_eq(mode_of(folder, record), 0600);
	cr_expect_eq(mode_of(folder, trace), 0600);
	cr_expect_eq(mode_of(folder, "out/report.json"), 0600);
	spawn_folder_remove(folder);
}

Test(replay, a_record_of_somebody_else_needs_trust)
{
	char record[1024], said[4096], path[8192], ran[4096];
	char *folder = spawn_folder(), *program = copy_target(folder, "figure1", "prog");

	snprintf(ran, sizeof(ran), "%s/ran", folder);
	cr_assert_neq(
		status_of(folder,
			  WORDS("-oout", "--policy=random", "--runs=1", "--keep-records", "--setup=touch ran", program),
			  said, sizeof(said)),
		2, "%s", said);
	snprintf(record, sizeof(record), "out/records/sample-seed-1.json");
	snprintf(path, sizeof(path), "%s/%s", folder, record);
	cr_assert_eq(unlink(ran), 0);
	/* others could have written the record: it is shown, and nothing is executed */
	cr_assert_eq(chmod(path, 0622), 0);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(status_of(folder, WORDS(i ? "--simplify" : "--replay", record), said, sizeof(said)), 2,
			     "%s", said);
		cr_expect_not_null(strstr(said, "setup     touch ran"), "%s", said);
		cr_expect_not_null(strstr(said, "add --trust"), "%s", said);
	}
	cr_expect_neq(access(ran, F_OK), 0, "the setup command was executed");
	cr_expect_neq(status_of(folder, WORDS("--replay", record, "--trust"), said, sizeof(said)), 2, "%s", said);
	cr_expect_not_null(strstr(said, "setup     touch ran"), "%s", said);
	cr_expect_eq(access(ran, F_OK), 0);
	/* the control: the user's own record is just replayed */
	cr_assert_eq(chmod(path, 0644), 0);
	cr_expect_neq(status_of(folder, WORDS("--replay", record), said, sizeof(said)), 2, "%s", said);
	cr_expect_null(strstr(said, "touch ran"), "%s", said);
	free(program);
	spawn_folder_remove(folder);
}

Test(replay, pairs_file_can_be_fed_back)
{
	char record[1024], said[4096], text[4096], *folder = with_record(record, sizeof(record));

	read_file(folder, "out/pairs.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text, "figure1.c:"), "%s", text);
	/* the file has a line `program:`, so no PROGRAM is needed */
	cr_expect_eq(status_of(folder, WORDS("--pairs=out/pairs.txt", "-oout2", "--runs=10"), said, sizeof(said)), 1,
		     "%s", said);
	read_file(folder, "out2/report.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text, "HARMFUL race on z"), "%s", text);
	cr_expect_not_null(strstr(text, "listed in out2/unconfirmed.txt"), "%s", text);
	read_file(folder, "out2/unconfirmed.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text, "UNCONFIRMED pair"), "%s", text);
	spawn_folder_remove(folder);
}

Test(replay, pairs_by_line)
{
	static const char file[] = "figure1.c:38 figure1.c:24\n", nowhere[] = "figure1.c:38 figure1.c:1\n";
	char said[4096], text[4096], *folder = spawn_folder(), *program = copy_target(folder, "figure1", "prog");

	spawn_file(folder, "pairs", file, sizeof(file) - 1, 0666);
	cr_expect_eq(status_of(folder, WORDS("--pairs=pairs", "-oout", program), said, sizeof(said)), 1, "%s", said);
	read_file(folder, "out/report.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text, "created (made to happen) in 100 of 100 runs"), "%s", text);
	spawn_file(folder, "pairs", nowhere, sizeof(nowhere) - 1, 0666);
	cr_expect_eq(status_of(folder, WORDS("--pairs=pairs", "-oout2", program), said, sizeof(said)), 2, "%s", said);
	cr_expect_not_null(strstr(said, "pairs:1:14:"), "%s", said);
	free(program);
	spawn_folder_remove(folder);
}

/* The report without measured values, and with the folder's name replaced. Caller frees. */
static char *comparable(const char *folder, const char *name)
{
	char path[4096], *text;
	json_t *report;
	json_error_t error;

	snprintf(path, sizeof(path), "%s/%s/report.json", folder, name);
	report = json_load_file(path, 0, &error);
	cr_assert_not_null(report, "%s", error.text);
	json_object_del(report, "stats");
	json_object_del(report, "plain");
	json_object_del(json_object_get(report, "predict"), "seconds");
	json_object_del(json_object_get(report, "measure"), "seconds");
	text = json_dumps(report, JSON_SORT_KEYS | JSON_INDENT(1));
	json_decref(report);
	/* both folders have names of the same length */
	for (char *at = text; (at = strstr(at, name)); at += strlen(name))
		memset(at, '-', strlen(name));
	return text;
}

/* The campaigns in out1 and out2 have the same report. */
static void expect_same_reports(const char *folder)
{
	char *one = comparable(folder, "out1"), *two = comparable(folder, "out2");

	cr_expect_str_eq(one, two);
	free(one);
	free(two);
}

Test(replay, jobs_change_nothing)
{
	char said[4096], *folder = spawn_folder(), *program = copy_target(folder, "figure1", "prog");

	cr_expect_eq(
		status_of(folder, WORDS("-oout1", "--runs=30", "--explore=30", "-j1", program), said, sizeof(said)), 1);
	cr_expect_eq(
		status_of(folder, WORDS("-oout2", "--runs=30", "--explore=30", "-j2", program), said, sizeof(said)), 1);
	expect_same_reports(folder);
	free(program);
	spawn_folder_remove(folder);
}

/* ---- early ends ---- */

static const char *built(void)
{
	const char *given = getenv("RFSUP");

	return given ? given : RFS_BUILD "/rfsup";
}

/* Whether a process that has not ended executes this file. */
static bool is_running(const char *program)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	bool found = false;

	while (!found && (entry = readdir(proc))) {
		char link[300], path[4096];
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/%s/exe", entry->d_name);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		found = n > 0 && strcmp(path, program) == 0;
	}
	closedir(proc);
	return found;
}

/*
 * Starts a campaign that would not end, waits until it runs the program, and sends a signal. Returns the wait status.
 */
static int interrupted(const char *folder, const char *program, int signal)
{
	char *argv[] = {(char *)"rfsup", (char *)"-oout", (char *)"--explore=1000000", (char *)program, NULL};
	char *envp[] = {(char *)"PATH=/usr/bin:/bin", NULL}, real[4096];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int status;
	pid_t pid;

	cr_assert_not_null(realpath(built(), real));
	/* under nohup(1), this process ignores SIGHUP, and rfsup would ignore it as well */
	sigemptyset(&defaults);
	sigaddset(&defaults, signal);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, 1, "stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	posix_spawn_file_actions_addopen(&actions, 2, "stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	cr_assert_eq(posix_spawn(&pid, real, &actions, &attributes, argv, envp), 0);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	for (int i = 0; i < 2000 && !is_running(program); i++)
		usleep(1000);
	usleep(200000);
	kill(pid, signal);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	/* processes that die with their tracer need a moment */
	for (int i = 0; i < 2000 && is_running(program); i++)
		usleep(1000);
	return status;
}

/* Ctrl-C, and the end of the terminal. */
Test(replay, interrupt_still_reports)
{
	static const int signals[] = {SIGINT, SIGHUP};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		char text[4096], *folder = spawn_folder(), *program = copy_target(folder, "abba_fixed", "interrupted");
		int status = interrupted(folder, program, signals[i]);

		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %#x", status);
		read_file(folder, "stdout.txt", text, sizeof(text));
		cr_expect_not_null(strstr(text, "interrupted"), "%s", text);
		cr_expect(!is_running(program));
		free(program);
		spawn_folder_remove(folder);
	}
}

Test(replay, kill_leaves_nothing_running)
{
	for (int i = 0; i < 5; i++) {
		char *folder = spawn_folder(), *program = copy_target(folder, "abba_fixed", "killed");
		int status = interrupted(folder, program, SIGKILL);

		cr_expect(WIFSIGNALED(status));
		cr_expect(!is_running(program), "a target outlives kill -9 of rfsup");
		free(program);
		spawn_folder_remove(folder);
	}
}

Test(replay, budget_ends_the_campaign)
{
	char said[4096], text[4096], *folder = spawn_folder(), *program = copy_target(folder, "abba_fixed", "prog");

	int status = status_of(folder, WORDS("-oout", "--verbose", "--budget=1", "--explore=1000000", program), said,
			       sizeof(said));

	cr_expect_eq(status, 4, "%s", said);
	read_file(folder, "out/report.txt", text, sizeof(text));
	cr_expect_not_null(strstr(text, "incomplete  the budget of 1 s was used up"), "%s", text);
	cr_expect_not_null(strstr(text, "of 1000000 runs of explore"), "%s", text);
	cr_expect_not_null(strstr(said, "rfsup: phase explore: 1000000 runs planned"), "%s", said);
	cr_expect(!is_running(program));
	free(program);
	spawn_folder_remove(folder);
}

/* However often a campaign is interrupted, its report is the same in the end. */
Test(replay, an_interrupted_campaign_continues)
{
	char said[4096], *folder = spawn_folder(), *program = copy_target(folder, "figure1", "prog");
	const char *const options[] = {"-oout1", "--runs=60", "--explore=60", program, NULL};
	char journal[4096];
	int status = -1;

	snprintf(journal, sizeof(journal), "%s/out2/journal", folder);
	cr_expect_eq(status_of(folder, options, said, sizeof(said)), 1);
	cr_expect_eq(status_of(folder, WORDS("--continue=out1"), said, sizeof(said)), 2);
	cr_expect_not_null(strstr(said, "holds no campaign that was interrupted"), "%s", said);
	for (int i = 0; i < 100 && status != 1; i++) {
		struct spawned child;

		if (i == 0)
			spawn_start(WORDS("-oout2", "--runs=60", "--explore=60", program), folder, NULL, &child);
		else
			spawn_start(WORDS("--continue=out2"), folder, NULL, &child);
		for (int k = 0; k < 6000 && access(journal, R_OK); k++)
			usleep(10000);
		usleep(50000 * (useconds_t)(i + 1));
		kill(child.pid, i % 2 ? SIGKILL : SIGINT);
		spawn_wait(&child);
		status = child.status;
		/* a finding of the interrupted part also gives status 1 */
		if (status == 1 && strstr(child.out, "interrupted"))
			status = -1;
		spawned_release(&child);
	}
	expect_same_reports(folder);
	free(program);
	spawn_folder_remove(folder);
}

/* If a replay takes longer than --timeout, the message says so, and what to do. */
Test(replay, a_run_longer_than_the_limit)
{
	char *program = e2e_target("O2g", "compute"), record[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", program, "4000000"));
	e2e_expect_status(&e2e, 0);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	e2e_say(&e2e, WORDS("--timeout=0.05", "--replay", record));
	e2e_expect_status(&e2e, 4);
	e2e_expect(&e2e, strstr(e2e.said.err, "replay: timed out after 0.05 s, but the recorded run took "), "%s",
		   e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.err, "increase --timeout"), "%s", e2e.said.err);
	e2e_say(&e2e, WORDS("--timeout=250", "--replay", record));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}

/* Sampling knows the sizes of blocks, because it counts orders, and a replay does not. The operations must be the same.
 */
Test(replay, frees_are_the_same_in_samples)
{
	struct e2e e2e;
	char *program, *record = NULL;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "frees.c", "-g -O1 -fno-builtin");
	e2e_run(&e2e, WORDS("--policy=random", "--points=memory", "--runs=1", "--seed=5", "--keep-records", program));
	cr_assert_gt(asprintf(&record, "%s/out/records/sample-seed-5.json", e2e.folder), 0);
	e2e_say(&e2e, WORDS("--replay", record));
	e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run") != NULL, "%s", e2e.said.err);
	free(record);
	free(program);
	e2e_end(&e2e);
}
