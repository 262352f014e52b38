/*
 * executor.c - loads a test into a fork server, and executes it under policy after policy. What to execute next is
 * decided in session.c.
 */
#include "supervisor/generate/search/executor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "disasm/rewrite/code.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/site.h"
#include "supervisor/base/siteset.h"
#include "supervisor/base/tree.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/tests/environment.h"
#include "supervisor/generate/tests/observation.h"
#include "supervisor/generate/tests/sequence.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/elf_cache.h"

/*
 * The limits of an execution, in seconds and in visible operations. A test has a few calls. The first execution of a
 * session loads the library and reads its code, which takes longer on a busy machine.
 */
#define TIMEOUT 10
#define TIMEOUT_FIRST 30
#define CPU_LIMIT 2
#define STEP_LIMIT 200000
/* A test is expected to have at least this many executions. */
#define N_ALIKE 10

/*
 * If a sequential order of the test has more stops, concurrent executions only stop at the accesses where sequential
 * orders used the same memory in a conflicting way. They need another fork server, so this pays only for tests with
 * many stops. With 150 instead of 1,000, tests of about 950 steps cost a third to a half (vm-generate.txt).
 */
#define STOPS_MANY 150

/* The policies of concurrent executions. Every second execution is under the first policy. The others
 * share the rest in turns. */
static const struct {
	const char *name, *options;
} policies[] = {{"sweep", "patience=100000"}, {"random", NULL}, {"surw", NULL}, {"delay", NULL}};
#define N_POLICIES (sizeof(policies) / sizeof(*policies))

struct rfs_executor {
	struct rfs_executor_settings settings;
	struct rfs_pool *pool;	/* of the test that is loaded */
	char *folder, *private; /* of the lane */
	char *test;		/* the file with the test */
	char *results, *shift;	/* files of the driver (driver/main.c) */
	char **environment;
	char **early, **late; /* words of the driver that executes the prefix before main, or in main */
	char **argv;	      /* one of these: for the test that is loaded */
	uint64_t prefix;      /* hash of its prefix */
	/* Hashes of the prefixes that make a fork server impossible if they are executed before main, for example
	 * because they keep a lock. Those of the batch count from its end on, because other lanes do not know them. */
	struct rfs_address_set *late_prefixes, *late_of_batch;
	bool is_late;	   /* the prefix of the test that is loaded was found to be late */
	bool never_served; /* even a test without calls has no fork server, or it is not known yet */
	bool code_is_read;
	bool without_calls;		   /* the test that is loaded has none */
	size_t n_undefined;		   /* rfs_ending_undefined() of the test without calls: of the library itself */
	uint64_t n;			   /* executions so far */
	uint64_t n_served;		   /* of these, copies of the fork servers of earlier pools */
	struct rfs_blob blobs[N_POLICIES]; /* what the last execution of this test under each policy saved */
	/* where sequential orders of this test used the same memory in a conflicting way; fixed by `searched` */
	struct rfs_site_set conflicts;
	bool searched;
	uint64_t n_stops; /* the most stops of a sequential order of this test */
	enum rfs_pool_end end;
	char why[512];
};

static void forget_blobs(struct rfs_executor *executor)
{
	for (size_t i = 0; i < N_POLICIES; i++) {
		free(executor->blobs[i].data);
		executor->blobs[i] = (struct rfs_blob){0};
	}
}

static void forget_test(struct rfs_executor *executor)
{
	forget_blobs(executor);
	rfs_site_set_release(&executor->conflicts);
	executor->conflicts = (struct rfs_site_set){0};
	executor->searched = false;
	executor->n_stops = 0;
}

/* ---- the lane ---- */

char *rfs_executor_private(const char *folder, unsigned lane)
{
	return xasprintf("%s/%03u/private", folder, lane);
}

