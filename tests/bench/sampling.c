/*
 * sampling.c - how well the samplers sample, in the form of the tables of their papers. All figures are counts of
 * executions with fixed seeds, so the load of the machine makes no difference.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

/* Parallel runs. They do not change the counts. */
#define JOBS bench_setting("BENCH_JOBS", "2")

/* A program with its arguments. */
struct subject {
	const char *name, *file, *words[2];
	bool target;	  /* built from targets/; otherwise from tests/bench/programs/ */
	const char *runs; /* executions */
	int experiments;  /* fewer than usual, because each takes long; 0: the usual number */
	/* runs of phase 1, if few runs show the statements at which threads switch; NULL: the usual number */
	const char *predict_runs;
};

static size_t command_of(const struct bench *bench, const struct subject *subject, const char **words, char **program)
{
	size_t n = 0;

	*program = subject->target ? bench_target(bench, subject->file) : bench_program(bench, subject->file);
	words[n++] = "--";
	words[n++] = *program;
	for (size_t i = 0; i < 2 && subject->words[i]; i++)
		words[n++] = subject->words[i];
	words[n] = NULL;
	return n;
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : 0;
}

/* ---- measurement 1: distinct partial orders ---- */

#define N_SAMPLERS 4
static const char *const samplers[N_SAMPLERS] = {"random", "rapos", "pct", "pos"};

/* The lowest ratio of the goal. If random finds more than runs / 1.4 orders, the ratio is impossible. */
#define ORDERS_TOP 1.4

static void orders_of(const struct bench *bench, const struct subject *subject)
{
	const char *runs = bench_setting("BENCH_RUNS", subject->runs);
	const char *words[16] = {"--policy=random,rapos,pct,pos", "--points=sync", "--jobs", JOBS, "--runs", runs};
	double distinct[N_SAMPLERS], entropy[N_SAMPLERS];
	char *program;
	json_t *report, *samplings;

	command_of(bench, subject, words + 6, &program);
	report = bench_rfsup(bench, words);
	samplings = json_object_get(report, "samplings");
	printf("%-24s %6s ", subject->name, runs);
	for (size_t i = 0; i < N_SAMPLERS; i++) {
		distinct[i] = number(json_array_get(samplings, i), "distinct_orders");
		entropy[i] = number(json_array_get(samplings, i), "entropy");
		printf(" %7.0f %6.2f", distinct[i], entropy[i]);
	}
	printf("  %6.2f %s\n", distinct[1] / distinct[0],
	       distinct[0] * ORDERS_TOP >= atof(runs) ? "(random hardly repeats an order: no ratio can show)" : "");
	fflush(stdout);
	json_decref(report);
	free(program);
}

void bench_orders(const struct bench *bench)
{
	static const struct subject subjects[] = {
		{"bounded buffer", "queues", {"buffer"}, false, "300", 0, NULL},
		{"philosophers", "queues", {"philosophers"}, false, "2000", 0, NULL},
		{"pipeline", "queues", {"pipeline"}, false, "300", 0, NULL},
		/* all four collections have the same locks, and so the same orders */
		{"synchronised collections", "collections", {"queue"}, false, "300", 0, NULL},
		{"moldyn", "kernels", {"moldyn"}, false, "300", 0, NULL},
		{"montecarlo", "kernels", {"montecarlo"}, false, "300", 0, NULL},
		{"raytracer", "kernels", {"raytracer"}, false, "300", 0, NULL},
	};

	printf("\norders: distinct partial orders (RAPOS, ASE 2007, table 1), at --points sync; H: entropy in bits\n"
	       "goal: rapos/random at least the paper's 1.4 to 18.8\n\n%-24s %6s ",
	       "program", "runs");
	for (size_t i = 0; i < N_SAMPLERS; i++)
		printf(" %7s %6s", samplers[i], "H");
	printf("  %6s\n", "ratio");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (bench_has_row(subjects[i].name))
			orders_of(bench, &subjects[i]);
}

/* ---- measurements 2 and 4: executions to the first failure ---- */

/* Uncontrolled runs of one experiment. In few experiments one of these runs fails. */
#define NATIVE_RUNS 100
#define STRING(number) STRING_OF(number)
#define STRING_OF(number) #number

#define EXPERIMENTS_MAX 64

struct until {
	double sum;
	int found, experiments;
	double first[EXPERIMENTS_MAX]; /* number of the execution that failed, from 1; 0: none */
};

/* Also prints each experiment to standard error, so that an interrupted table is not lost. */
static void add_experiment(struct until *until, double first, double planned)
{
	until->first[until->experiments++] = first;
	until->found += first > 0;
	until->sum += first > 0 ? first : planned;
	fprintf(stderr, first > 0 ? " %g" : " >%g", first > 0 ? first : planned);
}

/* Prints the mean. ">" means that some experiments had no failure; they count with all their runs. */
static void print_until(const struct until *until)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%.1f", until->found < until->experiments ? ">" : "",
		 until->sum / until->experiments);
	printf(" %9s", text);
	fflush(stdout);
}

