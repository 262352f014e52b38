/*
 * memory_points_test.c - threads may be switched at every access. A real program in the shape of figure 1 of the RAPOS
 * paper (ASE 2007) must fail as often as the model machine predicts. The model gets the operations that the real
 * program executed.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/record/trace_file.h"
#include "tests/e2e/harness.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(memory_points, .timeout = 3600);

#define THREADS 3 /* main, reader and writer, in the order of creation */
#define OPS_MAX 64
#define MODEL_RUNS 20000
enum { MAIN, READER, WRITER };
enum { X = 0, FIRST_OTHER = 64 }; /* addresses in the model's memory */

/* The operations of each thread, from the trace that has the most of them. */
struct seen {
	struct rfs_trace_entry ops[THREADS][OPS_MAX];
	size_t n[THREADS];
};

static bool same_place(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	return a->name == b->name && a->index == b->index && a->offset == b->offset;
}

/*
 * For each thread, keeps the operations of this trace if it has more of them than earlier traces. Traces differ in
 * length because a run ends when the reader fails.
 */
static void read_trace(const char *path, struct seen *seen)
{
	struct rfs_trace_entry *entries;
	struct seen now = {0};
	char why[512];
	size_t n;

	cr_assert_eq(rfs_trace_read(path, &entries, &n, why, sizeof(why)), 0, "%s", why);
	for (size_t i = 0; i < n; i++) {
		unsigned t = entries[i].thread;

		cr_assert(t < THREADS && now.n[t] < OPS_MAX);
		now.ops[t][now.n[t]++] = entries[i];
	}
	free(entries);
	for (unsigned t = 0; t < THREADS; t++) {
		for (size_t i = 0; i < now.n[t] && i < seen->n[t]; i++)
			cr_assert(now.ops[t][i].kind == seen->ops[t][i].kind &&
					  same_place(&now.ops[t][i], &seen->ops[t][i]),
				  "thread %u does other operations in another schedule", t);
		if (now.n[t] > seen->n[t]) {
			memcpy(seen->ops[t], now.ops[t], sizeof(now.ops[t]));
			seen->n[t] = now.n[t];
		}
	}
}

struct model {
	struct model_op ops[THREADS][OPS_MAX];
	struct model_body bodies[THREADS];
	struct model_program program;
	struct rfs_trace_entry places[OPS_MAX]; /* places[i] has the address FIRST_OTHER + 8 i */
	size_t n_places, steps;
};

static uint64_t place_of(struct model *model, const struct rfs_trace_entry *x, const struct rfs_trace_entry *entry)
{
	size_t i = 0;

	if (same_place(entry, x))
		return X;
	while (i < model->n_places && !same_place(&model->places[i], entry))
		i++;
	cr_assert(i < OPS_MAX);
	if (i == model->n_places)
		model->places[model->n_places++] = *entry;
	return FIRST_OTHER + 8 * i;
}

static void add(struct model *model, unsigned t, struct model_op op)
{
	cr_assert(model->bodies[t].n < OPS_MAX);
	model->ops[t][model->bodies[t].n++] = op;
}

/* Makes the model's program. It has no starts and ends of threads, because the model adds these. */
static void build(const struct seen *seen, struct model *model)
{
	const struct rfs_trace_entry *x = &seen->ops[READER][1];
	int created = 0;

	*model = (struct model){.program = {model->bodies, THREADS, 1}};
	cr_assert(seen->n[READER] > 1 && seen->n[WRITER] > 4 && seen->n[MAIN] > 1);
	cr_assert(seen->ops[READER][0].kind == RFS_OP_START && x->kind == RFS_OP_ACCESS && x->size == 4);
	for (unsigned t = 0; t < THREADS; t++) {
		model->bodies[t].ops = model->ops[t];
		for (size_t i = 0; i < seen->n[t]; i++) {
			const struct rfs_trace_entry *entry = &seen->ops[t][i];

			if (t == READER && i > 1)
				break; /* the rest only happens after the failure */
			if (entry->kind == RFS_OP_CREATE) {
				add(model, t, (struct model_op){M_CREATE, .reg = created, .value = created + 1});
				created++;
			} else if (entry->kind == RFS_OP_ACCESS) {
				add(model, t,
				    (struct model_op){entry->access & RFS_ACCESS_WRITE ? M_WRITE : M_READ, .reg = 5,
						      .object = place_of(model, x, entry),
						      .value = (int64_t)entry->value, .size = entry->size});
			} else {
				cr_assert(entry->kind == RFS_OP_START || entry->kind == RFS_OP_EXIT,
					  "an operation of kind %u", entry->kind);
			}
		}
	}
	cr_assert_eq(created, 2);
	for (int i = 0; i < created; i++)
		add(model, MAIN, (struct model_op){M_JOIN, .reg = i});
	add(model, READER, (struct model_op){M_UNLESS, .reg = 5, .value = 1, .target = 3});
	add(model, READER, (struct model_op){M_ERROR, .value = 1});
	for (unsigned t = 0; t < THREADS; t++)
		model->steps += model->bodies[t].n + (t != MAIN ? 2 : 0); /* each created thread also starts and ends */
	model->steps -= 2;						  /* READER ends with two local ones */
}

