/*
 * Parses the command line. argp prints the help and splits the words. Its error messages take two lines and do not say
 * what to do, so ARGP_NO_ERRS turns them off and this file writes the messages.
 */
#include "supervisor/cli/options/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/processor.h"
#include "supervisor/base/text/near_word.h"
#include "supervisor/base/version.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/options/completion.h"
#include "supervisor/cli/options/options-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_spec.h"

enum { N_GROUPS = 5, MAX_OPTIONS = RFS_OPTIONS_MAX };

static const char *const groups[N_GROUPS] = {
	"What to run:", "How much:", "Each run:", "Output:", "About rfsup:",
};

/* An option of one of the two tables (options.h). */
struct entry {
	const struct rfs_option *option;
	const struct rfs_run_option *run; /* NULL: the option is in rfs_cli_options */
	const struct rfs_cli_option *cli; /* NULL: the option is in rfs_run_options */
};

/*
 * The entries of both tables, and the same options in the form that argp needs. argp sorts the options of each group
 * for --help.
 */
struct rfs_option_tables {
	struct entry entries[MAX_OPTIONS];
	size_t n;
	struct argp_option argp[N_GROUPS + MAX_OPTIONS + 1];
};

/* The key of option i in argp: its letter; if it has none, a number that is not a character. */
static int options_key_of(const struct rfs_option_tables *tables, size_t i)
{
	const struct rfs_cli_option *cli = tables->entries[i].cli;

	return cli && cli->letter ? cli->letter : (int)(256 + i);
}

static void add_entry(struct rfs_option_tables *tables, struct entry entry)
{
	const char *word = entry.cli ? entry.cli->word : NULL;
	size_t i = tables->n++;

	if (i == MAX_OPTIONS)
		RFS_BUG("no room for option --%s", entry.option->name);
	tables->entries[i] = entry;
	tables->argp[N_GROUPS + i] = (struct argp_option){
		.name = entry.option->name,
		.key = options_key_of(tables, i),
		.arg = word ? word : entry.option->argument,
		.flags = word ? OPTION_ARG_OPTIONAL : 0,
		.doc = entry.option->help,
		.group = entry.option->group,
	};
}

static void join_tables(struct rfs_option_tables *tables)
{
	*tables = (struct rfs_option_tables){.n = 0};
	for (int i = 0; i < N_GROUPS; i++)
		tables->argp[i] = (struct argp_option){.doc = groups[i], .group = i + 1};
	for (const struct rfs_cli_option *cli = rfs_cli_options; cli->option.name; cli++)
		add_entry(tables, (struct entry){.option = &cli->option, .cli = cli});
	for (size_t i = 0; i < rfs_n_run_options; i++)
		if (rfs_run_options[i].option.name)
			add_entry(tables,
				  (struct entry){.option = &rfs_run_options[i].option, .run = &rfs_run_options[i]});
}

static void *options_value_of(const struct entry *entry, struct rfs_options *options)
{
	return (char *)(entry->run ? (void *)&options->run : options) + entry->option->offset;
}

static bool given(const struct rfs_parse *parse, const char *name)
{
	for (size_t i = 0; i < parse->tables->n; i++)
		if (strcmp(parse->tables->entries[i].option->name, name) == 0)
			return parse->given[i];
	RFS_BUG("there is no option --%s", name);
}

static int options_take_entry(struct rfs_parse *parse, const struct entry *entry, const char *word)
{
	void *value = options_value_of(entry, parse->out);

	if (entry->cli && entry->cli->take)
		return entry->cli->take(parse, entry->option->name, word);
	if (entry->cli && entry->cli->sets) {
		*(unsigned *)value = entry->cli->value;
		return 0;
	}
	return rfs_option_take(parse, entry->option, value, word);
}