/* Samples with all policies of a list. They share one phase 1, so threads are switched at the same statements. */
static void sample_until(const struct bench *bench, const struct subject *subject, const char *policies,
			 const char *points, const char *runs, int i, struct until *until)
{
	const char *words[24] = {"--until-failure", "--policy", policies, "--points", points,
				 "--jobs",	    JOBS,	"--runs", runs,	      "--seed"};
	const json_t *sampling;
	char seed[24], *program;
	json_t *report;
	size_t n = 10, k;

	snprintf(seed, sizeof(seed), "%d", 1 + i * 1000000);
	words[n++] = seed;
	if (subject->predict_runs && strcmp(points, "races") == 0) {
		words[n++] = "--predict-runs";
		words[n++] = subject->predict_runs;
	}
	command_of(bench, subject, words + n, &program);
	report = bench_rfsup(bench, words);
	fprintf(stderr, "%s, experiment %d:", subject->name, i + 1);
	if ((sampling = json_object_get(report, "sampling")))
		add_experiment(until, number(sampling, "first_failure"), number(sampling, "runs"));
	json_array_foreach(json_object_get(report, "samplings"), k, sampling)
		add_experiment(&until[k], number(sampling, "first_failure"), number(sampling, "runs"));
	fputc('\n', stderr);
	json_decref(report);
	free(program);
}

/* The first failure among all controlled executions of a campaign, or 0. *runs: how many executions there were. */
static double first_of_campaign(const struct bench *bench, const struct subject *subject, const char *seed,
				const char *explore, double *runs)
{
	const char *words[20] = {"--runs=20", "--explore", explore, "--jobs", JOBS, "--seed", seed};
	double first;
	char *program;
	json_t *report;

	command_of(bench, subject, words + 7, &program);
	report = bench_rfsup(bench, words);
	first = number(json_object_get(report, "stats"), "runs_to_first_failure");
	*runs = bench_stat(report, "runs");
	json_decref(report);
	free(program);
	return first;
}

/*
 * Counts all controlled executions until one fails, phase 1 and replays included. Phase 3 counts only if phases 1 and 2
 * found nothing, because only then it must run to its end.
 */
static void campaign_until(const struct bench *bench, const struct subject *subject, const char *most, int i,
			   struct until *until)
{
	double first, runs;
	char seed[24];

	snprintf(seed, sizeof(seed), "%d", 1 + i * 1000000);
	first = first_of_campaign(bench, subject, seed, "1", &runs);
	if (first <= 0)
		first = first_of_campaign(bench, subject, seed, most, &runs);
	fprintf(stderr, "%s, campaign %d:", subject->name, i + 1);
	add_experiment(until, first, runs);
	fputc('\n', stderr);
}

#define SAMPLED "random,rapos,pct,pos,surw,sweep,delay,atom"
#define N_SAMPLED 8
/* two more: native and the campaign */
#define N_COLUMNS (N_SAMPLED + 2)

/* Ways in which phase 3 of a campaign could share its executions among policies. */
static const struct portfolio {
	const char *list;
	int turn; /* executions in each turn */
} portfolios[] = {
	{"random,surw,rapos,pos", 25},	  {"random,surw,rapos,pos", 5}, {"surw,rapos,random,pos", 25},
	{"surw,rapos,random,pos", 5},	  {"surw,rapos,random", 5},	{"surw,rapos", 5},
	{"surw,rapos,random,pos,pct", 5},
};
#define N_PORTFOLIOS (sizeof(portfolios) / sizeof(*portfolios))

/* The column of the first policy in a list. */
static size_t column_of(const char *list)
{
	size_t k = 0, n = strcspn(list, ",");

	for (const char *at = SAMPLED; *at; at += strcspn(at, ","), at += *at == ',', k++)
		if (strcspn(at, ",") == n && strncmp(list, at, n) == 0)
			return k;
	bench_die("no column is named %s", list);
}

/*
 * Assumes that the policies of the list take turns in a phase of `most` executions, each with its executions of
 * experiment i. Returns the number of the first execution that fails, or 0.
 */
static double first_of_portfolio(const struct portfolio *portfolio, const struct until *columns, int i, double most)
{
	double first = 0;
	int n = 1, place = 0;

	for (const char *at = portfolio->list; *at; at++)
		n += *at == ',';
	for (const char *at = portfolio->list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL, place++) {
		int own = (int)columns[column_of(at)].first[i], turns = (own - 1) / portfolio->turn;
		/*
		 * executions of other policies: n - 1 turns for each full turn of this one, and `place` turns in the
		 * last round
		 */
		double all = own + (turns * (n - 1) + place) * portfolio->turn;

		if (own > 0 && all <= most && (first == 0 || all < first))
			first = all;
	}
	return first;
}

/* Adds the results of one row for each portfolio to sums. */
static void add_portfolios(const struct until *columns, int experiments, double most, double sums[N_PORTFOLIOS])
{
	for (size_t k = 0; k < N_PORTFOLIOS; k++) {
		for (int i = 0; i < experiments; i++) {
			double first = first_of_portfolio(&portfolios[k], columns, i, most);

			sums[k] += (first > 0 ? first : most) / experiments;
		}
	}
}