static double model_failures(const struct model *model, const char *policy, const char *options)
{
	int failed = 0;

	for (int seed = 1; seed <= MODEL_RUNS; seed++) {
		const struct model_config config = {.policy = rfs_policy_find(policy),
						    .options = options,
						    .seed = (uint64_t)seed,
						    .all_accesses = true};
		struct model_result result;

		model_run(&model->program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR, "%s: %s", policy, result.complaint);
		failed += result.end == MODEL_ERROR;
		model_release(&result);
	}
	return (double)failed / MODEL_RUNS;
}

/* Samples the program and returns the share of failing runs. Adds the trace of the first failing run to *seen. */
static double real_failures(struct e2e *e2e, const char *policy, const char *runs, const char *target,
			    struct seen *seen)
{
	json_t *sampling;
	char *record, *end, trace[PATH_MAX];

	e2e_run(e2e, WORDS("--policy", policy, "--points=memory", "--runs", runs, "--seed=1", target));
	e2e_expect_status(e2e, 1);
	sampling = json_object_get(e2e->report, "sampling");
	cr_assert_geq(e2e_count(e2e, "failures"), 1);
	record = e2e_record(e2e, e2e_item(e2e, "failures", 0));
	cr_assert_not_null(record);
	end = strrchr(record, '.');
	cr_assert(end && strcmp(end, ".json") == 0);
	snprintf(trace, sizeof(trace), "%.*s.trace", (int)(end - record), record);
	read_trace(trace, seen);
	free(record);
	return json_number_value(json_object_get(sampling, "failures")) / atoi(runs);
}

/* The difference must be within three standard deviations, from the errors of both samples. */
static void expect_same(struct e2e *e2e, const char *policy, double real, double model, double runs)
{
	double sigma = sqrt(model * (1 - model) * (1 / runs + 1.0 / MODEL_RUNS));

	e2e_expect(e2e, fabs(real - model) <= 3 * sigma, "%s: %.4f of the runs fail, on the model %.4f +- %.4f", policy,
		   real, model, 3 * sigma);
	fprintf(stderr, "%s: %.4f of %.0f runs fail, on the model %.4f +- %.4f\n", policy, real, runs, model,
		3 * sigma);
}

Test(memory_points, figure_1_of_rapos_fails_as_often_as_on_the_model_machine)
{
	static const char *const policies[] = {"random", "rapos", "pos"};
	const char *runs = e2e_full() ? "2000" : "200";
	char *target = e2e_target("O2g", "rapos_figure1"), name[40];
	struct seen seen = {0};
	struct model model;
	struct e2e e2e;
	double real[3];

	e2e_begin(&e2e);
	for (size_t i = 0; i < 3; i++)
		real[i] = real_failures(&e2e, policies[i], runs, target, &seen);
	build(&seen, &model);
	for (size_t i = 0; i < 3; i++)
		expect_same(&e2e, policies[i], real[i], model_failures(&model, policies[i], NULL), atoi(runs));
	/* give pct the length of a run, because it would learn it from earlier runs */
	snprintf(name, sizeof(name), "pct:steps=%zu", model.steps);
	expect_same(&e2e, name, real_failures(&e2e, name, runs, target, &seen),
		    model_failures(&model, "pct", name + strlen("pct:")), atoi(runs));
	free(target);
	e2e_end(&e2e);
}

/* The twin executes the same operations, but the writer waits until x has been read. */
Test(memory_points, the_twin_never_fails)
{
	char *target = e2e_target("O2g", "rapos_figure1_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random,rapos,pct,pos", "--points=memory", "--runs=50", target));
	e2e_expect_status(&e2e, 0);
	free(target);
	e2e_end(&e2e);
}