static int executor_make_folder(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int set_lane(struct rfs_executor *executor, unsigned lane)
{
	const struct rfs_executor_settings *settings = &executor->settings;
	int error;

	executor->folder = xasprintf("%s/%03u", settings->folder, lane);
	executor->private = rfs_executor_private(settings->folder, lane);
	executor->test = xasprintf("%s/test", executor->folder);
	executor->results = xasprintf("%s.results", executor->test);
	executor->shift = xasprintf("%s.shift", executor->test);
	executor->early = rfs_driver_words(settings->driver, RFS_DRIVER_RUN, executor->test, &settings->tests);
	executor->late = rfs_driver_words(settings->driver, RFS_DRIVER_RUN_LATE, executor->test, &settings->tests);
	error = executor_make_folder(executor->folder);
	return error ? error : executor_make_folder(executor->private);
}

static void release_lane(struct rfs_executor *executor)
{
	rfs_driver_words_free(executor->early);
	rfs_driver_words_free(executor->late);
	free(executor->folder);
	free(executor->private);
	free(executor->test);
	free(executor->results);
	free(executor->shift);
}

int rfs_executor_enter(struct rfs_executor *executor, unsigned lane)
{
	forget_test(executor);
	/* what the pool has started are children of the session's process */
	executor->n_served = rfs_executor_served(executor);
	executor->pool = NULL;
	release_lane(executor);
	return set_lane(executor, lane);
}

void rfs_executor_free(struct rfs_executor *executor)
{
	if (!executor)
		return;
	if (executor->pool)
		rfs_pool_free(executor->pool);
	forget_test(executor);
	rfs_variables_free(executor->environment);
	unlink(executor->test);
	unlink(executor->results);
	unlink(executor->shift);
	release_lane(executor);
	rfs_address_set_release(&executor->late_prefixes);
	rfs_address_set_release(&executor->late_of_batch);
	free(executor);
}

/*
 * Each test has its own fork server, whose copies begin after the prefix. A test that makes the server impossible must
 * not affect the next one, nor what was learnt about its code, because tests of other lanes do not know that. So each
 * test has a new pool.
 */
static int renew_pool(struct rfs_executor *executor)
{
	const struct rfs_pool_settings settings = {
		.run = executor->settings.run,
		.server = executor->settings.server,
		.jobs = 1,
		.output = executor->folder,
		.deadline = executor->settings.deadline,
		.cancel_fd = executor->settings.cancel_fd,
	};

	executor->n_served = rfs_executor_served(executor);
	if (executor->pool)
		rfs_pool_free(executor->pool);
	executor->pool = NULL;
	return rfs_pool_new(&settings, &executor->pool);
}

static int write_test(const struct rfs_executor *executor, const struct rfs_library *library,
		      const struct rfs_sequence *sequence)
{
	FILE *out = fopen(executor->test, "we");

	if (!out)
		return -errno;
	if (executor->settings.results)
		rfs_observations_write(sequence, library, out);
	else
		rfs_sequence_write(sequence, library, out);
	return fclose(out) ? -errno : 0;
}

static uint64_t hash_of_prefix(const struct rfs_library *library, const struct rfs_sequence *sequence)
{
	struct rfs_sequence prefix = *sequence;
	uint64_t hash;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (int section = 0; section < RFS_N_SECTIONS; section++)
		if (section != RFS_PREFIX)
			prefix.n[section] = 0;
	rfs_sequence_write(&prefix, library, out);
	fclose(out);
	hash = XXH64(text, size, 0);
	free(text);
	return hash;
}

/* Removes the files of the last test. The folder is also that of trials, whose process stays in it. */
static void clean(const char *folder)
{
	rfs_tree_empty(folder);
	(void)mkdir(folder, 0700); /* a test may have removed it */
}

void rfs_executor_unload(struct rfs_executor *executor)
{
	if (executor->pool)
		rfs_pool_rest(executor->pool);
}

/* Begins with the test whose file is written. False: no more executions can be made. */
static bool begin_test(struct rfs_executor *executor)
{
	int error;

	forget_test(executor);
	executor->argv = executor->is_late || rfs_address_set_has(executor->late_prefixes, executor->prefix)
				 ? executor->late
				 : executor->early;
	clean(executor->private);
	error = renew_pool(executor);
	if (error) {
		snprintf(executor->why, sizeof(executor->why), "cannot start executions: %s", strerror(-error));
		executor->end = RFS_POOL_FAILED;
	}
	return !error;
}

bool rfs_executor_load(struct rfs_executor *executor, const struct rfs_library *library,
		       const struct rfs_sequence *sequence)
{
	int error = write_test(executor, library, sequence);

	if (error) {
		snprintf(executor->why, sizeof(executor->why), "cannot write %s: %s", executor->test, strerror(-error));
		executor->end = RFS_POOL_FAILED;
		return false;
	}
	executor->prefix = hash_of_prefix(library, sequence);
	executor->without_calls = !library;
	executor->is_late = false;
	return begin_test(executor);
}

void rfs_executor_prepare(const struct rfs_executor *executor, const char *policy, uint64_t number,
			  struct rfs_execution *out)
{
	const uint64_t seed = executor->settings.seed + number;

	snprintf(out->name, sizeof(out->name), "%s-seed-%" PRIu64, policy, seed);
	out->spec = (struct rfs_run_spec){
		.points = RFS_POINTS_MEMORY,
		.modules = executor->settings.watched,
		.limits.timeout = executor->n ? TIMEOUT : TIMEOUT_FIRST,
		.limits.cpu = CPU_LIMIT,
		.limits.steps = STEP_LIMIT,
		.limits.spin_free = STEP_LIMIT,
		.limits.data = RFS_DRIVER_LOAD_MEMORY,
		.sleep_race = 1,
		.process.path = executor->settings.driver,
		.process.argv = executor->argv,
		.process.envp = executor->environment,
		.process.cwd = executor->private,
		.cancel_fd = executor->settings.cancel_fd,
		.policy = rfs_policy_find(policy),
		.seed = seed,
	};
}

/* ---- one execution in which calls take turns ---- */

struct turns {
	struct rfs_executor *executor;
	char *options;
	struct rfs_turns_result *out;
};

static void make_turns(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct turns *turns = arg;

	(void)i;
	rfs_executor_prepare(turns->executor, "turns", 0, out);
	out->spec.policy_options = turns->options;
	out->spec.wanted.orders = out->spec.from_main = true;
	/* the other orders and the concurrent executions of the test follow, from the same fork server */
	out->alike = N_ALIKE;
}

/* Whether the session must end, which also ends the reading of code. */
static bool executor_is_over(void *arg)
{
	const struct rfs_executor_settings *settings = arg;

	return (settings->deadline > 0 && rfs_clock() >= settings->deadline) || rfs_interrupted(settings->cancel_fd);
}

/* Reads the code of all modules of an execution in this process, so that the processes of later executions inherit what
 * was found. */
static void executor_read_code(struct rfs_executor *executor, const struct rfs_run_result *result)
{
	const struct rfs_code_stop stop = {executor_is_over, &executor->settings};
	struct rfs_elf *elf;
	char why[256];

	for (size_t i = 0; i < result->n_modules; i++) {
		const struct rfs_run_module *module = &result->modules[i];

		if (rfs_elf_cache_get(module->path, &elf, why, sizeof(why)))
			continue;
		rfs_code_cache_fill(elf, rfs_pthread_is_libc(module->path));
		if (module->watched && !rfs_code_cache_read(elf, &stop))
			return;
	}
	executor->code_is_read = true;
}

/* Adds the sites that the policy turns has saved. */
static void note_conflicts(struct rfs_executor *executor, const struct rfs_run_result *result)
{
	const rfs_site *sites = result->blob.data;
	uint64_t offset;
	size_t module;

	if (result->counts.stops > executor->n_stops)
		executor->n_stops = result->counts.stops;
	for (size_t i = 0; i < result->blob.size / sizeof(*sites); i++)
		if (rfs_site_split(sites[i], &module, &offset) && module < result->n_modules)
			(void)rfs_site_set_add(&executor->conflicts, result->modules[module].path, offset);
}

static bool turns_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct turns *turns = arg;

	(void)i;
	(void)execution;
	rfs_executor_made(turns->executor);
	if (turns->executor->without_calls)
		turns->executor->n_undefined = rfs_ending_undefined(result);
	if (!turns->executor->code_is_read)
		executor_read_code(turns->executor, result);
	if (!turns->executor->searched)
		note_conflicts(turns->executor, result);
	*turns->out = (struct rfs_turns_result){
		.ending = rfs_ending_of_run(result),
		.order = {result->order[0], result->order[1]},
		.n_stops = result->counts.stops,
		.n_steps = rfs_run_stats_value(&result->policy_stats, "steps"),
		.n_threads = result->counts.threads,
		.has_children = result->counts.children > 0,
		.is_undefined = rfs_ending_undefined(result) > turns->executor->n_undefined,
	};
	if (turns->executor->settings.results && turns->out->ending == RFS_ENDING_FINE)
		(void)rfs_test_outcome_take(turns->executor->results, &turns->out->outcome);
	return false;
}

