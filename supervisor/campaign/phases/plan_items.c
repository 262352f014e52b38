/* plan_items.c - lists the items of a plan, carries out those of a shard, and reads them in for a merge. */
#include "supervisor/campaign/phases/plan_items.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/module_reading.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/judge/judge.h"
#include "supervisor/campaign/phases/arms.h"
#include "supervisor/campaign/phases/explore.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pairs_txt.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/pool/journal.h"
#include "supervisor/pool/subreaper.h"
#include "supervisor/record/checksum.h"

/* Runs of a sampler that do not learn from each other are divided into items of this size. A multiple of the distance
 * between runs with a detector, so that each item has the same share of them. */
#define SAMPLES 64
/* The runs of a deadlock or violation end at its first success. They are made in batches: the first one has this size,
 * and each later one is twice as large. */
#define FIRST_BATCH 3
/* So many items are named in a message. */
#define NAMED 5
#define WHY_SIZE 1024

struct item {
	char name[96];
	struct rfs_armed armed;
	size_t number; /* of the pair */
	uint64_t from, n;
};

struct items {
	struct rfs_campaign *c;
	bool explores;
	size_t confirm, explore; /* numbers of the phases */
	const struct rfs_site_set *sites;
	struct item *list;
	size_t n;
	const struct item *now; /* of the batch in progress */
	uint64_t first;		/* the first run of it */
};

/* ---- the list ---- */

static void plan_items_add(struct items *items, const struct item *item)
{
	if (!item->n)
		return;
	items->list = xreallocarray(items->list, items->n + 1, sizeof(*items->list));
	items->list[items->n++] = *item;
}

static void add_sampling(struct items *items, struct rfs_sampling *sampling)
{
	const bool learns = sampling->sampler->policy && sampling->sampler->policy->save;
	const uint64_t planned = sampling->arm.planned, size = learns ? planned : SAMPLES;

	for (uint64_t from = 0; from < planned; from += size) {
		struct item item = {.armed = {.arm = &sampling->arm, .sampling = sampling}, .from = from};

		item.n = planned - from < size ? planned - from : size;
		snprintf(item.name, sizeof(item.name), "%s-%" PRIu64, sampling->label, from + 1);
		plan_items_add(items, &item);
	}
}

static void plan_items_add_all(struct items *items)
{
	struct rfs_campaign *c = items->c;
	struct item item;

	for (size_t i = 0; i < c->cycles->n; i++) {
		struct rfs_predicted_cycle *cycle = c->cycles->list[i];

		item = (struct item){.armed = {.arm = &cycle->arm, .cycle = cycle}, .n = cycle->arm.planned};
		snprintf(item.name, sizeof(item.name), "%s", cycle->label);
		plan_items_add(items, &item);
	}
	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_pair *pair = c->pairs->list[i];

		/* what later runs predict does not change the runs of the plan */
		pair->begun = true;
		item = (struct item){.armed = {.arm = &pair->arm, .pair = pair}, .number = i, .n = pair->arm.planned};
		snprintf(item.name, sizeof(item.name), "%s", pair->label);
		plan_items_add(items, &item);
	}
	for (size_t i = 0; i < c->violations->n; i++) {
		struct rfs_predicted_violation *violation = c->violations->list[i];

		item = (struct item){.armed = {.arm = &violation->arm, .violation = violation},
				     .n = violation->arm.planned};
		snprintf(item.name, sizeof(item.name), "%s", violation->label);
		plan_items_add(items, &item);
	}
	for (size_t i = 0; i < c->samplings->n; i++)
		add_sampling(items, &c->samplings->list[i]);
}

