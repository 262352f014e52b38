/* options_test.c - the command line: which words are accepted or refused, and the messages. */
#include "supervisor/cli/options/options.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/base/version.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/options/options-priv.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_spec.h"

TestSuite(options, .timeout = 20);

/* Parses a NULL-terminated list of words. argv[0] is added. */
static int parse(const char *const *words, struct rfs_options *out, char *why, size_t n)
{
	static char *argv[64];
	int argc = 0;

	argv[argc++] = (char *)"rfsup";
	while (*words)
		argv[argc++] = (char *)*words++; /* the parser does not write to the words */
	argv[argc] = NULL;
	return rfs_options_parse(argc, argv, out, why, n);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(options, defaults)
{
	struct rfs_options o;
	char why[512] = "";

	cr_assert_eq(parse(WORDS("./a"), &o, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(o.mode, RFS_MODE_CAMPAIGN);
	cr_assert_eq(o.action, RFS_ACTION_RUN);
	cr_assert_eq(o.runs, 100);
	cr_assert_eq(o.explore, 200);
	cr_assert_eq(o.predict_runs, 3);
	cr_assert_eq(o.seed, 1);
	cr_assert_eq(o.jobs, 1);
	cr_assert_eq(o.run.limits.timeout, 60);
	cr_assert_eq(o.hang_factor, 10);
	cr_assert_eq(o.budget, 0);
	cr_assert_not(o.points_given);
	cr_assert_not(o.json);
	cr_assert_null(o.run.modules[0]);
	cr_assert_str_eq(o.argv[0], "./a");
	cr_assert_null(o.argv[1]);
	rfs_options_release(&o);
}

Test(options, all_of_them)
{
	struct rfs_options o;
	char why[512] = "";

	cr_assert_eq(parse(WORDS("--pairs", "p.txt", "--policy=racefuzzer", "--runs", "7", "--explore=0", "--seed",
				 "9007199254740000", "-j", "2", "--timeout", "0.5", "--hang-factor", "2.5", "--stdin",
				 "in", "--setup", "make x", "--fresh-dir", "d", "--budget", "60", "--points", "memory",
				 "--module", "libz*", "--module", "libq*", "-o", "out", "--format", "json", "--stats",
				 "--verbose", "--sleep-race", "0", "--", "prog", "-x", "--runs"),
			   &o, why, sizeof(why)),
		     0, "%s", why);
	cr_assert_eq(o.mode, RFS_MODE_PAIRS);
	cr_assert_str_eq(o.pairs, "p.txt");
	cr_assert(o.samplers.n == 1 && strcmp(o.samplers.list[0].name, "racefuzzer") == 0);
	cr_assert_eq(o.runs, 7);
	cr_assert(o.explore_given && o.explore == 0);
	cr_assert_eq(o.seed, 9007199254740000);
	cr_assert_eq(o.jobs, 2);
	cr_assert_eq(o.run.limits.timeout, 0.5);
	cr_assert_eq(o.hang_factor, 2.5);
	cr_assert_str_eq(o.run.job.stdin_path, "in");
	cr_assert_str_eq(o.run.job.setup, "make x");
	cr_assert_str_eq(o.run.job.fresh_dir, "d");
	cr_assert_eq(o.budget, 60);
	cr_assert(o.points_given && o.run.points == RFS_POINTS_MEMORY);
	cr_assert_str_eq(o.run.modules[1], "libq*");
	cr_assert_null(o.run.modules[2]);
	cr_assert_str_eq(o.output, "out");
	cr_assert(o.json && o.stats && o.log == RFS_LOG_VERBOSE);
	cr_assert_eq(o.run.sleep_race, 0);
	cr_assert_str_eq(o.argv[0], "prog");
	cr_assert_str_eq(o.argv[2], "--runs", "options behind the program are the program's own");
	rfs_options_release(&o);
	cr_assert_eq(parse(WORDS("--detector", "none", "--predict-runs", "20", "a"), &o, why, sizeof(why)), 0, "%s",
		     why);
	cr_assert_str_eq(o.detector, "none");
	cr_assert_eq(o.predict_runs, 20);
	rfs_options_release(&o);
}

Test(options, modes_and_programs)
{
	const struct {
		const char *const *words;
		enum rfs_mode mode;
		const char *program;
	} cases[] = {
		{WORDS("a", "--runs"), RFS_MODE_CAMPAIGN, "a"},
		{WORDS("--", "--odd"), RFS_MODE_CAMPAIGN, "--odd"},
		{WORDS("--", "--"), RFS_MODE_CAMPAIGN, "--"},
		{WORDS("--pairs", "f"), RFS_MODE_PAIRS, NULL},
		{WORDS("--pairs", "f", "--", "a"), RFS_MODE_PAIRS, "a"},
		{WORDS("--pairs", "f", "--policy", "racefuzzer", "a"), RFS_MODE_PAIRS, "a"},
		{WORDS("--policy", "random", "a"), RFS_MODE_SAMPLE, "a"},
		{WORDS("--policy", "./mine.so", "a"), RFS_MODE_SAMPLE, "a"},
		{WORDS("--replay", "r"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--quiet"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "-q", "--color=never"), RFS_MODE_REPLAY, NULL},
		{WORDS("--continue", "d", "--verbose", "--color", "always"), RFS_MODE_CAMPAIGN, NULL},
		{WORDS("--verbose", "--replay", "r"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--html=p"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--trace=p"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--trust"), RFS_MODE_REPLAY, NULL},
		{WORDS("--simplify", "r", "--trust"), RFS_MODE_SIMPLIFY, NULL},
		{WORDS("--replay", "r", "--gdb"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--gdb", "--stop-at", "3", "--", "-batch"), RFS_MODE_REPLAY, "-batch"},
		{WORDS("--replay", "r", "--gdb=none", "--stop-at", "3"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--gdb-port", "0", "--stop-at", "3"), RFS_MODE_REPLAY, NULL},
		{WORDS("--replay", "r", "--gdb-port", "[::1]:65535", "--html=p"), RFS_MODE_REPLAY, NULL},
		{WORDS("--merge", "a", "b"), RFS_MODE_CAMPAIGN, NULL},
		{WORDS("--shard", "1/2", "--plan", "p", "-o", "x"), RFS_MODE_CAMPAIGN, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_options o;
		char why[512] = "";

		cr_assert_eq(parse(cases[i].words, &o, why, sizeof(why)), 0, "case %zu: %s", i, why);
		cr_assert_eq(o.mode, cases[i].mode, "case %zu", i);
		if (cases[i].program)
			cr_assert_str_eq(o.argv[0], cases[i].program);
		else
			cr_assert_null(o.argv[0], "case %zu", i);
		rfs_options_release(&o);
	}
}

Test(options, actions)
{
	const struct {
		const char *const *words;
		enum rfs_action action;
		const char *printed;
	} cases[] = {
		{WORDS("--help"), RFS_ACTION_HELP, "--hang-factor"},
		{WORDS("--runs", "3", "--help", "--nonsense"), RFS_ACTION_HELP, "Usage: rfsup"},
		{WORDS("--usage"), RFS_ACTION_USAGE, "--predict-runs"},
		{WORDS("--version"), RFS_ACTION_VERSION, "rfsup " RFS_VERSION_NUMBER},
		{WORDS("--list-policies"), RFS_ACTION_LIST_POLICIES, "racefuzzer"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_options o;
		char why[512] = "", *text = NULL;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		cr_assert_eq(parse(cases[i].words, &o, why, sizeof(why)), 0, "case %zu: %s", i, why);
		cr_assert_eq(o.action, cases[i].action);
		rfs_options_print(&o, out);
		fclose(out);
		cr_assert_not_null(strstr(text, cases[i].printed), "case %zu: %s", i, text);
		free(text);
		rfs_options_release(&o);
	}
}

Test(options, samplers)
{
	struct rfs_options o;
	const struct rfs_sampler *list;
	char why[512] = "";

	cr_assert_eq(parse(WORDS("--policy=rapos,pct:steps=9,patience=7,./my.so:a=1,native", "--bug-depth=4", "./a"),
			   &o, why, sizeof(why)),
		     0, "%s", why);
	cr_assert_eq(o.mode, RFS_MODE_SAMPLE);
	cr_assert_eq(o.samplers.n, 4);
	list = o.samplers.list;
	cr_expect(strcmp(list[0].name, "rapos") == 0 && !list[0].options);
	cr_expect_str_eq(list[1].options, "steps=9,patience=7,depth=4");
	cr_expect(strcmp(list[2].name, "./my.so") == 0 && strcmp(list[2].options, "a=1") == 0);
	cr_expect(rfs_sampler_is_native(&list[3]));
	rfs_options_release(&o);
	cr_assert_eq(parse(WORDS("--explore-with=drfinder,pos", "--depth=20", "./a"), &o, why, sizeof(why)), 0, "%s",
		     why);
	cr_assert_eq(o.mode, RFS_MODE_CAMPAIGN);
	cr_assert_eq(o.explorers.n, 2);
	cr_expect_str_eq(o.explorers.list[0].options, "depth=20");
	cr_expect_null(o.explorers.list[1].options);
	rfs_options_release(&o);
}

Test(options, refused)
{
	const struct {
		const char *const *words;
		const char *why; /* a part of the message */
	} cases[] = {
		{(const char *const[]){NULL}, "no program given"},
		{WORDS("--"), "no program given"},
		{WORDS("--bogus", "a"), "unknown option '--bogus'; 'rfsup --help' lists the options"},
		{WORDS("--bugdet", "5", "a"), "unknown option '--bugdet'; did you mean --budget?"},
		{WORDS("--exploer=5", "a"), "unknown option '--exploer=5'; did you mean --explore?"},
		{WORDS("--predictruns=5", "a"), "did you mean --predict-runs?"},
		{WORDS("--budget=5x", "a"), "'5x' is not a time between 0.01 and 10000000 seconds, such as 90, 5m or"},
		{WORDS("--hang-factor=5m", "a"), "'5m' is not a number between 1 and 1000000"},
		{WORDS("--timeout", "3", "--generate", "a"), "an option before --generate does not work with it"},
		{WORDS("--stats", "-x", "a"), "unknown option '-x'"},
		{WORDS("--stats", "-xj", "a"), "unknown option '-xj'"},
		{WORDS("--runs"), "--runs needs a value: --runs N"},
		{WORDS("-j"), "-j needs a value: -j N"},
		{WORDS("--stats=1", "a"), "--stats takes no value"},
		{WORDS("--s", "a"), "ambiguous"},
		{WORDS("--runs", "0", "a"), "--runs: '0' is not an integer between 1 and 1000000"},
		{WORDS("--runs", "-5", "a"), "'-5'"},
		{WORDS("--runs=+5", "a"), "'+5'"},
		{WORDS("--runs", "5x", "a"), "'5x'"},
		{WORDS("--runs", " 5", "a"), "' 5'"},
		{WORDS("--runs", "", "a"), "''"},
		{WORDS("--runs", "0x10", "a"), "'0x10'"},
		{WORDS("--runs", "99999999999999999999999", "a"), "--runs"},
		{WORDS("--explore", "-1", "a"), "--explore"},
		{WORDS("--predict-runs", "0", "a"), "--predict-runs"},
		{WORDS("-j", "0", "a"), "--jobs"},
		{WORDS("--jobs", "1025", "a"), "--jobs"},
		{WORDS("--seed", "9007199254740992", "a"), "--seed"},
		{WORDS("--seed", "9007199254740991", "a"), "2^53"},
		{WORDS("--timeout", "0", "a"), "--timeout"},
		{WORDS("--timeout", "-1", "a"), "--timeout"},
		{WORDS("--timeout", "inf", "a"), "'inf'"},
		{WORDS("--timeout", "nan", "a"), "'nan'"},
		{WORDS("--timeout", "1e3", "a"), "'1e3'"},
		{WORDS("--timeout", "1..5", "a"), "'1..5'"},
		{WORDS("--timeout", ".", "a"), "'.'"},
		{WORDS("--hang-factor", "0.5", "a"), "--hang-factor"},
		{WORDS("--budget", "0", "a"), "--budget"},
		{WORDS("--policy", "nosuch", "a"), "unknown policy 'nosuch'; choose "},
		{WORDS("--policy", "", "a"), "unknown policy ''"},
		{WORDS("--policy", "racefuzzer", "a"), "needs a pair"},
		{WORDS("--policy", "deadlock", "a"), "needs a predicted deadlock"},
		{WORDS("--explore-with", "random,deadlock", "a"), "remove it from --explore-with"},
		{WORDS("--explore-with", "atomicity", "a"), "needs a predicted violation"},
		{WORDS("--explore-with", "dpor,random,dpor", "a"), "policy dpor is named twice"},
		{WORDS("--explore-with", "dpor", "--faults", "malloc", "a"), "policy dpor works without --faults"},
		{WORDS("--faults", "x", "a"), "not one of wakeup, eintr, short, malloc, mmap, thread, late, all"},
		{WORDS("--policy", "rapos,nosuch", "a"), "unknown policy 'nosuch'"},
		{WORDS("--policy", "rapos,", "a"), "unknown policy ''"},
		{WORDS("--policy", "depth=3,pct", "a"), "'depth=3' must follow a policy name"},
		{WORDS("--policy", "native:depth=3", "a"), "native takes no options"},
		{WORDS("--policy", "rapos,pos", "--pairs", "p"), "policy 'rapos' does not use pairs"},
		{WORDS("--policy", "native", "--pairs", "p"),
		 "native does not control runs; remove --policy or --pairs"},
		{WORDS("--explore-with", "random,nosuch", "a"),
		 "--explore-with: unknown policy 'nosuch'; choose racefuzzer"},
		{WORDS("--depth", "0", "--policy", "drfinder", "a"), "--depth: '0' is not an integer between 1 and 64"},
		{WORDS("--depth", "65", "--policy", "drfinder", "a"), "--depth: '65'"},
		{WORDS("--depth", "12", "--policy", "pct", "a"), "--depth needs policy drfinder"},
		{WORDS("--bug-depth", "0", "--policy", "pct", "a"),
		 "--bug-depth: '0' is not an integer between 1 and 100"},
		{WORDS("--bug-depth", "101", "--policy", "pct", "a"), "--bug-depth: '101'"},
		{WORDS("--bug-depth", "3", "a"), "--bug-depth needs policy pct"},
		{WORDS("--keep-records", "a"), "--keep-records has no effect without --policy; remove it"},
		{WORDS("--plot", "x.svg", "a"), "--plot has no effect without --policy"},
		{WORDS("--policy", "rapos,pos", "--verify", "2", "a"), "--verify accepts only one policy, not 2"},
		{WORDS("--policy", "rapos", "--explore-with", "pos", "a"), "--explore-with has no effect with"},
		{WORDS("--detector", "nosuch", "a"), "unknown detector 'nosuch'"},
		{WORDS("--points", "all", "a"), "--points: 'all'"},
		{WORDS("--format", "xml", "a"), "--format: 'xml'"},
		{WORDS("--module", "", "a"), "--module"},
		{WORDS("--pairs", "", "a"), "--pairs: the name is empty"},
		{WORDS("--replay", "r", "a"), "remove 'a'"},
		{WORDS("--gdb", "a"), "--gdb needs a recorded run; add --replay FILE"},
		{WORDS("--replay", "r", "--gdb=all"), "--gdb: 'all' is not 'none'"},
		{WORDS("--replay", "r", "--gdb=none", "--", "-batch"), "--gdb=none starts no gdb; remove '-batch'"},
		{WORDS("--replay", "r", "--gdb-port", "1", "-batch"), "unknown option '-batch'"},
		{WORDS("--replay", "r", "--gdb-port", "1", "x"), "--gdb-port starts no gdb; remove 'x'"},
		{WORDS("--replay", "r", "--gdb-port", "65536"),
		 "--gdb-port: '65536' is not [HOST:]PORT with PORT from 0"},
		{WORDS("--replay", "r", "--gdb-port", "h:"), "--gdb-port: 'h:' is not [HOST:]PORT"},
		{WORDS("--replay", "r", "--gdb-port"), "--gdb-port needs a value: --gdb-port PORT"},
		{WORDS("--gdb-port", "1", "a"), "--gdb-port needs a recorded run; add --replay FILE"},
		{WORDS("--simplify", "r", "--gdb=none"), "--gdb does not work with --simplify"},
		{WORDS("--trace", "p", "a"), "--trace needs a recorded run; add --replay FILE"},
		{WORDS("--html", "p", "a"), "--html needs a recorded run; add --replay FILE"},
		{WORDS("--replay", "r", "--html", ""), "--html: the name is empty"},
		{WORDS("--trust", "a"), "--trust needs a recorded run; add --replay FILE"},
		{WORDS("--stop-at", "1", "a"), "--stop-at needs a recorded run; add --replay FILE"},
		{WORDS("--replay", "r", "--stop-at", "1"), "add --gdb or remove --stop-at"},
		{WORDS("--replay", "r", "--gdb", "--stop-at", "x"), "--stop-at: 'x' is not a number of operations"},
		{WORDS("--replay", "r", "--gdb", "--runs", "5"), "--runs has no effect with"},
		{WORDS("--replay", "r", "--pairs", "p"), "remove --pairs"},
		{WORDS("--replay", "r", "--policy", "random"), "remove --policy"},
		{WORDS("--replay", "r", "--runs", "5"), "--runs has no effect with --replay; remove it"},
		{WORDS("--date", "now", "a"), "--date: 'now' is not a date between 1971 and 2199"},
		{WORDS("--clock=real", "--date=2026-11-29", "a"), "--date has no effect with --clock=real"},
		{WORDS("--replay", "r", "-o", "out"), "--output has no effect with"},
		{WORDS("--replay", "r", "--format=json"), "--format has no effect with"},
		{WORDS("--stats", "--replay", "r"), "--stats has no effect with"},
		{WORDS("--replay", "r", "--seed", "1"), "--seed has no effect with"},
		{WORDS("--replay", "r", "-j", "2"), "--jobs has no effect with"},
		{WORDS("--replay", "r", "--verify", "2"), "--verify has no effect with"},
		{WORDS("--pairs", "p", "--predict-runs", "3"), "--predict-runs has no effect with"},
		{WORDS("--pairs", "p", "--detector", "hybrid"), "--detector has no effect with"},
		{WORDS("--pairs", "p", "--policy", "random"), "policy 'random' does not use pairs"},
		{WORDS("--policy", "random", "--explore", "3", "a"), "--explore has no effect with"},
		{WORDS("--policy", "random", "--predict-runs", "3", "a"), "--predict-runs has no effect with"},
		{WORDS("--verify", "2", "--budget", "3", "a"), "--budget has no effect with"},
		{WORDS("--policy", "random", "--stops-per-run", "3", "a"), "because these runs have no pair; remove"},
		{WORDS("--policy", "random", "--detector", "none", "--stops-per-run", "3", "a"),
		 "because these runs have no pair; remove"},
		{WORDS("--points", "races", "--stops-per-run", "3", "a"), "--stops-per-run has no effect unless"},
		{WORDS("--verify", "2", "--points", "races", "a"), "--verify does not predict pairs"},
		{WORDS("--verify", "2", "-o", "x", "a"), "--output has no effect with"},
		{WORDS("--continue", "x", "--runs", "3"), "--runs has no effect with --continue; remove it"},
		{WORDS("--shard", "1/2", "-o", "x"), "--shard needs a plan; add --plan DIR"},
		{WORDS("--shard", "1/2", "--plan", "p"), "--shard needs a directory for its results; add -o DIR"},
		{WORDS("--merge"), "--merge needs the directories of the shards"},
		{WORDS("--merge", "a", "--plan", "p"), "remove --plan"},
		{WORDS("--continue", "x", "a"), "--continue takes the program from the campaign; remove 'a'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_options o;
		char why[512] = "";

		cr_expect_eq(parse(cases[i].words, &o, why, sizeof(why)), -EINVAL, "case %zu: %s was taken", i,
			     cases[i].why);
		cr_expect_not_null(strstr(why, cases[i].why), "case %zu: '%s' does not say \"%s\"", i, why,
				   cases[i].why);
		cr_expect_null(strchr(why, '\n'), "case %zu: more than one line", i);
	}
}

Test(options, files_are_checked)
{
	const struct {
		const char *const *words;
		int error;
		const char *why;
	} cases[] = {
		{WORDS("--stdin", "/dev/null", "a"), 0, ""},
		{WORDS("--stdin", "/nonexistent/file", "a"), -ENOENT, "--stdin: cannot read '/nonexistent/file'"},
		{WORDS("--stdin", "/", "a"), -EISDIR, "--stdin: '/' is a directory"},
		{WORDS("--pairs", "/nonexistent", "a"), -ENOENT, "--pairs"},
		{WORDS("--replay", "/nonexistent"), -ENOENT, "--replay"},
		{WORDS("--policy", "/nonexistent/p.so", "a"), -ENOENT, "--policy"},
		{WORDS("--fresh-dir", "/nonexistent", "a"), -ENOENT, "--fresh-dir"},
		{WORDS("--fresh-dir", "/dev/null", "a"), -ENOTDIR, "--fresh-dir"},
		{WORDS("--fresh-dir", "/tmp", "a"), 0, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_options o;
		char why[512] = "";

		cr_assert_eq(parse(cases[i].words, &o, why, sizeof(why)), 0);
		cr_expect_eq(rfs_options_check_files(&o, why, sizeof(why)), cases[i].error, "case %zu: %s", i, why);
		cr_expect_not_null(strstr(why, cases[i].why), "case %zu: %s", i, why);
		rfs_options_release(&o);
	}
}

Test(options, hexadecimal)
{
	const struct {
		const char *word;
		int error;
		uint64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"1aF", 0, 0x1af},
		{"ffffffffffffffff", 0, UINT64_MAX},
		{"10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"0x1", -EINVAL, 0},
		{"12g", -EINVAL, 0},
		{"1G", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t value = 0;

		cr_expect_eq(rfs_hex_parse(cases[i].word, &value), cases[i].error, "%s", cases[i].word);
		cr_expect_eq(value, cases[i].value, "%s", cases[i].word);
	}
}

/* --help states the default of each number that has one. */
Test(options, help_tells_the_presets)
{
	size_t seen = 0;

	for (const struct rfs_cli_option *cli = rfs_cli_options; cli->option.name; cli++) {
		char text[64];

		snprintf(text, sizeof(text), "(default: %g", cli->option.preset);
		if (cli->option.preset != 0) {
			cr_expect_not_null(strstr(cli->option.help, text), "--%s", cli->option.name);
			seen++;
		}
	}
	for (size_t i = 0; i < rfs_n_run_options; i++) {
		const struct rfs_option *option = &rfs_run_options[i].option;
		char text[64];

		snprintf(text, sizeof(text), "(default: %g", option->preset);
		if (option->preset != 0) {
			cr_expect_not_null(strstr(option->help, text), "--%s", option->name);
			seen++;
		}
	}
	cr_expect_geq(seen, 8);
}

/* An option is refused in the modes in which its row says that it has no effect. It is accepted in all other modes. */
Test(options, no_effect_by_mode)
{
	const char *const *const modes[] = {
		WORDS("a"),
		WORDS("--pairs", "p", "a"),
		WORDS("--policy", "drfinder,pct", "a"),
		WORDS("--replay", "r"),
		WORDS("--simplify", "r"),
		WORDS("--verify", "2", "a"),
	};
	/* refused_by has a letter for each mode that refuses the option, in the order of `modes` */
	static const struct {
		const char *option, *refused_by;
	} cases[] = {
		{"--timeout=1", ""},
		{"--quiet", ""},
		{"--seed=2", "RI"},
		{"--sleep-race=2", "RI"},
		{"--clock=real", "RI"},
		{"--date=2026-11-29", "RI"},
		{"--module=x", "RI"},
		{"--setup=x", "RI"},
		{"--accesses=traps", "RI"},
		{"--detector=none", "PRI"},
		{"--runs=3", "RIV"},
		{"--jobs=3", "RIV"},
		{"--explore=3", "SRIV"},
		{"--predict-runs=3", "PSRIV"},
		{"--stops-per-run=3", "SRIV"},
		{"--memory=3G", "RI"},
		{"--plot=x", "CPRIV"},
		{"--until-failure", "RIV"},
		{"--keep-records", "CPRIV"},
		{"--no-fork-server", "RIV"},
		{"--budget=3", "RIV"},
	};
	static const char letters[] = "CPSRIV";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t m = 0; m < sizeof(modes) / sizeof(*modes); m++) {
			const char *words[8] = {cases[i].option};
			bool refused = strchr(cases[i].refused_by, letters[m]);
			char why[512] = "";
			struct rfs_options o;
			int error;

			for (size_t w = 0; modes[m][w]; w++)
				words[w + 1] = modes[m][w];
			error = parse(words, &o, why, sizeof(why));
			cr_expect_eq(error, refused ? -EINVAL : 0, "%s in mode %c: %s", cases[i].option, letters[m],
				     why);
			if (refused)
				cr_expect_not_null(strstr(why, " has no effect with"), "%s", why);
			else if (!error)
				rfs_options_release(&o);
		}
}