bool rfs_executor_run(struct rfs_executor *executor, struct rfs_batch *batch, const bool *enough)
{
	enum rfs_pool_end end;

	batch->lasting = true;
	batch->one_by_one = true;
	batch->enough = enough;
	end = rfs_pool_run(executor->pool, batch, executor->why, sizeof(executor->why));
	if (end == RFS_POOL_DONE || end == RFS_POOL_ENOUGH)
		return true;
	executor->end = end;
	return false;
}

static bool execute_turns(struct turns *turns)
{
	struct rfs_batch batch = {.n = 1, .make = make_turns, .done = turns_done, .arg = turns};

	*turns->out = (struct rfs_turns_result){.ending = RFS_ENDING_UNKNOWN};
	return rfs_executor_run(turns->executor, &batch, NULL);
}

/* Whether the last execution shows that the prefix must be executed in main. */
static bool must_be_late(const struct rfs_executor *executor)
{
	return executor->argv == executor->early && !executor->searched && !executor->never_served &&
	       rfs_pool_unserved(executor->pool);
}

void rfs_executor_add_late(struct rfs_executor *executor, uint64_t prefix)
{
	rfs_address_set_add(&executor->late_of_batch, prefix);
}

bool rfs_executor_late(const struct rfs_executor *executor, uint64_t *prefix)
{
	*prefix = executor->prefix;
	return executor->is_late;
}

