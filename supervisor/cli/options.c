/*
 * The command line. argp prints the help and takes the words apart; its error messages are two lines and leave open
 * what to do, so they are switched off (ARGP_NO_ERRS) and written here.
 */
#include "supervisor/cli/options.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/number.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/state/run_spec.h"

#define DEFAULT_EXPLORERS "random,surw,rapos,pos"
/* As the policies themselves have it. */
#define MAX_DEPTH 64
#define MAX_BUG_DEPTH 100

enum key {
	KEY_JOBS = 'j',
	KEY_OUTPUT = 'o',
	KEY_PAIRS = 256,
	KEY_POLICY,
	KEY_LIST_POLICIES,
	KEY_EXPLORE_WITH,
	KEY_DEPTH,
	KEY_BUG_DEPTH,
	KEY_UNTIL_FAILURE,
	KEY_PLOT,
	KEY_DETECTOR,
	KEY_RUNS,
	KEY_EXPLORE,
	KEY_PREDICT_RUNS,
	KEY_SEED,
	KEY_TIMEOUT,
	KEY_HANG_FACTOR,
	KEY_SLEEP_RACE,
	KEY_CLOCK,
	KEY_STDIN,
	KEY_SETUP,
	KEY_DRIVE,
	KEY_FRESH_DIR,
	KEY_NO_FORK_SERVER,
	KEY_BUDGET,
	KEY_POINTS,
	KEY_ACCESSES,
	KEY_MODULE,
	KEY_FOLLOW,
	KEY_REPLAY,
	KEY_GDB,
	KEY_STOP_AT,
	KEY_HTML,
	KEY_VERIFY,
	KEY_SIMPLIFY,
	KEY_KEEP_RECORDS,
	KEY_FORMAT,
	KEY_STATS,
	KEY_QUIET,
	KEY_VERBOSE,
	KEY_HELP,
	KEY_USAGE,
	KEY_VERSION,
};