static void until_row(const struct bench *bench, const struct subject *subject, int experiments,
		      double sums[N_PORTFOLIOS])
{
	struct until until[N_COLUMNS] = {0};
	const char *runs = bench_setting("BENCH_RUNS", subject->runs), *native_runs = runs;

	if (subject->experiments && subject->experiments < experiments)
		experiments = subject->experiments;
	if (experiments > EXPERIMENTS_MAX)
		experiments = EXPERIMENTS_MAX;
	if (atoi(runs) > NATIVE_RUNS)
		native_runs = STRING(NATIVE_RUNS);
	printf("%-26s %5d %5s", subject->name, experiments, runs);
	fflush(stdout);
	for (int i = 0; i < experiments; i++)
		sample_until(bench, subject, SAMPLED, "races", runs, i, until);
	for (int k = 0; k < N_SAMPLED; k++)
		print_until(&until[k]);
	for (int i = 0; i < experiments; i++)
		sample_until(bench, subject, "native", "sync", native_runs, i, &until[N_SAMPLED]);
	print_until(&until[N_SAMPLED]);
	for (int i = 0; i < experiments; i++)
		campaign_until(bench, subject, runs, i, &until[N_SAMPLED + 1]);
	print_until(&until[N_SAMPLED + 1]);
	add_portfolios(until, experiments, atof(runs), sums);
	printf("\n");
	fflush(stdout);
}

static void until_table(const struct bench *bench, const struct subject *subjects, size_t n, int experiments)
{
	double sums[N_PORTFOLIOS] = {0};
	int rows = 0;

	printf("%-26s %5s %5s", "program", "exps", "most");
	for (const char *policies = SAMPLED ",native,campaign"; *policies;) {
		size_t length = strcspn(policies, ",");

		printf(" %9.*s", (int)length, policies);
		policies += length + (policies[length] == ',');
	}
	printf("\n");
	for (size_t i = 0; i < n; i++) {
		if (!bench_has_row(subjects[i].name))
			continue;
		until_row(bench, &subjects[i], experiments, sums);
		rows++;
	}
	printf("\nexecutions of a third phase until the first failure, mean of these rows, if policies took turns in "
	       "it:\n");
	for (size_t k = 0; rows && k < N_PORTFOLIOS; k++)
		printf("%-26s %2d at a time %9.1f\n", portfolios[k].list, portfolios[k].turn, sums[k] / rows);
}

void bench_collections(const struct bench *bench)
{
	static const struct subject subjects[] = {
		{"synchronised queue", "collections", {"queue"}, false, "2000", 0, NULL},
		{"synchronised array", "collections", {"array"}, false, "2000", 0, NULL},
		{"synchronised hash", "collections", {"hash"}, false, "2000", 0, NULL},
		{"synchronised tree", "collections", {"tree"}, false, "2000", 0, NULL},
		{"queue, as in the listing", "collections", {"queue", "listing"}, false, "2000", 0, "30"},
		{"array, as in the listing", "collections", {"array", "listing"}, false, "2000", 10, "30"},
		{"hash, as in the listing", "collections", {"hash", "listing"}, false, "2000", 0, "30"},
		{"tree, as in the listing", "collections", {"tree", "listing"}, false, "2000", 10, "30"},
	};
	int experiments = atoi(bench_setting("BENCH_EXPERIMENTS", "25"));

	printf("\ncollections: executions until the failure of the synchronised collections (RAPOS, ASE 2007, figure "
	       "7:\n"
	       "129 for RAPOS, 615 for simple random), seven threads, at --points races; mean of %d experiments\n\n",
	       experiments);
	until_table(bench, subjects, sizeof(subjects) / sizeof(*subjects), experiments);
}

void bench_needles(const struct bench *bench)
{
	static const struct subject subjects[] = {
		{"3 setters", "needles", {"setters", "3"}, false, "300", 0, NULL},
		{"10 setters", "needles", {"setters", "10"}, false, "300", 0, NULL},
		{"100 setters", "needles", {"setters", "100"}, false, "300", 5, NULL},
		{"two-stage, 2 threads", "needles", {"two_stage", "2"}, false, "300", 0, NULL},
		{"two-stage, 100 threads", "needles", {"two_stage", "100"}, false, "300", 5, NULL},
		{"work-stealing queue", "work_stealing", {NULL}, false, "300", 0, NULL},
		{"lost signal", "needles", {"lost_signal", "2"}, false, "300", 0, NULL},
		{"stale value", "needles", {"stale", "2"}, false, "300", 0, NULL},
		{"split atomic section", "atomicity_split", {NULL}, true, "300", 0, NULL},
		{"order by sleep only", "sleepers", {NULL}, true, "300", 0, NULL},
	};
	int experiments = atoi(bench_setting("BENCH_EXPERIMENTS", "10"));

	printf("\nneedles: executions until the first failure, at --points races; mean of %d experiments; >: some of "
	       "them\n"
	       "found none and count with all their runs; campaign: all controlled runs of all phases count\n\n",
	       experiments);
	until_table(bench, subjects, sizeof(subjects) / sizeof(*subjects), experiments);
}