void rfs_executor_end_batch(struct rfs_executor *executor)
{
	rfs_address_set_join(&executor->late_prefixes, executor->late_of_batch);
	rfs_address_set_release(&executor->late_of_batch);
}

/* Begins with the test again, with its prefix in main. False: no more executions can be made. */
static bool load_late(struct rfs_executor *executor)
{
	rfs_executor_add_late(executor, executor->prefix);
	executor->is_late = true;
	/* The execution is repeated. It counts once, because a process that knows the prefix makes it once. */
	executor->n--;
	return begin_test(executor);
}

bool rfs_executor_turns(struct rfs_executor *executor, const char *order, struct rfs_turns_result *out)
{
	struct turns turns = {executor, xasprintf("order=%s", order), out};
	bool good = execute_turns(&turns);

	if (good && must_be_late(executor)) {
		rfs_test_outcome_release(&out->outcome);
		good = load_late(executor) && execute_turns(&turns);
	}
	free(turns.options);
	return good;
}

/* Executes a test without calls, which must not fail. */
static int execute_nothing(struct rfs_executor *executor, char *why, size_t n)
{
	const struct rfs_sequence nothing = {0};
	struct rfs_turns_result result;

	if (!rfs_executor_load(executor, NULL, &nothing) || !rfs_executor_turns(executor, "0", &result))
		return rfs_why(why, n, -EIO, "cannot execute tests: %s",
			       *executor->why ? executor->why : "the budget or the user ended the session");
	if (result.has_children)
		return rfs_why(why, n, -EINVAL,
			       "the library starts processes when it is loaded or initialised, so it cannot be tested");
	if (result.ending == RFS_ENDING_FINE && result.n_threads < RFS_TEST_THREADS)
		return rfs_why(
			why, n, -EINVAL,
			"the library exits with status 0 when it is loaded or initialised, so it cannot be tested");
	if (result.ending != RFS_ENDING_FINE)
		return rfs_why(why, n, -EINVAL, "the library cannot be loaded and initialised under control: %s",
			       result.ending == RFS_ENDING_UNKNOWN ? "it takes too long, or cannot be controlled"
								   : rfs_ending_name(result.ending));
	return 0;
}

int rfs_executor_new(const struct rfs_executor_settings *settings, struct rfs_executor **out, char *why, size_t n)
{
	struct rfs_executor *executor = xcalloc(1, sizeof(*executor));
	int error;

	executor->settings = *settings;
	executor->environment = rfs_generate_environment(settings->guard, settings->shim, false, false);
	executor->never_served = true;
	error = set_lane(executor, 0);
	if (error)
		rfs_why(why, n, error, "cannot make a directory in %s: %s", settings->folder, strerror(-error));
	else
		error = execute_nothing(executor, why, n);
	executor->never_served = executor->pool && rfs_pool_unserved(executor->pool);
	rfs_executor_unload(executor);
	if (error) {
		rfs_executor_free(executor);
		return error;
	}
	*out = executor;
	return 0;
}

/* ---- concurrent executions ---- */

struct search {
	struct rfs_executor *executor;
	const struct rfs_test_outcomes *allowed;
	struct rfs_search_result *out;
	bool failed;
};

/* The policy of execution i, and how many executions it made before. */
static size_t policy_of(const struct rfs_executor *executor, uint64_t i, uint64_t *before)
{
	bool is_shared = executor->settings.without_sweep || i % 2 == 1;
	uint64_t k = executor->settings.without_sweep ? i : i / 2;

	*before = is_shared ? k / (N_POLICIES - 1) : k;
	return is_shared ? 1 + k % (N_POLICIES - 1) : 0;
}

static bool stops_at_all(const struct rfs_executor *executor, uint64_t stops)
{
	return executor->n_stops <= stops;
}