/* The option table. Order and group numbers are those of --help. */
static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "What to run:", 1},
	{"pairs", KEY_PAIRS, "FILE", 0,
	 "Confirm the pairs in FILE, see rfsup-pairs(5), and skip prediction; if PROGRAM is missing, the program line "
	 "of FILE is used",
	 1},
	{"policy", KEY_POLICY, "LIST", 0,
	 "Sample schedules with each of these policies, separated by commas: a name from --list-policies or the path "
	 "of a shared object, with options as NAME:KEY=VALUE,... (default: depends on the mode)",
	 1},
	{"follow", KEY_FOLLOW, "GLOB", 0,
	 "PROGRAM is a wrapper such as a script, make or ctest: control the first program that it starts whose file "
	 "name matches GLOB",
	 1},
	{"explore-with", KEY_EXPLORE_WITH, "LIST", 0,
	 "Policies that share the third phase of a campaign (default: " DEFAULT_EXPLORERS ")", 1},
	{"depth", KEY_DEPTH, "N", 0, "Number of stack frames that policy drfinder learns from (default: 12)", 1},
	{"bug-depth", KEY_BUG_DEPTH, "N", 0,
	 "Number of ordered steps in the bugs that policy pct looks for (default: 3)", 1},
	{"replay", KEY_REPLAY, "FILE", 0, "Repeat one recorded run exactly", 1},
	{"gdb", KEY_GDB, NULL, 0,
	 "With --replay: open gdb at the first race of the run, or at its failure; arguments after -- go to gdb", 1},
	{"stop-at", KEY_STOP_AT, "N", 0, "With --gdb: open gdb after N visible operations instead", 1},
	{"html", KEY_HTML, "FILE", 0,
	 "With --replay: write the run as an HTML page, with a lane for each thread, its locks and source lines", 1},
	{"simplify", KEY_SIMPLIFY, "FILE", 0,
	 "Find a schedule with the same failure as the recorded run but fewer switches, and print it", 1},
	{"verify", KEY_VERIFY, "N", 0,
	 "Run one seed N times and report whether all runs are the same, or which operation differed first", 1},
	{"detector", KEY_DETECTOR, "NAME", 0, "Race detector: hybrid, fasttrack or none (default: depends on the mode)",
	 1},
	{"module", KEY_MODULE, "GLOB", 0,
	 "Also watch accesses in shared libraries that match GLOB (repeatable); the program and libraries outside the "
	 "system directories are always watched",
	 1},
	{"accesses", KEY_ACCESSES, "HOW", 0,
	 "How accesses reach the detector: recorded by stubs patched into the code (stubs), or by a breakpoint at each "
	 "access, thousands of times slower (traps) (default: stubs)",
	 1},
	{"points", KEY_POINTS, "WHERE", 0,
	 "Where threads may be switched: at synchronisation (sync), also at the statements of all predicted pairs "
	 "(races), or at every shared access (memory) (default: sync; races in the third phase of a campaign)",
	 1},

	{NULL, 0, NULL, 0, "How much:", 2},
	{"runs", KEY_RUNS, "N", 0, "Runs for each pair, or for each policy with --policy (default: 100)", 2},
	{"until-failure", KEY_UNTIL_FAILURE, NULL, 0, "With --policy: stop each policy soon after its first failed run",
	 2},
	{"explore", KEY_EXPLORE, "N", 0, "Runs of the third phase (default: 200)", 2},
	{"predict-runs", KEY_PREDICT_RUNS, "N", 0,
	 "Runs of the first phase, each with a different seed; the pairs of all are merged (default: 3)", 2},
	{"seed", KEY_SEED, "S", 0, "First seed; run i uses S+i (default: 1)", 2},
	{"jobs", KEY_JOBS, "N", 0,
	 "Runs at the same time, each on its own core; if runs of the program disturb each other, add --fresh-dir "
	 "(default: 1)",
	 2},
	{"budget", KEY_BUDGET, "SEC", 0,
	 "Wall time limit for the whole campaign; the report lists what was not done (default: none)", 2},

	{NULL, 0, NULL, 0, "Each run:", 3},
	{"timeout", KEY_TIMEOUT, "SEC", 0,
	 "Wall time limit of a run; a timeout is inconclusive, never a finding; with --replay and --simplify, the "
	 "default is the recorded limit (default: 60)",
	 3},
	{"hang-factor", KEY_HANG_FACTOR, "X", 0,
	 "A run is a hang, which is a finding, if it takes X times the CPU time of the uncontrolled runs or X times "
	 "the scheduling steps of the first phase (default: 10, at least 1 s)",
	 3},
	{"sleep-race", KEY_SLEEP_RACE, "SEC", 0,
	 "A sleep or timeout that is due within this much virtual time may end before other threads run (default: 1)",
	 3},
	{"clock", KEY_CLOCK, "WHICH", 0,
	 "Time that the program sees: it starts at a fixed date and advances with each operation (virtual), or it is "
	 "the real time, which is recorded (real) (default: virtual)",
	 3},
	{"stdin", KEY_STDIN, "FILE", 0, "Standard input, reopened for each run (default: /dev/null)", 3},
	{"drive", KEY_DRIVE, "CMD", 0,
	 "Shell command that runs at the same time as the program, such as a client; when it ends, the program gets "
	 "SIGTERM",
	 3},
	{"setup", KEY_SETUP, "CMD", 0, "Shell command that runs before each run", 3},
	{"fresh-dir", KEY_FRESH_DIR, "DIR", 0, "Each run works in a private copy of DIR", 3},
	{"no-fork-server", KEY_NO_FORK_SERVER, NULL, 0,
	 "Start the program again for each run; by default, a copy stopped at main is forked for each run if that "
	 "makes "
	 "no difference",
	 3},

	{NULL, 0, NULL, 0, "Output:", 4},
	{"output", KEY_OUTPUT, "DIR", 0,
	 "Directory for records, pairs and reports; created if missing, refused if it already holds a run (default: "
	 "rfsup.out.N, the next free N)",
	 4},
	{"keep-records", KEY_KEEP_RECORDS, NULL, 0, "With --policy: keep the records of all runs, not only of findings",
	 4},
	{"format", KEY_FORMAT, "FORMAT", 0, "Format of standard output: text or json (default: text)", 4},
	{"plot", KEY_PLOT, "FILE", 0,
	 "With --policy: draw how often each order was executed, as SVG with one panel for each policy", 4},
	{"stats", KEY_STATS, NULL, 0, "Print statistics on standard error, one \"key: value\" per line", 4},
	{"quiet", KEY_QUIET, NULL, 0, "Print no progress and no warnings", 4},
	{"verbose", KEY_VERBOSE, NULL, 0, "Print what is done in more detail", 4},

	{NULL, 0, NULL, 0, "About rfsup:", 5},
	{"list-policies", KEY_LIST_POLICIES, NULL, 0, "List the policies, one per line", 5},
	{"help", KEY_HELP, NULL, 0, "Print this list", 5},
	{"usage", KEY_USAGE, NULL, 0, "Print a short usage message", 5},
	{"version", KEY_VERSION, NULL, 0, "Print the version", 5},
	{0},
};

