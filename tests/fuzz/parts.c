/* parts.c - gives a campaign results that no run had, as a shard's part that somebody has altered would. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/cli/options/options.h"
#include "supervisor/pool/journal.h"
#include "supervisor/pool/wire.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/machine/report_junit.h"
#include "supervisor/report/machine/report_sarif.h"
#include "supervisor/report/text/report_text.h"
#include "tests/fuzz/readers.h"

/* The names of the executions of a short campaign, in which all results are good and the rest is bad. */
static const char *const names[] = {
	"predict-seed-1",	 "predict-seed-2",	    "predict-seed-1-again", "predict-seed-2-again",
	"predict-seed-1-check",	 "predict-seed-2-check",    "deadlock-1-seed-1",    "deadlock-1-seed-2",
	"pair-1-seed-1",	 "pair-1-seed-2",	    "pair-2-seed-1",	    "pair-2-seed-2",
	"violation-1-seed-1",	 "violation-1-seed-2",	    "explore-delay-seed-1", "explore-sweep-seed-1",
	"explore-random-seed-1", "explore-rff-seed-1",	    "explore-atom-seed-1",  "explore-surw-seed-1",
	"pair-1-seed-1-again",	 "deadlock-1-seed-1-again",
};
#define N_NAMES (sizeof(names) / sizeof(*names))
#define PLAIN_RUNS 10
#define ORDERS 40

static void put_block(FILE *file, const char *name, const uint8_t *reply, size_t n)
{
	const uint64_t lessons[2] = {0};
	const size_t name_n = strlen(name) + 1, size = name_n + sizeof(lessons) + n;
	uint8_t *block = xmalloc(size);
	uint64_t head[2] = {size};

	memcpy(block, name, name_n);
	memcpy(block + name_n, lessons, sizeof(lessons));
	if (n)
		memcpy(block + name_n + sizeof(lessons), reply, n);
	head[1] = XXH64(block, size, 0);
	fwrite(head, sizeof(head), 1, file);
	fwrite(block, size, 1, file);
	free(block);
}

/* The program ends well without rfsup. */
static void put_plain_runs(FILE *file)
{
	const struct rfs_reply reply = {.result = {.end = RFS_END_EXIT, .counts.threads = 2}};
	char name[32];
	uint8_t *bytes;
	size_t n;

	rfs_wire_encode(&reply, &bytes, &n);
	for (int i = 1; i <= PLAIN_RUNS; i++) {
		snprintf(name, sizeof(name), "plain-%d", i);
		put_block(file, name, bytes, n);
	}
	put_block(file, "measure-seed-1", bytes, n);
	free(bytes);
}

/* The next reply of the data, which begins with two bytes: its length. Caller frees. */
static uint8_t *next_reply(const uint8_t *data, size_t size, size_t *at, size_t *n)
{
	uint8_t *reply;
	uint64_t length;

	if (size - *at < 2)
		*at = 0;
	length = size < 2 ? 0 : data[*at] + 256u * data[*at + 1];
	*at += size < 2 ? 0 : 2;
	length = length < size - *at ? length : size - *at;
	*n = sizeof(length) + length;
	reply = xmalloc(*n);
	memcpy(reply, &length, sizeof(length));
	memcpy(reply + sizeof(length), data + *at, length);
	*at += length;
	return reply;
}

/* Writes the journal. The replies of the data are used again and again. */
static void put_journal(FILE *file, const uint8_t *data, size_t size)
{
	const uint64_t strings[2] = {0, XXH64("", 0, 0)};
	size_t at = 0, n;
	uint8_t *reply;
	char name[64];

	fwrite(strings, sizeof(strings), 1, file);
	put_plain_runs(file);
	for (size_t i = 0; i < N_NAMES; i++) {
		reply = next_reply(data, size, &at, &n);
		put_block(file, names[i], reply, n);
		free(reply);
	}
	for (int i = 0; i < ORDERS; i++) {
		reply = next_reply(data, size, &at, &n);
		snprintf(name, sizeof(name), "pair-1-seed-1-order-%d", i);
		put_block(file, name, reply, n);
		free(reply);
	}
}

static int never_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)spec;
	(void)out;
	return rfs_why(why, n, -1, "no run is made here");
}

/* Writes the report in each form. */
static void write_forms(const struct rfs_report *report)
{
	static void (*const forms[])(const struct rfs_report *, bool, FILE *) = {
		rfs_report_write_text, rfs_report_write_sarif, rfs_report_write_junit, rfs_report_write_unconfirmed};
	FILE *out = fopen("/dev/null", "we");

	if (!out)
		die("/dev/null cannot be opened");
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		forms[i](report, false, out);
	rfs_report_write_json(report, out);
	rfs_report_write_stats(report, out);
	fclose(out);
}

static void run_campaign(struct rfs_journal *journal, char *folder)
{
	char tool[] = "rfsup", quiet[] = "--quiet", runs[] = "--runs=2", predict[] = "--predict-runs=2",
	     explore[] = "--explore=4", o[] = "-o", path[] = "/no/prog",
	     *argv[] = {tool, quiet, runs, predict, explore, o, folder, path, NULL};
	struct rfs_program program = {.path = path, .argv = argv + 7};
	struct rfs_campaign_settings settings = {.program = &program,
						 .envp = argv + 8,
						 .cancel_fd = -1,
						 .run = never_run,
						 .plain = never_run,
						 .journal = journal};
	struct rfs_options options;
	struct rfs_output output;
	struct rfs_report report;
	char why[1024] = "";

	if (rfs_options_parse(8, argv, &options, why, sizeof(why)) ||
	    rfs_samplers_load(&options.explorers, false, why, sizeof(why)) ||
	    rfs_output_open(options.output, argv, &output, why, sizeof(why)))
		RFS_BUG("%s", why);
	rfs_log_set_level(RFS_LOG_QUIET);
	settings.options = &options;
	settings.output = &output;
	rfs_report_init(&report);
	if (rfs_campaign_run(&settings, &report, why, sizeof(why)) && strchr(why, '\n'))
		RFS_BUG("not one line: %s", why);
	write_forms(&report);
	rfs_report_release(&report);
	rfs_output_close(&output);
	rfs_options_release(&options);
}

int rfs_fuzz_part(const uint8_t *data, size_t size)
{
	char folder[] = "/dev/shm/rfsup-fuzz-XXXXXX", path[64];
	const int fd = memfd_create("part", MFD_CLOEXEC), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "we");
	struct rfs_journal *journal;

	if (!file || !mkdtemp(folder))
		die("no file in memory, or no folder in /dev/shm can be made");
	put_journal(file, data, size);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rfs_journal_read(path, 1 << 28, &journal))
		RFS_BUG("the journal is not read");
	close(fd);
	run_campaign(journal, folder);
	rfs_journal_free(journal);
	rfs_tree_remove(folder);
	return 0;
}