static error_t options_take(int key, char *word, struct argp_state *state)
{
	struct rfs_parse *parse = state->input;

	for (size_t i = 0; i < parse->tables->n; i++)
		if (key == options_key_of(parse->tables, i)) {
			int error = options_take_entry(parse, &parse->tables->entries[i], word);

			parse->given[i] = true;
			/* --help and similar options end the parse: nothing else is done */
			if (!error && parse->out->action != RFS_ACTION_RUN) {
				parse->out->argv = state->argv + state->next;
				if (*parse->out->argv && strcmp(*parse->out->argv, "--") == 0)
					parse->out->argv++;
				state->next = state->argc;
			}
			return error;
		}
	switch (key) {
	case ARGP_KEY_ARG:
		if (parse->out->merge) {
			rfs_option_append(&parse->out->merged, word);
			return 0;
		}
		/* the first word that is not an option is the program; all later words are its arguments */
		parse->out->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_ERROR:
		parse->at = state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct argp argp_of(const struct rfs_option_tables *tables)
{
	return (struct argp){
		.options = tables->argp,
		.parser = options_take,
		.args_doc = "[--] PROGRAM [ARG...]\n--pairs FILE [[--] PROGRAM [ARG...]]\n--triage FILE [--] PROGRAM "
			    "[ARG...]\n"
			    "--policy LIST [--] PROGRAM [ARG...]\n--continue DIR\n--plan DIR [--] PROGRAM [ARG...]\n"
			    "--shard K/N --plan DIR -o DIR\n--merge DIR...\n--replay FILE [--gdb [-- GDB-ARG...]]\n"
			    "--suite BUILD\n--simplify FILE\n--pack FILE [-o FILE] [FILE...]\n--verify N [--] PROGRAM "
			    "[ARG...]\n--doctor [[--] PROGRAM]\n--generate LIB "
			    "--header FILE [OPTION...]",
		.doc = "Predicts data races in an unmodified multi-threaded program, creates each one on purpose, and "
		       "reports its effect.\vExit status: 0 nothing found, 1 something found, 2 wrong usage or "
		       "environment, 3 a run could not be controlled or a replay diverged, 4 incomplete and nothing "
		       "found. See rfsup(1).",
	};
}

const char *rfs_option_of_pairs(const struct rfs_options *options)
{
	return options->triage ? "triage" : "pairs";
}

/* The option that may be meant by a name that no option has; NULL: none is near. */
static const char *near_option(const struct rfs_parse *parse, const char *name)
{
	const char *near = NULL;
	size_t best = RFS_NEAR_NONE;

	for (size_t i = 0; i < parse->tables->n; i++)
		if (rfs_near_word(name, parse->tables->entries[i].option->name, &best))
			near = parse->tables->entries[i].option->name;
	return near;
}

/* `word` begins with --; `length` bytes after these are its name. */
static int refuse_unknown(struct rfs_parse *parse, const char *word, size_t length)
{
	char *name = xstrndup(word + 2, length);
	const char *near = near_option(parse, name);

	if (near)
		rfs_parse_refuse(parse, "unknown option '%s'; did you mean --%s?", word, near);
	else
		rfs_parse_refuse(parse, "unknown option '%s'; 'rfsup --help' lists the options", word);
	free(name);
	return EINVAL;
}

/* If getopt rejects this word, writes a message and returns EINVAL. Otherwise returns 0. */
static int explain_word(struct rfs_parse *parse, const char *word)
{
	const char *name = word + 2, *equals = strchr(word, '=');
	size_t length;
	const struct argp_option *found = NULL;
	int matches = 0;

	if (word[0] != '-')
		return 0;
	if (word[1] != '-') {
		for (const struct argp_option *o = parse->tables->argp; o->name || o->doc; o++)
			if (o->name && word[1] == o->key)
				return word[2] ? 0
					       : rfs_parse_refuse(parse, "-%c needs a value: -%c %s", o->key, o->key,
								  o->arg);
		return rfs_parse_refuse(parse, "unknown option '%s'; 'rfsup --help' lists the options", word);
	}
	length = equals ? (size_t)(equals - name) : strlen(name);
	for (const struct argp_option *o = parse->tables->argp; o->name || o->doc; o++) {
		if (!o->name || strncmp(o->name, name, length) != 0)
			continue;
		found = o;
		matches++;
		if (strlen(o->name) == length) {
			matches = 1;
			break;
		}
	}
	/* --generate has its own command line (rfs_generate_is_meant()) */
	if (matches == 0 && length == strlen("generate") && strncmp(name, "generate", length) == 0)
		return rfs_parse_refuse(parse, "an option before --generate does not work with it; 'rfsup --generate "
					       "--help' lists those that do");
	if (matches == 0)
		return refuse_unknown(parse, word, length);
	if (matches > 1)
		return rfs_parse_refuse(parse, "option '%s' is ambiguous; write it in full", word);
	if (found->arg && !equals && !(found->flags & OPTION_ARG_OPTIONAL))
		return rfs_parse_refuse(parse, "--%s needs a value: --%s %s", found->name, found->name, found->arg);
	if (!found->arg && equals)
		return rfs_parse_refuse(parse, "--%s takes no value", found->name);
	return 0;
}

/*
 * Finds the word that getopt has rejected, and explains why. Usually that is the word before parse->at. If a word with
 * several short options ("-xj") was rejected, it is the word at parse->at.
 */
static int options_explain(struct rfs_parse *parse, int argc, char **argv)
{
	int at = parse->at;

	if (at > 0 && explain_word(parse, argv[at - 1]))
		return EINVAL;
	if (at < argc && explain_word(parse, argv[at]))
		return EINVAL;
	return rfs_parse_refuse(parse, "cannot parse the command line; see 'rfsup --help'");
}

static bool give_depth(struct rfs_options *out, const char *policy, unsigned depth)
{
	bool sampled = rfs_samplers_add_option(&out->samplers, policy, "depth", depth);

	return rfs_samplers_add_option(&out->explorers, policy, "depth", depth) || sampled;
}

/* The policy dpor executes all schedules, or as many as it has runs in phase explore. */
static int check_dpor(struct rfs_parse *parse)
{
	struct rfs_options *out = parse->out;
	const struct rfs_policy_ops *dpor = rfs_policy_find("dpor");
	const bool unable = out->run.tso || out->run.faults || out->run.events;
	bool any = false;
	size_t explores = 0;

	if (unable && !given(parse, "explore-with"))
		rfs_samplers_remove(&out->explorers, dpor->name);
	for (size_t i = 0; i < out->explorers.n; i++)
		explores += rfs_policy_find(out->explorers.list[i].name) == dpor;
	if (explores > 1)
		return rfs_parse_refuse(parse, "--explore-with: policy dpor is named twice; name it once");
	if (explores && unable)
		return rfs_parse_refuse(parse, "policy dpor works without %s; remove it from --explore-with",
					out->run.tso	  ? "--memory-model tso"
					: out->run.events ? "--events"
							  : "--faults");
	for (size_t i = 0; i < out->samplers.n; i++)
		any |= rfs_policy_find(out->samplers.list[i].name) == dpor;
	if (any && out->samplers.n > 1)
		return rfs_parse_refuse(parse, "policy dpor does not sample; name no other policy, or use --prove");
	if (any && out->detector)
		return rfs_parse_refuse(parse, "policy dpor uses no detector; remove --detector");
	out->prove |= any && out->mode == RFS_MODE_SAMPLE;
	if (out->prove && out->run.tso)
		return rfs_parse_refuse(parse, "%s does not delay stores; use --memory-model sc, or another policy",
					any ? "policy dpor" : "--prove");
	if (out->prove && out->run.faults)
		return rfs_parse_refuse(parse, "%s makes no faults; remove --faults, or use another policy",
					any ? "policy dpor" : "--prove");
	if (out->prove && out->run.events)
		return rfs_parse_refuse(
			parse, "%s does not change the order of events; remove --events, or use another policy",
			any ? "policy dpor" : "--prove");
	return 0;
}

/* Some policies test what a campaign has predicted, so they cannot be in a list of samplers. */
static int check_predicted(struct rfs_parse *parse, const char *option, const struct rfs_samplers *samplers)
{
	for (size_t i = 0; i < samplers->n; i++) {
		const struct rfs_policy_ops *policy = rfs_policy_find(samplers->list[i].name);
		const unsigned flags = policy ? policy->flags : 0;

		if (flags & (RFS_POLICY_NEEDS_CYCLE | RFS_POLICY_NEEDS_VIOLATION))
			return rfs_parse_refuse(parse,
						"policy '%s' needs a predicted %s, which only a campaign has; "
						"remove it from --%s",
						policy->name, flags & RFS_POLICY_NEEDS_CYCLE ? "deadlock" : "violation",
						option);
	}
	return 0;
}

static int check_samplers(struct rfs_parse *parse)
{
	struct rfs_options *out = parse->out;

	for (size_t i = 0; i < out->samplers.n; i++) {
		const struct rfs_policy_ops *policy = rfs_policy_find(out->samplers.list[i].name);

		if (policy && (policy->flags & RFS_POLICY_NEEDS_PAIR) && !out->pairs)
			return rfs_parse_refuse(parse, "policy '%s' needs a pair; add --pairs FILE", policy->name);
		if (policy && out->pairs && !(policy->flags & RFS_POLICY_NEEDS_PAIR))
			return rfs_parse_refuse(parse, "policy '%s' does not use pairs; remove --policy or --%s",
						policy->name, rfs_option_of_pairs(out));
		if ((out->pairs || out->verify) && rfs_sampler_is_native(&out->samplers.list[i]))
			return rfs_parse_refuse(parse, "policy %s does not control runs; remove --policy or --%s",
						RFS_NATIVE, out->pairs ? rfs_option_of_pairs(out) : "verify");
	}
	if ((out->pairs || out->verify) && out->samplers.n > 1)
		return rfs_parse_refuse(parse, "--%s accepts only one policy, not %zu",
					out->pairs ? rfs_option_of_pairs(out) : "verify", out->samplers.n);
	if (out->depth && !give_depth(out, "drfinder", out->depth))
		return rfs_parse_refuse(parse,
					"--depth needs policy drfinder; select it with --policy or --explore-with");
	if (out->bug_depth && !give_depth(out, "pct", out->bug_depth))
		return rfs_parse_refuse(parse,
					"--bug-depth needs policy pct; select it with --policy or --explore-with");
	return 0;
}

/* True if the option has no effect in the mode. */
static bool is_idle(const struct entry *entry, enum rfs_mode mode)
{
	if (entry->cli)
		return entry->cli->idle >> mode & 1;
	return (mode == RFS_MODE_REPLAY || mode == RFS_MODE_SIMPLIFY) && !entry->run->replays;
}

/* --stops-per-run is about runs with a pair, in which only the statements of the pair stop. */
static int check_stops(struct rfs_parse *parse)
{
	const struct rfs_options *out = parse->out;

	if (!given(parse, "stops-per-run"))
		return 0;
	if (out->mode == RFS_MODE_VERIFY || (out->mode == RFS_MODE_SAMPLE && !rfs_samples_confirm(out)))
		return rfs_parse_refuse(parse,
					"--stops-per-run has no effect %s, because these runs have no pair; "
					"remove it",
					out->mode == RFS_MODE_SAMPLE
						? "with --policy unless --detector predicts pairs that are "
						  "confirmed"
						: "with --verify");
	if (given(parse, "points") && out->run.points != RFS_POINTS_SYNC)
		return rfs_parse_refuse(parse, "--stops-per-run has no effect unless --points is sync; remove it");
	return 0;
}

/*
 * Refuses options that have no effect in this mode, because the user expects an effect. For example, `--replay FILE
 * --runs 5` would make one run, not five.
 */
static int check_effect(struct rfs_parse *parse)
{
	static const char *const reasons[] = {
		[RFS_MODE_CAMPAIGN] = "without --policy", [RFS_MODE_PAIRS] = "with --pairs",
		[RFS_MODE_SAMPLE] = "with --policy",	  [RFS_MODE_REPLAY] = "with --replay",
		[RFS_MODE_SIMPLIFY] = "with --simplify",  [RFS_MODE_VERIFY] = "with --verify",
	};
	enum rfs_mode mode = parse->out->mode;

	if (parse->out->run.clock_real && parse->out->run.date)
		return rfs_parse_refuse(parse, "--date has no effect with --clock=real; remove one of them");
	if (mode == RFS_MODE_SAMPLE && parse->out->run.points != RFS_POINTS_RACES && given(parse, "predict-runs"))
		return rfs_parse_refuse(
			parse, "--predict-runs has no effect with --policy unless --points is races; remove it");
	for (size_t i = 0; i < parse->tables->n; i++)
		if (parse->given[i] && is_idle(&parse->tables->entries[i], mode))
			return rfs_parse_refuse(parse, "--%s has no effect %s; remove it",
						parse->tables->entries[i].option->name,
						parse->out->triage ? "with --triage" : reasons[mode]);
	return check_stops(parse);
}

/* Checks the options of --replay or --simplify. */
static int check_recorded(struct rfs_parse *parse)
{
	struct rfs_options *out = parse->out;
	const char *name = out->replay ? "replay" : "simplify";

	out->mode = out->replay ? RFS_MODE_REPLAY : RFS_MODE_SIMPLIFY;
	if (out->replay && out->simplify)
		return rfs_parse_refuse(parse, "--replay and --simplify cannot be combined; remove one of them");
	if (out->simplify && (out->gdb || out->stop_at != RFS_GDB_NO_STEP))
		return rfs_parse_refuse(parse, "--gdb does not work with --simplify; use it with --replay on the "
					       "record that --simplify writes");
	if (out->stop_at != RFS_GDB_NO_STEP && !out->gdb)
		return rfs_parse_refuse(parse, "--stop-at has no effect without --gdb; add --gdb or remove --stop-at");
	if (out->gdb_waits && out->argv && out->argv[0])
		return rfs_parse_refuse(parse, "--%s starts no gdb; remove '%s'",
					out->gdb_port ? "gdb-port" : "gdb=none", out->argv[0]);
	if (out->argv && out->argv[0] && !out->gdb)
		return rfs_parse_refuse(parse, "--%s takes the program from the record; remove '%s'", name,
					out->argv[0]);
	if (out->pairs || out->triage || out->samplers.n)
		return rfs_parse_refuse(parse, "--%s takes the policy and the pair from the record; remove --%s", name,
					out->pairs    ? "pairs"
					: out->triage ? "triage"
						      : "policy");
	return check_effect(parse);
}

/* Refuses options that are not in the list. */
static int refuse_others(struct rfs_parse *parse, const char *const *ours, size_t n, const char *name,
			 const char *advice)
{
	for (size_t i = 0; i < parse->tables->n; i++) {
		const char *option = parse->tables->entries[i].option->name;
		bool allowed = false;

		for (size_t k = 0; k < n; k++)
			allowed |= strcmp(option, ours[k]) == 0;
		if (parse->given[i] && !allowed)
			return rfs_parse_refuse(parse, "--%s has no effect with --%s; %s", option, name, advice);
	}
	return 0;
}

/* Checks the options of --shard and --merge. All others come from the plan. */
static int check_parts(struct rfs_parse *parse)
{
	static const char *const ours[] = {"plan",	     "shard", "merge",	 "output", "jobs",     "format",
					   "color",	     "sarif", "junit",	 "stats",  "baseline", "launcher",
					   "error-exitcode", "quiet", "verbose", "trust"};
	struct rfs_options *out = parse->out;
	const char *name = out->merge ? "merge" : "shard";

	if (refuse_others(parse, ours, sizeof(ours) / sizeof(*ours), name, "the plan has it; remove it"))
		return EINVAL;
	if (out->merge && (out->parts || out->plan))
		return rfs_parse_refuse(parse, "--merge needs only the directories of the shards; remove --%s",
					out->parts ? "shard" : "plan");
	if (out->merge && !out->merged[0])
		return rfs_parse_refuse(parse, "--merge needs the directories of the shards: --merge DIR...");
	if (!out->merge && !out->plan)
		return rfs_parse_refuse(parse, "--shard needs a plan; add --plan DIR");
	if (!out->merge && !out->output)
		return rfs_parse_refuse(parse, "--shard needs a directory for its results; add -o DIR");
	if (!out->merge && out->argv[0])
		return rfs_parse_refuse(parse, "--shard takes the program from the plan; remove '%s'", out->argv[0]);
	return 0;
}

/* Words after --pack are further files. */
static int check_pack(struct rfs_parse *parse)
{
	static const char *const ours[] = {"pack", "output", "quiet", "verbose", "color"};

	return refuse_others(parse, ours, sizeof(ours) / sizeof(*ours), "pack", "remove it");
}

/* A plan is fixed work. */
static int check_plan(struct rfs_parse *parse)
{
	static const char *const refused[] = {"budget", "until-failure", "prove", "gtest", "triage", "output"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (given(parse, refused[i]))
			return rfs_parse_refuse(parse, "--%s does not work with --plan; remove it", refused[i]);
	return 0;
}

/* The options of --suite are those of each campaign, except for these. */
static int check_suite(struct rfs_parse *parse)
{
	static const char *const refused[] = {"gtest", "plan",	    "triage", "pairs", "verify",
					      "stdin", "fresh-dir", "plot",   "follow"};

	if (parse->out->cache && !parse->out->suite)
		return rfs_parse_refuse(parse, "--cache has no effect without --suite; remove it");
	for (size_t i = 0; parse->out->suite && i < sizeof(refused) / sizeof(*refused); i++)
		if (given(parse, refused[i]))
			return rfs_parse_refuse(parse, "--%s does not work with --suite; remove it", refused[i]);
	if (parse->out->suite && parse->out->argv[0])
		return rfs_parse_refuse(parse, "--suite takes the programs from the build; remove '%s'",
					parse->out->argv[0]);
	return 0;
}

/* Checks combinations of options, after all words are parsed. */
static int check_together(struct rfs_parse *parse)
{
	struct rfs_options *out = parse->out;
	bool program = out->argv && out->argv[0];
	unsigned most = out->runs > out->explore ? out->runs : out->explore;

	if (out->resume) {
		static const char *const ours[] = {"continue", "quiet", "verbose", "color"};

		if (refuse_others(parse, ours, sizeof(ours) / sizeof(*ours), "continue", "remove it"))
			return EINVAL;
		if (program)
			return rfs_parse_refuse(parse, "--continue takes the program from the campaign; remove '%s'",
						out->argv[0]);
		return 0;
	}
	if (out->parts || out->merge)
		return check_parts(parse);
	if (out->pack)
		return check_pack(parse);
	if (most < out->predict_runs)
		most = out->predict_runs;
	if (out->seed + most > RFS_SEED_END)
		return rfs_parse_refuse(parse,
					"--seed: %llu plus the number of runs exceeds 2^53; choose a smaller seed",
					(unsigned long long)out->seed);
	if (out->replay || out->simplify)
		return check_recorded(parse);
	if (out->gdb || out->html || out->trace || out->trust || out->stop_at != RFS_GDB_NO_STEP)
		return rfs_parse_refuse(parse, "--%s needs a recorded run; add --replay FILE",
					out->gdb_port ? "gdb-port"
					: out->gdb    ? "gdb"
					: out->html   ? "html"
					: out->trace  ? "trace"
					: out->trust  ? "trust"
						      : "stop-at");
	if (check_suite(parse))
		return EINVAL;
	if (out->triage && out->pairs)
		return rfs_parse_refuse(parse, "--triage and --pairs cannot be combined; remove one of them");
	if (out->triage)
		out->pairs = out->triage;
	if (out->verify && out->pairs)
		return rfs_parse_refuse(parse, "--verify does not use pairs; remove --%s", rfs_option_of_pairs(out));
	if (out->verify && out->points_given && out->run.points == RFS_POINTS_RACES)
		return rfs_parse_refuse(parse, "--verify does not predict pairs; choose --points sync or memory");
	out->mode = out->verify	      ? RFS_MODE_VERIFY
		    : out->pairs      ? RFS_MODE_PAIRS
		    : out->samplers.n ? RFS_MODE_SAMPLE
				      : RFS_MODE_CAMPAIGN;
	if (check_predicted(parse, "policy", &out->samplers) ||
	    check_predicted(parse, "explore-with", &out->explorers) || check_samplers(parse) || check_dpor(parse) ||
	    (out->plan && check_plan(parse)))
		return EINVAL;
	if (!program && !out->pairs && !out->suite)
		return rfs_parse_refuse(
			parse, "no program given; usage: rfsup [OPTION...] [--] PROGRAM [ARG...], see 'rfsup --help'");
	return check_effect(parse);
}

int rfs_options_parse(int argc, char **argv, struct rfs_options *out, char *why, size_t n)
{
	struct rfs_option_tables tables;
	const struct argp argp = argp_of(&tables);
	struct rfs_parse parse = {.out = out, .why = why, .n = n, .tables = &tables};
	int error;

	join_tables(&tables);
	*out = (struct rfs_options){
		.stop_at = RFS_GDB_NO_STEP,
		.log = RFS_LOG_NORMAL,
		.run.processor = rfs_processor_features(),
		.run.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2,
		.run.modules = xcalloc(1, sizeof(*out->run.modules)),
		.run.no_locks = xcalloc(1, sizeof(*out->run.no_locks)),
		.env = xcalloc(1, sizeof(*out->env)),
		.only = xcalloc(1, sizeof(*out->only)),
		.skip = xcalloc(1, sizeof(*out->skip)),
		.suppressions = xcalloc(1, sizeof(*out->suppressions)),
		.merged = xcalloc(1, sizeof(*out->merged)),
		.argv = argv + argc,
	};
	for (size_t i = 0; i < tables.n; i++)
		rfs_option_preset(tables.entries[i].option, options_value_of(&tables.entries[i], out));
	if (rfs_samplers_parse("explore-with", RFS_DEFAULT_EXPLORERS, &out->explorers, why, n))
		RFS_BUG("the default explorers: %s", why);
	error = argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &parse);
	if (error == ENOMEM)
		die("out of memory while reading the command line");
	if (error && !parse.failed)
		error = options_explain(&parse, argc, argv);
	out->explore_given = given(&parse, "explore");
	out->timeout_given = given(&parse, "timeout");
	out->points_given = given(&parse, "points");
	out->stops_given = given(&parse, "stops-per-run");
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
	free((char **)options->run.modules);
	options->run.modules = NULL;
	free((char **)options->run.no_locks);
	options->run.no_locks = NULL;
	free(options->env);
	options->env = NULL;
	free(options->only);
	options->only = NULL;
	free(options->skip);
	options->skip = NULL;
	free(options->suppressions);
	options->suppressions = NULL;
	free(options->merged);
	options->merged = NULL;
	rfs_samplers_release(&options->samplers);
	rfs_samplers_release(&options->explorers);
}

static void print_completion(const struct rfs_options *options, const struct rfs_option_tables *tables, FILE *out)
{
	struct rfs_completed_option list[MAX_OPTIONS];

	for (size_t i = 0; i < tables->n; i++)
		list[i] = (struct rfs_completed_option){
			.option = tables->entries[i].option,
			.letter = options_key_of(tables, i) < 256 ? (char)options_key_of(tables, i) : 0,
		};
	rfs_completion_write((enum rfs_shell)options->shell, list, tables->n, out);
}

void rfs_options_print(const struct rfs_options *options, FILE *out)
{
	static char name[] = "rfsup"; /* argp_help() takes a char * */
	struct rfs_option_tables tables;
	const struct argp argp = argp_of(&tables);

	join_tables(&tables);
	switch (options->action) {
	case RFS_ACTION_HELP:
		argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
		break;
	case RFS_ACTION_USAGE:
		argp_help(&argp, out, ARGP_HELP_USAGE, name);
		break;
	case RFS_ACTION_VERSION:
		fprintf(out, "rfsup %s\n", rfs_version);
		break;
	case RFS_ACTION_LIST_POLICIES:
		for (const struct rfs_policy_ops *const *p = rfs_policy_list(); *p; p++)
			fprintf(out, "%-12s %s\n", (*p)->name, (*p)->summary);
		fprintf(out, "%-12s %s\n", RFS_NATIVE,
			"no control: the kernel schedules the threads, for comparison with the other policies");
		break;
	case RFS_ACTION_COMPLETE:
		print_completion(options, &tables, out);
		break;
	case RFS_ACTION_DOCTOR:
	case RFS_ACTION_RUN:
		break;
	}
}