enum rfs_points rfs_executor_points(const struct rfs_executor *executor)
{
	return stops_at_all(executor, STOPS_MANY) ? RFS_POINTS_MEMORY : RFS_POINTS_RACES;
}

static void make_concurrent(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct search *search = arg;
	struct rfs_executor *executor = search->executor;
	uint64_t before;
	size_t policy = policy_of(executor, i, &before);
	struct rfs_blob *blob = &executor->blobs[policy];

	rfs_executor_prepare(executor, policies[policy].name, before, out);
	out->spec.policy_options = policies[policy].options;
	out->any_core = executor->settings.plain != NULL;
	rfs_executor_set_points(executor, STOPS_MANY, RFS_POINTS_RACES, out);
	if (out->spec.points == RFS_POINTS_RACES) {
		out->spec.sites.visible = executor->conflicts.sites;
		out->spec.sites.n_visible = executor->conflicts.n;
	}
	if (blob->data)
		out->spec.policy_blob = blob;
}

/*
 * Whether no sequential order gives the outcome of the last execution, which is kept then. If a call has timed out, its
 * result depends on more than the order of the calls.
 */
static bool is_wrong(const struct search *search)
{
	struct rfs_test_outcome outcome;
	bool taken = search->allowed && rfs_test_outcome_take(search->executor->results, &outcome);

	if (taken && !rfs_test_outcomes_allow(search->allowed, &outcome)) {
		search->out->outcome = outcome;
		return true;
	}
	if (search->allowed)
		rfs_test_outcome_release(&outcome);
	return false;
}

static bool concurrent_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct search *search = arg;
	uint64_t before;
	struct rfs_blob *blob = &search->executor->blobs[policy_of(search->executor, i, &before)];
	enum rfs_ending ending = rfs_ending_of_run(result);

	rfs_executor_made(search->executor);
	search->out->n++;
	free(blob->data);
	*blob = result->blob;
	result->blob = (struct rfs_blob){0};
	if (search->executor->settings.plain && result->end == RFS_END_TIMEOUT && result->detail == RFS_BASELINE_ASLEEP)
		ending = RFS_ENDING_DEADLOCK;
	if (ending == RFS_ENDING_FINE && !result->counts.timeouts && is_wrong(search))
		ending = RFS_ENDING_RESULT;
	if (ending == RFS_ENDING_FINE || ending == RFS_ENDING_UNKNOWN)
		return false;
	search->failed = true;
	search->out->ending = ending;
	search->out->detail = result->detail;
	search->out->policy = execution->spec.policy->name;
	search->out->deadlock = result->deadlock;
	result->deadlock = (struct rfs_waiters){0};
	return false;
}

bool rfs_executor_search(struct rfs_executor *executor, uint64_t n, const struct rfs_test_outcomes *allowed,
			 struct rfs_search_result *out)
{
	struct search search = {.executor = executor, .allowed = allowed, .out = out};
	struct rfs_batch batch = {.n = n,
				  .run = executor->settings.plain,
				  .make = make_concurrent,
				  .done = concurrent_done,
				  .arg = &search};

	*out = (struct rfs_search_result){0};
	executor->searched = true;
	return rfs_executor_run(executor, &batch, &search.failed);
}

void rfs_executor_shift(struct rfs_executor *executor, bool shifted)
{
	FILE *file = shifted ? fopen(executor->shift, "we") : NULL;

	if (file)
		fclose(file);
	else
		unlink(executor->shift);
}

const char *rfs_executor_policy(size_t i)
{
	return i < N_POLICIES ? policies[i].name : NULL;
}

enum rfs_pool_end rfs_executor_end(const struct rfs_executor *executor, const char **why)
{
	*why = executor->why;
	return executor->end;
}

void rfs_executor_set_points(const struct rfs_executor *executor, uint64_t stops, enum rfs_points points,
			     struct rfs_execution *out)
{
	const bool all = stops_at_all(executor, stops);

	out->spec.points = all ? RFS_POINTS_MEMORY : points;
	out->spec.from_main = out->spec.wanted.orders = all;
}

void rfs_executor_made(struct rfs_executor *executor)
{
	executor->n++;
}

void rfs_executor_add(struct rfs_executor *executor, uint64_t n, uint64_t n_served)
{
	executor->n += n;
	executor->n_served += n_served;
}

uint64_t rfs_executor_count(const struct rfs_executor *executor)
{
	return executor->n;
}

uint64_t rfs_executor_served(const struct rfs_executor *executor)
{
	return executor->n_served + (executor->pool ? rfs_pool_served(executor->pool) : 0);
}