/* What a parse carries along. Every failure writes why and returns EINVAL, which ends argp_parse(). */
struct parse {
	struct rfs_options *out;
	char *why;
	size_t n;
	bool failed;
	int at;		/* where argp stood when it gave up */
	uint64_t given; /* bit I: the option of row I of the table stands on the command line */
};

static int __attribute__((format(printf, 2, 3))) refuse(struct parse *parse, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(parse->why, parse->n, format, ap);
	va_end(ap);
	parse->failed = true;
	return EINVAL;
}

/* The row of the option. */
static size_t row_of(int key)
{
	_Static_assert(sizeof(option_table) / sizeof(*option_table) <= 64, "struct parse has a bit for each row");

	for (size_t i = 0; option_table[i].name || option_table[i].doc; i++)
		if (option_table[i].key == key && option_table[i].name)
			return i;
	RFS_BUG("option key %d is not in the table", key);
}

static const char *name_of(int key)
{
	return option_table[row_of(key)].name;
}

static int take_count(struct parse *parse, int key, const char *word, unsigned min, unsigned max, unsigned *out)
{
	uint64_t value;

	if (rfs_number_parse(word, min, max, &value) < 0)
		return refuse(parse, "--%s: '%s' is not an integer between %u and %u", name_of(key), word, min, max);
	*out = (unsigned)value;
	return 0;
}

static int take_seconds(struct parse *parse, int key, const char *word, double min, double max, double *out)
{
	if (rfs_decimal_parse(word, min, max, out) < 0)
		return refuse(parse, "--%s: '%s' is not a number between %g and %.0f", name_of(key), word, min, max);
	return 0;
}

static int take_path(struct parse *parse, int key, const char *word, const char **out)
{
	if (!*word)
		return refuse(parse, "--%s: the name is empty", name_of(key));
	*out = word;
	return 0;
}

static int take_samplers(struct parse *parse, int key, const char *word, struct rfs_samplers *out)
{
	rfs_samplers_release(out);
	parse->failed = rfs_samplers_parse(name_of(key), word, out, parse->why, parse->n) != 0;
	return parse->failed ? EINVAL : 0;
}

