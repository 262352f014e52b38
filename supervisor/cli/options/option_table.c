/*
 * option_table.c - the table of the command-line options that are not options of each execution. option_values.c turns
 * the arguments of most of them into values.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/options/completion.h"
#include "supervisor/cli/options/options-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_spec.h"

/* The limits of the policies drfinder (depth) and pct (bug depth). */
#define MAX_DEPTH 64
#define MAX_BUG_DEPTH 100
/* The largest N of --shard K/N. */
#define MAX_PARTS 100000
/* The limits of --hang-factor. */
#define MIN_HANG_FACTOR 1
#define MAX_HANG_FACTOR 1000000

/* ---- options with a parser of their own ---- */

static int take_samplers(struct rfs_parse *parse, const char *name, const char *word, struct rfs_samplers *out)
{
	rfs_samplers_release(out);
	parse->failed = rfs_samplers_parse(name, word, out, parse->why, parse->n) != 0;
	return parse->failed ? EINVAL : 0;
}

static int take_policy(struct rfs_parse *parse, const char *name, const char *word)
{
	return take_samplers(parse, name, word, &parse->out->samplers);
}

static int take_explorers(struct rfs_parse *parse, const char *name, const char *word)
{
	return take_samplers(parse, name, word, &parse->out->explorers);
}