/* The items depend only on the state of the campaign after phase 1. */
static void items_make(struct items *items, struct rfs_campaign *c)
{
	*items = (struct items){.c = c, .explores = c->options->mode != RFS_MODE_PAIRS || c->options->explore_given};
	items->confirm = rfs_campaign_phase(c, "confirm", 0);
	if (items->explores) {
		items->explore = rfs_campaign_phase(c, "explore", c->options->explore);
		rfs_explore_begin(c);
	}
	(void)rfs_arms_add(c, &c->phases->list[items->confirm]);
	items->sites = rfs_pair_list_sites(c->pairs);
	if (!rfs_campaign_one_schedule(c))
		plan_items_add_all(items);
}

/* ---- one item ---- */

static void batch_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct items *items = arg;

	rfs_armed_make(items->c, &items->now->armed, items->first + i, items->sites, out);
}

static bool batch_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct items *items = arg;

	return rfs_armed_done(items->c, &items->now->armed, items->first + i, execution, result);
}

static void plan_items_run_batch(struct items *items, const struct item *item, uint64_t first, uint64_t n)
{
	struct rfs_batch batch = {.n = n, .make = batch_make, .done = batch_done, .arg = items};
	struct rfs_campaign *c = items->c;

	if (!n)
		return;
	items->now = item;
	items->first = first;
	c->phases->now = item->armed.sampling ? items->explore : items->confirm;
	if (item->armed.sampling)
		rfs_sampling_batch(c, item->armed.sampling, &batch);
	else
		rfs_campaign_batch(c, &batch);
}

static bool is_open(const struct item *item)
{
	return item->armed.cycle ? rfs_cycle_is_open(item->armed.cycle) : rfs_violation_is_open(item->armed.violation);
}

/* Makes all executions of the item, with the replays and tests of what it finds. */
static void run_item(struct items *items, const struct item *item)
{
	struct rfs_campaign *c = items->c;
	const struct rfs_armed *armed = &item->armed;
	uint64_t turn = FIRST_BATCH;

	if (armed->pair) {
		plan_items_run_batch(items, item, 0, armed->arm->half);
		if (c->end == RFS_POOL_DONE)
			rfs_confirm_half(c, armed->pair);
		plan_items_run_batch(items, item, armed->arm->half, item->n - armed->arm->half);
		rfs_judge(c, item->number);
	} else if (armed->sampling) {
		for (uint64_t i = 0, n; i < item->n && c->end == RFS_POOL_DONE && rfs_arm_left(armed->arm); i += n) {
			n = rfs_sampling_batch_size(armed->sampling, item->n - i);
			plan_items_run_batch(items, item, item->from + i, n);
		}
	} else {
		for (uint64_t i = 0; i < item->n && is_open(item) && c->end == RFS_POOL_DONE; i += turn, turn *= 2)
			plan_items_run_batch(items, item, i, turn < item->n - i ? turn : item->n - i);
	}
	rfs_findings_replay(c);
	if (armed->violation)
		rfs_violation_test(c, armed->violation);
	rfs_pool_rest(c->pool);
}

/* ---- carrying out ---- */

static char *item_path(const struct rfs_campaign *c, const struct item *item, const char *suffix)
{
	return xasprintf("%s/%s%s", c->settings->plan->items, item->name, suffix);
}

/* Opens the journal of an item that is not complete, or makes it. */
static int open_part(const struct rfs_campaign *c, const struct item *item, const char *path, struct rfs_journal **out)
{
	char *const strings[] = {(char *)c->settings->plan->id, (char *)item->name};
	int error = rfs_journal_open(path, out);

	if (error == -EBADMSG)
		unlink(path); /* its process was killed before it had written anything */
	return error == -ENOENT || error == -EBADMSG ? rfs_journal_new(path, strings, 2, out) : error;
}