static int take_detector(struct parse *parse, const char *word)
{
	char names[256] = "";
	size_t used = 0;

	parse->out->detector = word;
	if (strcmp(word, "none") == 0 || rfs_detector_find(word))
		return 0;
	for (const struct rfs_detector_ops *const *d = rfs_detector_list(); *d && used < sizeof(names); d++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s, ", (*d)->name);
	return refuse(parse, "--detector: unknown detector '%s'; choose one of %snone", word, names);
}

static int take_points(struct parse *parse, const char *word)
{
	static const char *const names[] = {
		[RFS_POINTS_SYNC] = "sync", [RFS_POINTS_RACES] = "races", [RFS_POINTS_MEMORY] = "memory"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(word, names[i]) == 0) {
			parse->out->points = (enum rfs_points)i;
			parse->out->points_given = true;
			return 0;
		}
	return refuse(parse, "--points: '%s' is not one of sync, races, memory", word);
}

static int take_accesses(struct parse *parse, const char *word)
{
	bool traps = strcmp(word, "traps") == 0;

	parse->out->accesses = traps ? RFS_ACCESSES_TRAPS : RFS_ACCESSES_STUBS;
	if (traps || strcmp(word, "stubs") == 0)
		return 0;
	return refuse(parse, "--accesses: '%s' is neither stubs nor traps", word);
}

static int take_clock(struct parse *parse, const char *word)
{
	parse->out->clock_real = strcmp(word, "real") == 0;
	if (parse->out->clock_real || strcmp(word, "virtual") == 0)
		return 0;
	return refuse(parse, "--clock: '%s' is neither virtual nor real", word);
}

static int take_format(struct parse *parse, const char *word)
{
	parse->out->json = strcmp(word, "json") == 0;
	if (parse->out->json || strcmp(word, "text") == 0)
		return 0;
	return refuse(parse, "--format: '%s' is neither text nor json", word);
}

static int take_seed(struct parse *parse, const char *word)
{
	if (rfs_number_parse(word, 0, RFS_SEED_END - 1, &parse->out->seed) < 0)
		return refuse(parse, "--seed: '%s' is not an integer between 0 and 2^53-1", word);
	return 0;
}

static int take_module(struct parse *parse, const char *word)
{
	struct rfs_options *out = parse->out;

	if (!*word)
		return refuse(parse, "--module: the pattern is empty");
	out->modules = xreallocarray(out->modules, out->n_modules + 2, sizeof(*out->modules));
	out->modules[out->n_modules++] = word;
	out->modules[out->n_modules] = NULL;
	return 0;
}

static error_t take(int key, char *word, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct rfs_options *out = parse->out;

	if ((key >= KEY_PAIRS && key <= KEY_VERSION) || key == KEY_JOBS || key == KEY_OUTPUT)
		parse->given |= UINT64_C(1) << row_of(key);
	switch (key) {
	case KEY_PAIRS:
		return take_path(parse, key, word, &out->pairs);
	case KEY_REPLAY:
		return take_path(parse, key, word, &out->replay);
	case KEY_SIMPLIFY:
		return take_path(parse, key, word, &out->simplify);
	case KEY_STDIN:
		return take_path(parse, key, word, &out->stdin_file);
	case KEY_FRESH_DIR:
		return take_path(parse, key, word, &out->fresh_dir);
	case KEY_NO_FORK_SERVER:
		out->no_fork_server = true;
		return 0;
	case KEY_OUTPUT:
		return take_path(parse, key, word, &out->output);
	case KEY_POLICY:
		return take_samplers(parse, key, word, &out->samplers);
	case KEY_EXPLORE_WITH:
		return take_samplers(parse, key, word, &out->explorers);
	case KEY_DEPTH:
		return take_count(parse, key, word, 1, MAX_DEPTH, &out->depth);
	case KEY_BUG_DEPTH:
		return take_count(parse, key, word, 1, MAX_BUG_DEPTH, &out->bug_depth);
	case KEY_UNTIL_FAILURE:
		out->until_failure = true;
		return 0;
	case KEY_PLOT:
		return take_path(parse, key, word, &out->plot);
	case KEY_DETECTOR:
		return take_detector(parse, word);
	case KEY_MODULE:
		return take_module(parse, word);
	case KEY_POINTS:
		return take_points(parse, word);
	case KEY_ACCESSES:
		return take_accesses(parse, word);
	case KEY_CLOCK:
		return take_clock(parse, word);
	case KEY_FORMAT:
		return take_format(parse, word);
	case KEY_SEED:
		return take_seed(parse, word);
	case KEY_RUNS:
		return take_count(parse, key, word, 1, 1000000, &out->runs);
	case KEY_EXPLORE:
		out->explore_given = true;
		return take_count(parse, key, word, 0, 1000000, &out->explore);
	case KEY_PREDICT_RUNS:
		return take_count(parse, key, word, 1, 1000000, &out->predict_runs);
	case KEY_VERIFY:
		return take_count(parse, key, word, 2, 1000000, &out->verify);
	case KEY_JOBS:
		return take_count(parse, key, word, 1, 1024, &out->jobs);
	case KEY_TIMEOUT:
		out->timeout_given = true;
		return take_seconds(parse, key, word, 0.01, 1e7, &out->timeout);
	case KEY_BUDGET:
		return take_seconds(parse, key, word, 0.01, 1e7, &out->budget);
	case KEY_HANG_FACTOR:
		return take_seconds(parse, key, word, 1, 1e6, &out->hang_factor);
	case KEY_SLEEP_RACE:
		return take_seconds(parse, key, word, 0, 1e7, &out->sleep_race);
	case KEY_FOLLOW:
		return take_path(parse, key, word, &out->follow);
	case KEY_DRIVE:
		out->drive = word;
		return 0;
	case KEY_SETUP:
		out->setup = word;
		return 0;
	case KEY_GDB:
		out->gdb = true;
		return 0;
	case KEY_STOP_AT:
		if (rfs_number_parse(word, 0, RFS_GDB_NO_STEP - 1, &out->stop_at) < 0)
			return refuse(parse, "--stop-at: '%s' is not a number of operations", word);
		return 0;
	case KEY_HTML:
		return take_path(parse, key, word, &out->html);
	case KEY_KEEP_RECORDS:
		out->keep_records = true;
		return 0;
	case KEY_STATS:
		out->stats = true;
		return 0;
	case KEY_QUIET:
		out->log = RFS_LOG_QUIET;
		return 0;
	case KEY_VERBOSE:
		out->log = RFS_LOG_VERBOSE;
		return 0;
	case KEY_LIST_POLICIES:
		out->action = RFS_ACTION_LIST_POLICIES;
		break;
	case KEY_HELP:
		out->action = RFS_ACTION_HELP;
		break;
	case KEY_USAGE:
		out->action = RFS_ACTION_USAGE;
		break;
	case KEY_VERSION:
		out->action = RFS_ACTION_VERSION;
		break;
	case ARGP_KEY_ARG:
		/* the first word that is no option is the program; all that follows is the program's own */
		out->argv = state->argv + state->next - 1;
		break;
	case ARGP_KEY_ERROR:
		parse->at = state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	state->next = state->argc;
	return 0;
}

static const struct argp argp = {
	.options = option_table,
	.parser = take,
	.args_doc =
		"[--] PROGRAM [ARG...]\n--pairs FILE [[--] PROGRAM [ARG...]]\n--policy LIST [--] PROGRAM "
		"[ARG...]\n--replay FILE [--gdb [-- GDB-ARG...]]\n--simplify FILE\n--verify N [--] PROGRAM [ARG...]",
	.doc = "Predicts data races in an unmodified multi-threaded program, creates each one on purpose, and reports "
	       "its effect.\vExit status: 0 nothing found, 1 something found, 2 wrong usage or environment, 3 a run "
	       "could not be controlled or a replay diverged, 4 incomplete and nothing found. See rfsup(1).",
};

/* Says what getopt did not like about word; 0 where nothing is wrong with it. */
static int explain_word(struct parse *parse, const char *word)
{
	const char *name = word + 2, *equals = strchr(word, '=');
	size_t length;
	const struct argp_option *found = NULL;
	int matches = 0;

	if (word[0] != '-')
		return 0;
	if (word[1] != '-') {
		for (const struct argp_option *o = option_table; o->name || o->doc; o++)
			if (o->name && word[1] == o->key)
				return word[2] ? 0 : refuse(parse, "-%c needs a value: -%c %s", o->key, o->key, o->arg);
		return refuse(parse, "unknown option '%s'; 'rfsup --help' lists the options", word);
	}
	length = equals ? (size_t)(equals - name) : strlen(name);
	for (const struct argp_option *o = option_table; o->name || o->doc; o++) {
		if (!o->name || strncmp(o->name, name, length) != 0)
			continue;
		found = o;
		matches++;
		if (strlen(o->name) == length) {
			matches = 1;
			break;
		}
	}
	if (matches == 0)
		return refuse(parse, "unknown option '%s'; 'rfsup --help' lists the options", word);
	if (matches > 1)
		return refuse(parse, "option '%s' is ambiguous; write it in full", word);
	if (found->arg && !equals)
		return refuse(parse, "--%s needs a value: --%s %s", found->name, found->name, found->arg);
	if (!found->arg && equals)
		return refuse(parse, "--%s takes no value", found->name);
	return 0;
}

/* getopt stands behind the word that it did not like, or, within a cluster of short options ("-xj"), still at it. */
static int explain(struct parse *parse, int argc, char **argv)
{
	int at = parse->at;

	if (at > 0 && explain_word(parse, argv[at - 1]))
		return EINVAL;
	if (at < argc && explain_word(parse, argv[at]))
		return EINVAL;
	return refuse(parse, "cannot parse the command line; see 'rfsup --help'");
}

static bool give_depth(struct rfs_options *out, const char *policy, unsigned depth)
{
	bool sampled = rfs_samplers_add_option(&out->samplers, policy, "depth", depth);

	return rfs_samplers_add_option(&out->explorers, policy, "depth", depth) || sampled;
}

static int check_samplers(struct parse *parse)
{
	struct rfs_options *out = parse->out;

	for (size_t i = 0; i < out->samplers.n; i++) {
		const struct rfs_policy_ops *policy = rfs_policy_find(out->samplers.list[i].name);

		if (policy && (policy->flags & RFS_POLICY_NEEDS_PAIR) && !out->pairs)
			return refuse(parse, "policy '%s' needs a pair; add --pairs FILE", policy->name);
		if (policy && out->pairs && !(policy->flags & RFS_POLICY_NEEDS_PAIR))
			return refuse(parse, "policy '%s' does not use pairs; remove --policy or --pairs",
				      policy->name);
		if ((out->pairs || out->verify) && rfs_sampler_is_native(&out->samplers.list[i]))
			return refuse(parse, "policy %s does not control runs; remove --policy or --%s", RFS_NATIVE,
				      out->pairs ? "pairs" : "verify");
	}
	if ((out->pairs || out->verify) && out->samplers.n > 1)
		return refuse(parse, "--%s accepts only one policy, not %zu", out->pairs ? "pairs" : "verify",
			      out->samplers.n);
	if (out->depth && !give_depth(out, "drfinder", out->depth))
		return refuse(parse, "--depth needs policy drfinder; select it with --policy or --explore-with");
	if (out->bug_depth && !give_depth(out, "pct", out->bug_depth))
		return refuse(parse, "--bug-depth needs policy pct; select it with --policy or --explore-with");
	return 0;
}

/* Whatever makes a run is the record's to say. */
#define SAYS_THE_RECORD                                                                                                \
	KEY_DETECTOR, KEY_MODULE, KEY_POINTS, KEY_RUNS, KEY_EXPLORE, KEY_PREDICT_RUNS, KEY_SEED, KEY_JOBS, KEY_BUDGET, \
		KEY_HANG_FACTOR, KEY_SLEEP_RACE, KEY_CLOCK, KEY_STDIN, KEY_SETUP, KEY_DRIVE, KEY_FOLLOW,               \
		KEY_FRESH_DIR, KEY_NO_FORK_SERVER, KEY_OUTPUT, KEY_FORMAT, KEY_STATS, KEY_VERIFY, KEY_EXPLORE_WITH,    \
		KEY_DEPTH, KEY_BUG_DEPTH, KEY_UNTIL_FAILURE, KEY_PLOT, KEY_KEEP_RECORDS, KEY_ACCESSES

/*
 * What would have no effect in a mode is refused, not passed over: whoever writes --replay FILE --runs 5 expects five
 * runs.
 */
static int check_effect(struct parse *parse)
{
	/* 0 ends a list */
	static const struct {
		const char *reason;
		int keys[32];
	} without_effect[] = {
		[RFS_MODE_CAMPAIGN] = {"without --policy", {KEY_UNTIL_FAILURE, KEY_PLOT, KEY_KEEP_RECORDS}},
		[RFS_MODE_PAIRS] = {"with --pairs",
				    {KEY_DETECTOR, KEY_ACCESSES, KEY_PREDICT_RUNS, KEY_UNTIL_FAILURE, KEY_PLOT,
				     KEY_KEEP_RECORDS}},
		[RFS_MODE_SAMPLE] = {"with --policy", {KEY_EXPLORE, KEY_EXPLORE_WITH}},
		[RFS_MODE_REPLAY] = {"with --replay", {SAYS_THE_RECORD}},
		[RFS_MODE_SIMPLIFY] = {"with --simplify", {SAYS_THE_RECORD}},
		[RFS_MODE_VERIFY] = {"with --verify",
				     {KEY_RUNS, KEY_EXPLORE, KEY_PREDICT_RUNS, KEY_JOBS, KEY_BUDGET, KEY_HANG_FACTOR,
				      KEY_NO_FORK_SERVER, KEY_OUTPUT, KEY_FORMAT, KEY_STATS, KEY_EXPLORE_WITH,
				      KEY_UNTIL_FAILURE, KEY_PLOT, KEY_KEEP_RECORDS}},
	};
	enum rfs_mode mode = parse->out->mode;

	if (mode == RFS_MODE_SAMPLE && parse->out->points != RFS_POINTS_RACES &&
	    parse->given >> row_of(KEY_PREDICT_RUNS) & 1)
		return refuse(parse, "--predict-runs has no effect with --policy unless --points is races; remove it");
	for (const int *key = without_effect[mode].keys; *key; key++)
		if (parse->given >> row_of(*key) & 1)
			return refuse(parse, "--%s has no effect %s; remove it", name_of(*key),
				      without_effect[mode].reason);
	return 0;
}

/* What fits together, once all words are read. */
static int check_together(struct parse *parse)
{
	struct rfs_options *out = parse->out;
	bool program = out->argv && out->argv[0];
	unsigned most = out->runs > out->explore ? out->runs : out->explore;

	if (most < out->predict_runs)
		most = out->predict_runs;
	if (out->seed + most > RFS_SEED_END)
		return refuse(parse, "--seed: %llu plus the number of runs exceeds 2^53; choose a smaller seed",
			      (unsigned long long)out->seed);
	if (out->replay || out->simplify) {
		const char *name = out->replay ? "replay" : "simplify";

		out->mode = out->replay ? RFS_MODE_REPLAY : RFS_MODE_SIMPLIFY;
		if (out->replay && out->simplify)
			return refuse(parse, "--replay and --simplify cannot be combined; remove one of them");
		if (out->simplify && (out->gdb || out->stop_at != RFS_GDB_NO_STEP))
			return refuse(parse, "--gdb does not work with --simplify; use it with --replay on the record "
					     "that --simplify writes");
		if (out->stop_at != RFS_GDB_NO_STEP && !out->gdb)
			return refuse(parse, "--stop-at has no effect without --gdb; add --gdb or remove --stop-at");
		if (program && !out->gdb)
			return refuse(parse, "--%s takes the program from the record; remove '%s'", name, out->argv[0]);
		if (out->pairs || out->samplers.n)
			return refuse(parse, "--%s takes the policy and the pair from the record; remove --%s", name,
				      out->pairs ? "pairs" : "policy");
		return check_effect(parse);
	}
	if (out->gdb || out->html || out->stop_at != RFS_GDB_NO_STEP)
		return refuse(parse, "--%s needs a recorded run; add --replay FILE",
			      out->gdb	  ? "gdb"
			      : out->html ? "html"
					  : "stop-at");
	if (out->verify && out->pairs)
		return refuse(parse, "--verify does not use pairs; remove --pairs");
	if (out->verify && out->points_given && out->points == RFS_POINTS_RACES)
		return refuse(parse, "--verify does not predict pairs; choose --points sync or memory");
	out->mode = out->verify	      ? RFS_MODE_VERIFY
		    : out->pairs      ? RFS_MODE_PAIRS
		    : out->samplers.n ? RFS_MODE_SAMPLE
				      : RFS_MODE_CAMPAIGN;
	if (check_samplers(parse))
		return EINVAL;
	if (!program && !out->pairs)
		return refuse(parse,
			      "no program given; usage: rfsup [OPTION...] [--] PROGRAM [ARG...], see 'rfsup --help'");
	return check_effect(parse);
}

int rfs_options_parse(int argc, char **argv, struct rfs_options *out, char *why, size_t n)
{
	struct parse parse = {.out = out, .why = why, .n = n};
	int error;

	*out = (struct rfs_options){
		.seed = 1,
		.runs = 100,
		.explore = 200,
		.predict_runs = 3,
		.jobs = 1,
		.timeout = 60,
		.hang_factor = 10,
		.sleep_race = 1,
		.stop_at = RFS_GDB_NO_STEP,
		.log = RFS_LOG_NORMAL,
		.modules = xcalloc(1, sizeof(*out->modules)),
		.argv = argv + argc,
	};
	if (rfs_samplers_parse("explore-with", DEFAULT_EXPLORERS, &out->explorers, why, n))
		RFS_BUG("the default explorers: %s", why);
	error = argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &parse);
	if (error == ENOMEM)
		die("out of memory while reading the command line");
	if (error && !parse.failed)
		error = explain(&parse, argc, argv);
	if (!error && out->action == RFS_ACTION_RUN)
		error = check_together(&parse);
	if (error) {
		rfs_options_release(out);
		return -EINVAL;
	}
	return 0;
}

void rfs_options_release(struct rfs_options *options)
{
	free(options->modules);
	options->modules = NULL;
	rfs_samplers_release(&options->samplers);
	rfs_samplers_release(&options->explorers);
}

static int check_file(const char *option, const char *path, char *why, size_t n)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		return rfs_why(why, n, -errno, "--%s: cannot read '%s': %s", option, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return rfs_why(why, n, -EISDIR, "--%s: '%s' is a directory, not a file", option, path);
	return 0;
}

static int check_objects(const char *option, const struct rfs_samplers *samplers, char *why, size_t n)
{
	for (size_t i = 0; i < samplers->n; i++) {
		const char *name = samplers->list[i].name;
		int error = strchr(name, '/') ? check_file(option, name, why, n) : 0;

		if (error)
			return error;
	}
	return 0;
}

int rfs_options_check_files(const struct rfs_options *options, char *why, size_t n)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{"stdin", options->stdin_file},
		{"pairs", options->pairs},
		{"replay", options->replay},
		{"simplify", options->simplify},
	};
	struct stat st;
	int error;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		error = files[i].path ? check_file(files[i].option, files[i].path, why, n) : 0;
		if (error)
			return error;
	}
	error = check_objects("policy", &options->samplers, why, n);
	if (!error)
		error = check_objects("explore-with", &options->explorers, why, n);
	if (error)
		return error;
	if (options->fresh_dir) {
		if (stat(options->fresh_dir, &st) < 0)
			return rfs_why(why, n, -errno, "--fresh-dir: cannot read '%s': %s", options->fresh_dir,
				       strerror(errno));
		if (!S_ISDIR(st.st_mode))
			return rfs_why(why, n, -ENOTDIR, "--fresh-dir: '%s' is not a directory", options->fresh_dir);
	}
	return 0;
}

void rfs_options_print(const struct rfs_options *options, FILE *out)
{
	static char name[] = "rfsup"; /* argp_help() wants it writable */

	switch (options->action) {
	case RFS_ACTION_HELP:
		argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
		break;
	case RFS_ACTION_USAGE:
		argp_help(&argp, out, ARGP_HELP_USAGE, name);
		break;
	case RFS_ACTION_VERSION:
		fprintf(out, "rfsup %s\n", RFS_VERSION);
		break;
	case RFS_ACTION_LIST_POLICIES:
		for (const struct rfs_policy_ops *const *p = rfs_policy_list(); *p; p++)
			fprintf(out, "%-12s %s\n", (*p)->name, (*p)->summary);
		fprintf(out, "%-12s %s\n", RFS_NATIVE,
			"no control: the kernel schedules the threads, for comparison with the other policies");
		break;
	case RFS_ACTION_RUN:
		break;
	}
}