static int take_detector(struct rfs_parse *parse, const char *name, const char *word)
{
	char names[256] = "";
	size_t used = 0;

	(void)name;
	parse->out->detector = word;
	if (strcmp(word, "none") == 0 || rfs_detector_find(word))
		return 0;
	for (const struct rfs_detector_ops *const *d = rfs_detector_list(); *d && used < sizeof(names); d++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s, ", (*d)->name);
	return rfs_parse_refuse(parse, "--detector: unknown detector '%s'; choose one of %snone", word, names);
}

static int take_seed(struct rfs_parse *parse, const char *name, const char *word)
{
	if (rfs_number_parse(word, 0, RFS_SEED_END - 1, &parse->out->seed) < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not an integer between 0 and 2^53-1", name, word);
	return 0;
}

/* "3/8" */
static int take_shard(struct rfs_parse *parse, const char *name, const char *word)
{
	const char *slash = strchr(word, '/');
	char *part = slash ? xstrndup(word, (size_t)(slash - word)) : NULL;
	uint64_t k, n;
	const bool right =
		part && rfs_number_parse(slash + 1, 1, MAX_PARTS, &n) == 0 && rfs_number_parse(part, 1, n, &k) == 0;

	free(part);
	if (!right)
		return rfs_parse_refuse(parse, "--%s: '%s' is not K/N with K from 1 to N, and N at most %d", name, word,
					MAX_PARTS);
	parse->out->part = (unsigned)k;
	parse->out->parts = (unsigned)n;
	return 0;
}

static int take_hang_factor(struct rfs_parse *parse, const char *name, const char *word)
{
	if (rfs_decimal_parse(word, MIN_HANG_FACTOR, MAX_HANG_FACTOR, &parse->out->hang_factor) < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not a number between %d and %d", name, word,
					MIN_HANG_FACTOR, MAX_HANG_FACTOR);
	return 0;
}

static int take_stop_at(struct rfs_parse *parse, const char *name, const char *word)
{
	if (rfs_number_parse(word, 0, RFS_GDB_NO_STEP - 1, &parse->out->stop_at) < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not a number of operations", name, word);
	return 0;
}

static int take_gdb(struct rfs_parse *parse, const char *name, const char *word)
{
	if (word && strcmp(word, "none") != 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not 'none'", name, word);
	parse->out->gdb = true;
	parse->out->gdb_waits |= word != NULL;
	return 0;
}

/* "4711", "localhost:4711", "[::1]:4711" */
static int take_gdb_port(struct rfs_parse *parse, const char *name, const char *word)
{
	const char *colon = strrchr(word, ':');
	uint64_t port;

	if (rfs_number_parse(colon ? colon + 1 : word, 0, UINT16_MAX, &port) < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not [HOST:]PORT with PORT from 0 to %d", name, word,
					UINT16_MAX);
	parse->out->gdb_port = word;
	parse->out->gdb = parse->out->gdb_waits = true;
	return 0;
}

static int take_env(struct rfs_parse *parse, const char *name, const char *word)
{
	if (!rfs_variable_is_valid(word))
		return rfs_parse_refuse(parse, "--%s: '%s' is not NAME=VALUE", name, word);
	rfs_option_append(&parse->out->env, word);
	return 0;
}

static int take_format(struct rfs_parse *parse, const char *name, const char *word)
{
	static const char *const formats[] = {"text", "json", "github", NULL};
	int format = rfs_option_word(formats, word);

	if (format < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is not one of text, json, github", name, word);
	parse->out->json = format == 1;
	parse->out->github = format == 2;
	return 0;
}

static int take_completion(struct rfs_parse *parse, const char *name, const char *word)
{
	static const char *const shells[] = {[RFS_SHELL_BASH] = "bash", [RFS_SHELL_ZSH] = "zsh", NULL};
	int shell = rfs_option_word(shells, word);

	if (shell < 0)
		return rfs_parse_refuse(parse, "--%s: '%s' is neither bash nor zsh", name, word);
	parse->out->shell = (unsigned)shell;
	parse->out->action = RFS_ACTION_COMPLETE;
	return 0;
}

/* ---- the table ---- */

#define AT(member) offsetof(struct rfs_options, member)
#define IN(mode) (1u << RFS_MODE_##mode)
/* The modes in which the record says how to make the runs, so that options about this have no effect. */
#define OF_RECORD (IN(REPLAY) | IN(SIMPLIFY))
#define NOT_SAMPLING (IN(CAMPAIGN) | IN(PAIRS))

static const char *const colours[] = {"auto", "always", "never", NULL};
static const char *const misuses[] = {"note", "error", NULL};
static const char *const processes[] = {"forked", "first", NULL};

const struct rfs_cli_option rfs_cli_options[] = {
	{
		.option = {"pairs", "FILE", 1,
			   "Confirm the pairs in FILE, see rfsup-pairs(5), or the reports of another tool, and skip "
			   "prediction; if PROGRAM is missing, "
			   "the program line of FILE is used",
			   RFS_OPTION_NAME, AT(pairs)},
	},
	{
		.option = {"triage", "FILE", 1,
			   "Test the reports in FILE, which ThreadSanitizer, Helgrind, DRD or rfsup wrote, and list "
			   "first "
			   "what became of each; --pairs does the same with the list at the end",
			   RFS_OPTION_NAME, AT(triage)},
	},
	{
		.option = {"policy", "LIST", 1,
			   "Sample schedules with each of these policies, separated by commas: a name from "
			   "--list-policies or the path of a shared object, with options as NAME:KEY=VALUE,... "
			   "(default: depends on the mode)"},
		.take = take_policy,
	},
	{
		.option = {"explore-with", "LIST", 1,
			   "Policies that share the third phase of a campaign (default: " RFS_DEFAULT_EXPLORERS ")"},
		.take = take_explorers,
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"depth", "N", 1, "Number of stack frames that policy drfinder learns from (default: 12)",
			   RFS_OPTION_COUNT, AT(depth), .min = 1, .max = MAX_DEPTH},
		.idle = OF_RECORD,
	},
	{
		.option = {"bug-depth", "N", 1,
			   "Number of steps whose order matters in the bugs that policy pct looks for (default: 3)",
			   RFS_OPTION_COUNT, AT(bug_depth), .min = 1, .max = MAX_BUG_DEPTH},
		.idle = OF_RECORD,
	},
	{
		.option = {"replay", "FILE", 1, "Repeat one recorded run exactly", RFS_OPTION_NAME, AT(replay)},
	},
	{
		.option = {"gdb", NULL, 1,
			   "With --replay: open gdb at the first race of the run, or at its failure; arguments after "
			   "-- go to gdb; none: only say how to connect a debugger",
			   RFS_OPTION_SWITCH, AT(gdb)},
		.word = "none",
		.take = take_gdb,
	},
	{
		.option =
			{"gdb-port", "PORT", 1,
			 "With --replay: wait at [HOST:]PORT for a debugger that speaks gdb's protocol, which the user "
			 "starts"},
		.take = take_gdb_port,
	},
	{
		.option = {"stop-at", "N", 1, "With --gdb: open gdb before operation N instead"},
		.take = take_stop_at,
	},
	{
		.option = {"html", "FILE", 1,
			   "With --replay: write the run as an HTML page, with a lane for each thread, its locks and "
			   "source lines",
			   RFS_OPTION_NAME, AT(html)},
	},
	{
		.option = {"trace", "FILE", 1,
			   "With --replay: write the run in the format of Chrome's traces, for Perfetto",
			   RFS_OPTION_NAME, AT(trace)},
	},
	{
		.option =
			{"trust", NULL, 1,
			 "With --replay or --simplify: execute a record that is not yours; what it runs is shown. With "
			 "--shard or --merge: the same for a plan",
			 RFS_OPTION_SWITCH, AT(trust)},
	},
	{
		.option = {"pack", "FILE", 1,
			   "Write the recorded run with its program, libraries, inputs and lines of source to the file "
			   "of -o, which --replay repeats on another machine",
			   RFS_OPTION_NAME, AT(pack)},
	},
	{
		.option = {"simplify", "FILE", 1,
			   "Find a schedule with the same failure as the recorded run but fewer switches, and print it",
			   RFS_OPTION_NAME, AT(simplify)},
	},
	{
		.option =
			{"gtest", NULL, 1,
			 "PROGRAM is a GoogleTest program: make a campaign for each of its tests, and say which tests "
			 "have findings",
			 RFS_OPTION_SWITCH, AT(gtest)},
		.idle = IN(PAIRS) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"suite", "BUILD", 1,
			   "Test all tests of BUILD: a build folder of CMake, Meson or Cargo, or a program of "
			   "GoogleTest, "
			   "Catch2, doctest or libtest; --budget is for all of them, and --jobs tests run at the same "
			   "time",
			   RFS_OPTION_NAME, AT(suite)},
		.idle = IN(PAIRS) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"cache", "DIR", 1,
			   "With --suite: keep in DIR what is known of each test; tests that have not changed since "
			   "continue from there",
			   RFS_OPTION_NAME, AT(cache)},
		.idle = IN(PAIRS) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"continue", "DIR", 1,
			   "Continue the interrupted campaign whose output directory is DIR, with its options",
			   RFS_OPTION_NAME, AT(resume)},
	},
	{
		.option = {"plan", "DIR", 1,
			   "Make the first phase of a campaign, and write to DIR a plan of the others that several "
			   "machines can "
			   "carry out; with --shard: the plan to carry out",
			   RFS_OPTION_NAME, AT(plan)},
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"shard", "PART", 1,
			   "With --plan and -o: carry out PART, K/N, of the plan: part K of N; run it again if it was "
			   "interrupted"},
		.take = take_shard,
	},
	{
		.option = {"merge", NULL, 1, "Make the report of a plan from the directories DIR... of its shards",
			   RFS_OPTION_SWITCH, AT(merge)},
	},
	{
		.option = {"verify", "N", 1,
			   "Run one seed N times and report whether all runs are the same, or which operation differed "
			   "first",
			   RFS_OPTION_COUNT, AT(verify), .min = 2, .max = 1000000},
		.idle = OF_RECORD,
	},
	{
		.option = {"detector", "NAME", 1,
			   "Race detector: hybrid, fasttrack or none (default: depends on the mode)"},
		.take = take_detector,
		.idle = IN(PAIRS) | OF_RECORD,
	},
	{
		.option =
			{"only", "GLOB", 1,
			 "Test only predictions that have a part in what GLOB names: a function, source file, variable "
			 "or module, or the lines FILE:LINE or FILE:FIRST-LAST (repeatable)",
			 RFS_OPTION_LIST, AT(only)},
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"skip", "GLOB", 1,
			   "Test no prediction that has a part in what GLOB names, as for --only (repeatable)",
			   RFS_OPTION_LIST, AT(skip)},
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"changed", "REV", 1,
			   "Test only predictions that have a part in a function that differs from revision REV of git",
			   RFS_OPTION_NAME, AT(changed)},
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"runs", "N", 2, "Runs for each pair, or for each policy with --policy (default: 100)",
			   RFS_OPTION_COUNT, AT(runs), .min = 1, .max = 1000000, .preset = 100},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"until-failure", NULL, 2,
			   "Stop at the first run with a failure that not all uncontrolled runs show, or with a race "
			   "that uses freed memory; replay it and report it; "
			   "with --policy: stop each policy soon after its first failed run",
			   RFS_OPTION_SWITCH, AT(until_failure)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"no-confirm", NULL, 2,
			   "With --policy and --detector: only list the pairs that the detector reports; by default "
			   "racefuzzer tries to create each of them",
			   RFS_OPTION_SWITCH, AT(no_confirm)},
		.idle = NOT_SAMPLING | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"explore", "N", 2, "Runs of the third phase (default: 200)", RFS_OPTION_COUNT, AT(explore),
			   .min = 0, .max = 1000000, .preset = 200},
		.idle = IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"processes", "WHICH", 1,
			   "If the program has one thread, but a process that it forks has several: control the first "
			   "such process (forked), or only the program (first) (default: forked)",
			   RFS_OPTION_EITHER, AT(first_process), .words = processes},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"prove", NULL, 2,
			   "After the campaign: execute all schedules that differ, first those with at most 0, 1 and 2 "
			   "preemptions, and say whether one fails",
			   RFS_OPTION_SWITCH, AT(prove)},
		.idle = IN(PAIRS) | IN(SAMPLE) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"predict-runs", "N", 2,
			   "Runs of the first phase, each with a different seed; the pairs that they predict are "
			   "merged (default: "
			   "3)",
			   RFS_OPTION_COUNT, AT(predict_runs), .min = 1, .max = 1000000, .preset = 3},
		.idle = IN(PAIRS) | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"seed", "S", 2, "First seed; run i uses S+i (default: 1)", RFS_OPTION_NUMBER, AT(seed),
			   .preset = 1},
		.take = take_seed,
		.idle = OF_RECORD,
	},
	{
		.option = {"jobs", "N", 2,
			   "Number of runs at the same time, each on its own core; if runs of the program disturb each "
			   "other, "
			   "add --fresh-dir (default: 1)",
			   RFS_OPTION_COUNT, AT(jobs), .min = 1, .max = 1024, .preset = 1},
		.letter = 'j',
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"budget", "TIME", 2,
			   "Wall time limit for the whole campaign, in seconds or as 5m or 1h, of which at least a "
			   "third is for exploring; the "
			   "report "
			   "lists what was cut (default: none)",
			   RFS_OPTION_SECONDS, AT(budget), .min = 0.01, .max = 1e7},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"env", "VARIABLE", 3,
			   "Set the environment variable NAME=VALUE for the program, but not for rfsup (repeatable)"},
		.take = take_env,
		.idle = OF_RECORD,
	},
	{
		.option = {"guard-heap", NULL, 3,
			   "Give the program a heap in which a use after free, or an access behind the end of a block, "
			   "is a SIGSEGV at its instruction; the report names where the block was allocated and freed",
			   RFS_OPTION_SWITCH, AT(guard_heap)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option =
			{"hang-factor", "X", 3,
			 "A run is a hang, which is a finding, if it takes X times the CPU time (but at least 1 s), or "
			 "has X times the operations and accesses, of the longest run of the first phase (default: 10)",
			 RFS_OPTION_SECONDS, AT(hang_factor), .preset = 10},
		.take = take_hang_factor,
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option =
			{"no-fork-server", NULL, 3,
			 "Start the program again for each run; by default, the program is started once and stopped at "
			 "main, and each run is a fork of that process, unless this could change a run",
			 RFS_OPTION_SWITCH, AT(no_fork_server)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"no-two-pass", NULL, 3,
			   "Search for races in only one execution of each predicting run; by default, a first "
			   "execution finds "
			   "where races are, and a second one of the same run finds their statements",
			   RFS_OPTION_SWITCH, AT(no_two_pass)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"output", "DIR", 4,
			   "Directory for records, pairs and reports; created if missing, refused if it already holds "
			   "a run (default: rfsup.out.N, the next free N)",
			   RFS_OPTION_NAME, AT(output)},
		.letter = 'o',
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"keep-records", NULL, 4, "With --policy: keep the records of all runs, not only of findings",
			   RFS_OPTION_SWITCH, AT(keep_records)},
		.idle = NOT_SAMPLING | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"misuse", "HOW", 4,
			   "How to report wrong uses of the thread library, such as an unlock of a lock that is not "
			   "held: as a note, or as a finding with exit status 1 (error) (default: note)",
			   RFS_OPTION_EITHER, AT(misuse_is_error), .words = misuses},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"format", "FORMAT", 4,
			   "Format of standard output: text, json, or github, which is text and the findings as a "
			   "workflow of GitHub reads them (default: text)"},
		.take = take_format,
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"color", "WHEN", 4,
			   "Colours on standard output: auto, which is on a terminal unless NO_COLOR is set, always or "
			   "never (default: auto)",
			   RFS_OPTION_WORD, AT(colour), .words = colours},
	},
	{
		.option = {"sarif", "FILE", 4,
			   "Also write the findings to FILE as SARIF 2.1.0, for code hosts and editors",
			   RFS_OPTION_NAME, AT(sarif)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"junit", "FILE", 4,
			   "Also write the findings to FILE as JUnit XML, the test results that CI services read",
			   RFS_OPTION_NAME, AT(junit)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"baseline", "FILE", 4,
			   "Findings that are in FILE, the report.json of an earlier campaign, are known: they are "
			   "counted, but not shown, and the exit status does not depend on them",
			   RFS_OPTION_NAME, AT(baseline)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"suppressions", "FILE", 4,
			   "Do not test or report what FILE names, in the form of Valgrind or of ThreadSanitizer, see "
			   "rfsup-suppressions(5) (repeatable)",
			   RFS_OPTION_LIST, AT(suppressions)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"no-default-suppressions", NULL, 4,
			   "Do not use rfsup's own suppressions for glibc, libstdc++ and GLib", RFS_OPTION_SWITCH,
			   AT(no_default_suppressions)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"gen-suppressions", NULL, 4,
			   "Print a block for --suppressions for each finding and each pair, after the report and into "
			   "suppressions.txt",
			   RFS_OPTION_SWITCH, AT(gen_suppressions)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"launcher", NULL, 4,
			   "PROGRAM is a test of a build: the exit status is 0, not 4, if it has no second thread",
			   RFS_OPTION_SWITCH, AT(launcher)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"error-exitcode", "N", 4, "Exit status if something was found (default: 1)",
			   RFS_OPTION_COUNT, AT(error_exitcode), .min = 0, .max = 255, .preset = 1},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option =
			{"plot", "FILE", 4,
			 "With --policy: draw how often each order was executed, as SVG with one panel for each policy",
			 RFS_OPTION_NAME, AT(plot)},
		.idle = NOT_SAMPLING | IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"stats", NULL, 4, "Print statistics on standard error, one \"key: value\" per line",
			   RFS_OPTION_SWITCH, AT(stats)},
		.idle = IN(VERIFY) | OF_RECORD,
	},
	{
		.option = {"quiet", NULL, 4, "Print no progress and no warnings", RFS_OPTION_SWITCH, AT(log)},
		.letter = 'q',
		.sets = true,
		.value = RFS_LOG_QUIET,
	},
	{
		.option = {"verbose", NULL, 4, "Print in more detail what is done", RFS_OPTION_SWITCH, AT(log)},
		.sets = true,
		.value = RFS_LOG_VERBOSE,
	},
	{
		.option = {"doctor", NULL, 5,
			   "Check whether rfsup works on this machine and, if a program follows, what will not be "
			   "controlled; each line says what to do",
			   RFS_OPTION_SWITCH, AT(action)},
		.sets = true,
		.value = RFS_ACTION_DOCTOR,
	},
	{
		.option = {"completion", "SHELL", 5,
			   "Print a script that makes SHELL, bash or zsh, complete command lines of rfsup"},
		.take = take_completion,
	},
	{
		.option = {"list-policies", NULL, 5, "List the policies, one per line", RFS_OPTION_SWITCH, AT(action)},
		.sets = true,
		.value = RFS_ACTION_LIST_POLICIES,
	},
	{
		.option = {"help", NULL, 5, "Print this list", RFS_OPTION_SWITCH, AT(action)},
		.letter = 'h',
		.sets = true,
		.value = RFS_ACTION_HELP,
	},
	{
		.option = {"usage", NULL, 5, "Print a short usage message", RFS_OPTION_SWITCH, AT(action)},
		.sets = true,
		.value = RFS_ACTION_USAGE,
	},
	{
		.option = {"version", NULL, 5, "Print the version", RFS_OPTION_SWITCH, AT(action)},
		.letter = 'V',
		.sets = true,
		.value = RFS_ACTION_VERSION,
	},
	{.option = {NULL}},
};