/* In the process of the item. `why` is shared with the parent. Returns 0 or -errno. */
static int item_process(struct items *items, const struct item *item, char *why)
{
	struct rfs_campaign *c = items->c;
	char *part = item_path(c, item, ".part"), *path = item_path(c, item, "");
	struct rfs_journal *journal;
	int error = rfs_subreaper_adopt();

	if (error)
		return rfs_why(why, WHY_SIZE, error, "cannot start jobs: %s", strerror(-error));
	/* what the campaign warns of is printed when the item is merged */
	if (rfs_log_level() == RFS_LOG_NORMAL)
		rfs_log_set_level(RFS_LOG_QUIET);
	c->progress->terminal = false;
	error = open_part(c, item, part, &journal);
	if (error)
		return rfs_why(why, WHY_SIZE, error, "cannot write %s: %s", part, strerror(-error));
	rfs_pool_use_journal(c->pool, journal);
	run_item(items, item);
	rfs_pool_rest(c->pool);
	if (c->end == RFS_POOL_FAILED)
		return rfs_why(why, WHY_SIZE, -EIO, "%s", c->why);
	if (c->end != RFS_POOL_DONE)
		return -EINTR;
	error = rfs_journal_sync(journal);
	if (!error && rename(part, path))
		error = -errno;
	return error ? rfs_why(why, WHY_SIZE, error, "cannot write %s: %s", path, strerror(-error)) : 0;
}

/* Carries out an item in a separate process. */
static int plan_items_carry_out(struct items *items, const struct item *item, char *shared, char *why, size_t n)
{
	const pid_t parent = getpid();
	int status;
	pid_t pid;

	*shared = '\0';
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return rfs_why(why, n, -errno, "cannot make a process for item %s: %s", item->name, strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		rfs_interrupt_adopt();
		_exit(-item_process(items, item, shared));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return rfs_why(why, n, -errno, "cannot wait for item %s: %s", item->name, strerror(errno));
	if (WIFSIGNALED(status))
		return rfs_why(why, n, -EIO,
			       "the process of item %s was killed by signal %d; run the same command again", item->name,
			       WTERMSIG(status));
	if (!WEXITSTATUS(status))
		return 0;
	shared[WHY_SIZE - 1] = '\0';
	return rfs_why(why, n, -WEXITSTATUS(status), "%s",
		       *shared ? shared : "interrupted; run the same command again");
}

static int carry_out_part(struct items *items, char *why, size_t n)
{
	const struct rfs_plan_work *plan = items->c->settings->plan;
	struct rfs_progress *progress = items->c->progress;
	size_t mine = 0, done = 0;
	char *shared;
	int error = 0;

	for (size_t i = plan->part - 1; i < items->n; i += plan->parts)
		mine++;
	shared = mmap(NULL, WHY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return rfs_why(why, n, -errno, "cannot get memory: %s", strerror(errno));
	rfs_progress_phase(progress, "items", mine);
	for (size_t i = plan->part - 1; !error && i < items->n; i += plan->parts, done++) {
		char *path = item_path(items->c, &items->list[i], "");

		progress->done = done;
		rfs_progress_update(progress);
		if (rfs_interrupted(items->c->settings->cancel_fd))
			error = rfs_why(why, n, -EINTR, "interrupted; run the same command again");
		else if (access(path, F_OK))
			error = plan_items_carry_out(items, &items->list[i], shared, why, n);
		if (error)
			done--;
		free(path);
	}
	munmap(shared, WHY_SIZE);
	if (error) {
		char reason[WHY_SIZE];

		snprintf(reason, sizeof(reason), "%s", why);
		return rfs_why(why, n, error, "%zu of the %zu items of this part are complete: %s", done, mine, reason);
	}
	return 0;
}

/* ---- merging ---- */

/* Notes in c->missing that the items of part K of all parts are missing. */
static void put_missing(const struct items *items, const bool *there, unsigned k, FILE *out)
{
	const unsigned parts = items->c->settings->plan->parts;
	size_t missing = 0, mine = 0, named = 0;

	for (size_t i = k; i < items->n; i += parts ? parts : 1) {
		mine++;
		missing += !there[i];
	}
	if (!missing)
		return;
	fprintf(out, "%s", ftell(out) > 0 ? ", " : "");
	if (parts)
		fprintf(out, "%s part %u of %u", missing == mine ? "the whole" : "a part of", k + 1, parts);
	else
		fprintf(out, "a part");
	fprintf(out, " (%zu of %zu items: ", missing, mine);
	for (size_t i = k; i < items->n && named < NAMED; i += parts ? parts : 1)
		if (!there[i])
			fprintf(out, "%s%s", named++ ? ", " : "", items->list[i].name);
	fprintf(out, "%s)", missing > named ? ", ..." : "");
}

static void note_missing(struct items *items, const bool *there)
{
	const unsigned parts = items->c->settings->plan->parts;
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	/* a part beyond the last item has none */
	for (unsigned k = 0; k < (parts ? parts : 1) && k < items->n; k++)
		put_missing(items, there, k, out);
	fclose(out);
	if (size)
		items->c->missing = text;
	else
		free(text);
}

/* Merges the results of an item. *there: they exist. */
static int merge_item(struct items *items, const struct item *item, bool *there, char *why, size_t n)
{
	struct rfs_campaign *c = items->c;
	char *path = item_path(c, item, ""), **strings;
	struct rfs_journal *journal;
	int error = rfs_journal_read(path, RFS_PLAN_MAX, &journal);

	*there = error != -ENOENT;
	if (error == -ENOENT) {
		free(path);
		return 0;
	}
	if (error == -EFBIG)
		rfs_why(why, n, error, "%s has more than %" PRIu64 " MB; make a plan with fewer runs", path,
			RFS_PLAN_MAX >> 20);
	else if (error)
		rfs_why(why, n, error, "%s is damaged or cannot be read; remove it and run its part again", path);
	if (error)
		goto out;
	strings = rfs_journal_strings(journal);
	if (!strings[0] || !strings[1] || strcmp(strings[0], c->settings->plan->id) != 0 ||
	    strcmp(strings[1], item->name) != 0)
		error = rfs_why(why, n, -EBADMSG, "%s does not belong to the plan; remove it and run its part again",
				path);
	if (!error) {
		rfs_pool_use_journal(c->pool, journal);
		run_item(items, item);
		rfs_pool_use_journal(c->pool, NULL);
		if (c->end == RFS_POOL_FAILED)
			error = rfs_why(why, n, -EBADMSG,
					"%s does not fit the plan: %s; run its part again on the machine "
					"of the plan",
					path, c->why);
	}
	rfs_journal_free(journal);
out:
	free(path);
	return error;
}

static int plan_items_merge(struct items *items, char *why, size_t n)
{
	bool *there = xcalloc(items->n + 1, sizeof(*there));
	struct rfs_campaign *c = items->c;
	int error = 0;

	rfs_progress_phase(c->progress, "merge", items->n);
	c->progress->pairs = c->pairs->n;
	for (size_t i = 0; !error && i < items->n; i++) {
		error = merge_item(items, &items->list[i], &there[i], why, n);
		c->progress->done = i + 1;
	}
	if (!error && c->settings->plan->whole)
		note_missing(items, there);
	free(there);
	return error;
}

int rfs_plan_work(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_plan_work *plan = c->settings->plan;
	struct items items;
	int error = 0;

	if (c->end == RFS_POOL_FAILED)
		return rfs_why(why, n, -EBADMSG, "the plan is damaged: %s", c->why);
	if (c->end != RFS_POOL_DONE)
		return rfs_why(why, n, -EINTR, "interrupted; run the same command again");
	rfs_module_reading_modules(c);
	c->reading->ended = true;
	rfs_pool_use_journal(c->pool, NULL);
	items_make(&items, c);
	if (mkdir(plan->items, 0700) && errno != EEXIST)
		error = rfs_why(why, n, -errno, "cannot create the directory %s: %s", plan->items, strerror(errno));
	if (!error && plan->part)
		error = carry_out_part(&items, why, n);
	if (!error)
		error = plan_items_merge(&items, why, n);
	if (!error) {
		struct rfs_phase *confirm = &c->phases->list[items.confirm];

		rfs_arms_end(c, confirm);
		rfs_pair_list_settle(c->pairs);
		rfs_cycle_list_settle(c->cycles);
		rfs_violation_list_settle(c->violations);
		/* the pairs of a file are those of the file */
		if (c->options->mode == RFS_MODE_CAMPAIGN)
			rfs_pairs_txt_save(c);
		if (plan->whole)
			rfs_judge_all(c);
		else
			rfs_judge_end(c);
	}
	free(items.list);
	return error;
}

/* ---- making a plan ---- */

static void free_strings(char **strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
	free(strings);
}

/* A list of path, build-id and checksum of files. */
struct files {
	char **strings;
	size_t n;
};

/* Adds a file; it has a checksum if it has no build-id. A file that cannot be read is left out. */
static void plan_items_add_file(struct files *files, const char *path, const char *build_id)
{
	char content[RFS_CHECKSUM_SIZE] = "", *absolute = realpath(path, NULL);

	if (absolute && (build_id[0] || rfs_checksum_file(absolute, content) == 0)) {
		files->strings = xreallocarray(files->strings, files->n + 3, sizeof(*files->strings));
		files->strings[files->n++] = xstrdup(absolute);
		files->strings[files->n++] = xstrdup(build_id);
		files->strings[files->n++] = xstrdup(content);
	}
	free(absolute);
}

/* The modules that the runs had, and the input files that the options name. */
static int seal_files(struct rfs_campaign *c)
{
	const struct rfs_samplers *lists[] = {&c->options->samplers, &c->options->explorers};
	struct files files = {0};
	int error;

	for (size_t i = 0; i < c->tally->n_modules; i++)
		if (c->tally->modules[i].path[0] == '/') /* not the vDSO */
			plan_items_add_file(&files, c->tally->modules[i].path, c->tally->modules[i].build_id);
	if (c->options->run.job.stdin_path)
		plan_items_add_file(&files, c->options->run.job.stdin_path, "");
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
		for (size_t i = 0; i < lists[k]->n; i++)
			if (lists[k]->list[i].path)
				plan_items_add_file(&files, lists[k]->list[i].path, "");
	/* they decide which items there are */
	for (char *const *file = c->options->suppressions; *file; file++)
		plan_items_add_file(&files, *file, "");
	error = rfs_journal_add_text(c->settings->journal, RFS_PLAN_FILES, files.strings, files.n);
	free_strings(files.strings, files.n);
	return error;
}

static int seal_items(struct rfs_campaign *c)
{
	struct items items;
	char **strings;
	int error;

	items_make(&items, c);
	strings = xcalloc(2 * items.n + 1, sizeof(*strings));
	for (size_t i = 0; i < items.n; i++) {
		strings[2 * i] = xstrdup(items.list[i].name);
		strings[2 * i + 1] = xasprintf("%" PRIu64, items.list[i].n);
	}
	error = rfs_journal_add_text(c->settings->journal, RFS_PLAN_ITEM_LIST, strings, 2 * items.n);
	free_strings(strings, 2 * items.n);
	free(items.list);
	return error;
}

int rfs_plan_seal(struct rfs_campaign *c, char *why, size_t n)
{
	char memory[24];
	char *const machine[] = {(char *)c->options->run.processor, memory};
	int error;

	snprintf(memory, sizeof(memory), "%" PRIu64, c->options->run.memory);
	if (c->end == RFS_POOL_INTERRUPTED)
		return rfs_why(why, n, -EINTR, "interrupted; there is no plan");
	if (c->end != RFS_POOL_DONE)
		return rfs_why(why, n, -EIO, "%s", c->why);
	error = seal_files(c);
	if (!error)
		error = rfs_journal_add_text(c->settings->journal, RFS_PLAN_PROCESSOR, machine, 2);
	if (!error)
		error = seal_items(c);
	if (!error)
		error = rfs_journal_sync(c->settings->journal);
	return error ? rfs_why(why, n, error, "cannot write the plan: %s", strerror(-error)) : 0;
}
