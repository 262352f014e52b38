/* confirm.c - fills the spec of a run of a pair, and counts what the run has shown. */
#include "supervisor/campaign/predicted/confirm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* The option of racefuzzer for the second half of a pair's runs, if rfs_decide_let_pass() asks for it. */
#define LET_PASS "skip=50"
/*
 * Its option if prediction knows where the accesses of the pair meet: for the first half of the runs, except for every
 * so many, and for the second half, if one of these did not create the race.
 */
#define BY_ADDRESS "address=1"
#define ANYWHERE_EVERY 16
#define ANYWHERE_FROM 7
/* Its options for the first two runs, which resolve the race in both orders. A failure often needs one of the two. */
#define ORDERS 2
static const char *const orders[ORDERS] = {"coin=1", "coin=2"}, *const orders_by_address[ORDERS] = {
									BY_ADDRESS ",coin=1", BY_ADDRESS ",coin=2"};
/*
 * In these runs, a program that is neither short nor long lets a postponed thread go early. If the other statement does
 * not come, racefuzzer waits for 10,000 operations, several runs of such a program. In a server, whose threads do
 * something every second, most of the time went to that. Later runs wait for long.
 */
#define HASTY RFS_CONFIRM_HASTY
#define HASTY_FROM 500
#define HASTY_TO 10000 /* operations */
static const char *const hasty_orders[ORDERS] = {HASTY ",coin=1", HASTY ",coin=2"},
			 *const hasty_orders_by_address[ORDERS] = {HASTY "," BY_ADDRESS ",coin=1",
								   HASTY "," BY_ADDRESS ",coin=2"};

/* Its option for the run after these, if a thread may read back what it has written. */
#define READS_BACK "again=1"

const struct rfs_policy_ops *rfs_confirm_racefuzzer(void)
{
	return rfs_policy_find("racefuzzer");
}

/*
 * The policy of --policy; NULL: RaceFuzzer. In the sampling mode, the policies of --policy have found the pairs, and
 * RaceFuzzer creates them.
 */
static const struct rfs_sampler *given_sampler(const struct rfs_campaign *c)
{
	return c->options->samplers.n && c->options->mode != RFS_MODE_SAMPLE ? &c->options->samplers.list[0] : NULL;
}

/* True if the pair has RaceFuzzer without options of the user. */
static bool may_let_pass(const struct rfs_campaign *c)
{
	const struct rfs_sampler *given = given_sampler(c);

	return !given || (given->policy == rfs_confirm_racefuzzer() && !given->options);
}

/*
 * Which order the first run tries, as a number in `orders`. Programs are written so that a write usually comes before
 * the read, so the statement that only reads goes first, or the read of a statement that does both. Of two statements
 * alike, the seed decides.
 */
static uint64_t first_order(const struct rfs_campaign *c, const struct rfs_pair *pair)
{
	const unsigned both = RFS_ACCESS_READ | RFS_ACCESS_WRITE, a = pair->evidence.side[0].access & both,
		       b = pair->evidence.side[1].access & both;

	if (rfs_place_is_same(&pair->evidence.side[0].site, &pair->evidence.side[1].site))
		return 1;
	if (a == b)
		return c->options->seed % ORDERS;
	return a != RFS_ACCESS_READ;
}

/* Whether one thread may execute both statements, which are in one function: one writes, and the other one only reads.
 */
static bool may_read_back(const struct rfs_campaign *c, const struct rfs_pair *pair)
{
	const struct rfs_evidence *a = &pair->evidence.side[0], *b = &pair->evidence.side[1];
	struct rfs_source_place first, second;
	bool same;

	if (!a->site.module || !b->site.module || rfs_place_is_same(&a->site, &b->site) ||
	    (a->access & b->access & RFS_ACCESS_WRITE))
		return false;
	rfs_symbols_place(c->symbols, &a->site, false, &first);
	rfs_symbols_place(c->symbols, &b->site, false, &second);
	same = first.function && second.function && strcmp(first.function, second.function) == 0;
	rfs_source_place_release(&first);
	rfs_source_place_release(&second);
	return same;
}

/* Two runs try the same pair of instructions, because their seeds have opposite coins. NULL: there is only one. */
static const struct rfs_narrow *narrow_of(const struct rfs_pair *pair, uint64_t i)
{
	return pair->n_narrow ? pair->narrow[i / 2 % pair->n_narrow] : NULL;
}

bool rfs_confirm_is_hasty(uint64_t measured)
{
	return measured >= HASTY_FROM && measured < HASTY_TO;
}

/* Whether run i postpones threads only where the accesses of the pair meet. */
static bool is_by_address(const struct rfs_campaign *c, const struct rfs_pair *pair, uint64_t i)
{
	const struct rfs_narrow *narrow = narrow_of(pair, i);

	if (!(narrow ? narrow->met.n : pair->met.n) || !may_let_pass(c))
		return false;
	return i < pair->arm.half ? i % ANYWHERE_EVERY != ANYWHERE_FROM : pair->by_address;
}

/* The policy's options in run i of the pair. */
static const char *confirm_options(const struct rfs_campaign *c, const struct rfs_sampler *sampler,
				   const struct rfs_pair *pair, uint64_t i)
{
	const bool by_address = is_by_address(c, pair, i);

	if (may_let_pass(c) && i < ORDERS) {
		const char *const *by = rfs_confirm_is_hasty(c->measured)
						? (by_address ? hasty_orders_by_address : hasty_orders)
						: (by_address ? orders_by_address : orders);

		return by[(first_order(c, pair) + i) % ORDERS];
	}
	if (may_let_pass(c) && i == ORDERS && may_read_back(c, pair))
		return READS_BACK;
	if (by_address)
		return BY_ADDRESS;
	return pair->let_pass_from && i >= pair->let_pass_from ? LET_PASS : sampler->options;
}

void rfs_confirm_make(const struct rfs_campaign *c, const struct rfs_pair *pair, uint64_t i, struct rfs_execution *out)
{
	const struct rfs_sampler ours = {.policy = rfs_confirm_racefuzzer()};
	const struct rfs_sampler *given = given_sampler(c), *sampler = given ? given : &ours;
	const struct rfs_narrow *narrow = narrow_of(pair, i);

	rfs_campaign_execution(c, pair->label, i, sampler->policy, RFS_POINTS_SYNC, out);
	out->policy_path = sampler->path;
	out->spec.policy_options = confirm_options(c, sampler, pair, i);
	out->spec.plan.pair = narrow ? &narrow->statements : &pair->statements;
	out->spec.sites.object_kinds = rfs_pair_object_kinds(pair);
	out->spec.plan.addresses = narrow ? narrow->met.names : pair->met.names;
	out->spec.plan.n_addresses = narrow ? narrow->met.n : pair->met.n;
	/* stacks take time, so only the first run describes the threads that are parked at the statements */
	out->spec.wanted.stood = i == 0;
}

char *rfs_confirm_order(const struct rfs_saved_run *kept, const struct rfs_harm_run *run, struct rfs_execution *out)
{
	const char *before = kept->execution.spec.policy_options;
	/* these options of racefuzzer resolve the race, and leave the rest of the run alone */
	char *options = xasprintf("%s%s%s=%" PRIu64 ",continue=%u,last=1", before ? before : "", before ? "," : "",
				  run->other ? "flip" : "keep", run->race, run->continuation);

	*out = kept->execution;
	out->lessons = &kept->lessons;
	out->spec.policy_options = options;
	return options;
}

/* The failure of the pair with this end and message; NULL if it has had none. */
static struct rfs_pair_failure *known_failure(const struct rfs_pair *pair, const struct rfs_failure_key *key)
{
	struct rfs_pair_failure *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < pair->n_failures; i++) {
		struct rfs_pair_failure *failure = &pair->failures[i];

		if (!rfs_signature_equal(&failure->key.signature, &key->signature))
			continue;
		/* the place does not count: one race can let the program crash at many */
		if (rfs_failure_key_says(&failure->key, key))
			return failure;
		first = first ? first : failure;
		n++;
	}
	return n < RFS_MESSAGES_MAX ? NULL : first;
}

/* Takes the key. */
static struct rfs_pair_failure *failure_of(struct rfs_pair *pair, struct rfs_failure_key *key, bool *is_new)
{
	struct rfs_pair_failure *failure = known_failure(pair, key);

	*is_new = !failure;
	if (failure) {
		rfs_failure_key_release(key);
		return failure;
	}
	pair->failures = xreallocarray(pair->failures, pair->n_failures + 1, sizeof(*pair->failures));
	failure = &pair->failures[pair->n_failures++];
	*failure = (struct rfs_pair_failure){.key = *key};
	return failure;
}

void rfs_confirm_take_stood(struct rfs_pair *pair, struct rfs_run_result *result)
{
	for (int k = 0; k < 2; k++)
		if (!pair->stood[k].site.module) {
			pair->stood[k] = result->stood[k];
			result->stood[k] = (struct rfs_evidence){0};
		}
}

/* Describes the run in one line, for --verbose. */
static void confirm_tell(const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	char *detail = rfs_run_failed(result, &signature) ? rfs_signature_detail(&signature) : NULL;

	rfs_note("run %s: statements reached %" PRIu64 " and %" PRIu64 " times, %" PRIu64 " races created, %s%s%s",
		 execution->name, result->reached[0], result->reached[1], result->n_created,
		 rfs_run_end_name(result->end), detail ? " " : "", detail ? detail : "");
	free(detail);
}

/*
 * Whether a run that created the race replaces the saved one. A run that did not end by itself cannot be replayed, and
 * a use after free is worth more than another race.
 */
static bool says_more(const struct rfs_run_result *result, const struct rfs_run_result *saved)
{
	if (rfs_run_conclusive(result) != rfs_run_conclusive(saved))
		return rfs_run_conclusive(result);
	return rfs_race_is_use_after_free(&result->created) && !rfs_race_is_use_after_free(&saved->created);
}

bool rfs_confirm_done(struct rfs_campaign *c, struct rfs_pair *pair, uint64_t i, const struct rfs_execution *execution,
		      struct rfs_run_result *result)
{
	struct rfs_pair_failure *failure;
	struct rfs_signature signature;
	struct rfs_failure_key key;
	/* a failure that every baseline run shows counts too: the order of this race may decide it */
	bool failed = rfs_run_failed(result, &signature), counts = rfs_campaign_failed(c, result), kept, is_new;
	size_t known;

	rfs_campaign_note(c, execution, result);
	confirm_tell(execution, result);
	/* a run that did not end by itself counts only if it created the race */
	if (!rfs_run_conclusive(result) && !result->n_created) {
		pair->timeouts += result->end == RFS_END_TIMEOUT;
		rfs_campaign_progress(c, false);
		return false;
	}
	pair->runs++;
	if (i < pair->arm.half && !is_by_address(c, pair, i)) {
		pair->anywhere++;
		pair->anywhere_confirmed += result->n_created > 0;
	}
	rfs_confirm_take_stood(pair, result);
	for (int k = 0; k < 2; k++) {
		if (result->executed[k] - result->stopped[k] > pair->executed[k] - pair->stopped[k]) {
			pair->executed[k] = result->executed[k];
			pair->stopped[k] = result->stopped[k];
		}
		pair->reached[k] += result->reached[k] > 0;
		if (result->reached[k] && !pair->first_reach[k])
			pair->first_reach[k] = i + 1;
	}
	if (result->n_created) {
		c->n_confirmed += pair->confirmed == 0;
		pair->arm.news += pair->confirmed == 0;
		pair->confirmed++;
		pair->failed += failed;
		/* the verdict will be harmful, even if the program does not notice */
		if (rfs_race_is_use_after_free(&result->created))
			rfs_campaign_found(c);
	}
	rfs_campaign_progress(c, counts);
	if (!result->n_created) {
		known = c->findings->n;
		kept = rfs_finding_note(c, "confirm", execution, result);
		pair->arm.news += c->findings->n > known;
		return kept;
	}
	if (rfs_failure_key_init(c, result, &key)) {
		failure = failure_of(pair, &key, &is_new);
		failure->runs++;
		pair->arm.news += is_new;
		if (is_new) {
			rfs_saved_run_take(&failure->first, execution, result);
			failure->first.execution.plain_failure = !counts;
		}
		return is_new;
	}
	if (pair->has_created) {
		if (!says_more(result, &pair->created.result))
			return false;
		rfs_saved_run_discard(c, &pair->created);
	}
	pair->has_created = true;
	rfs_saved_run_take(&pair->created, execution, result);
	return true;
}

bool rfs_confirm_keeps(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result)
{
	const struct rfs_pair *pair = NULL;
	struct rfs_failure_key key;
	bool known;

	for (size_t i = 0; i < c->pairs->n && !pair; i++)
		if (rfs_pair_has(c->pairs->list[i], execution->spec.plan.pair))
			pair = c->pairs->list[i];
	if (!pair)
		return true;
	if (rfs_failure_key_init(c, result, &key)) {
		known = known_failure(pair, &key) != NULL;
		rfs_failure_key_release(&key);
		return !known;
	}
	return !pair->has_created || says_more(result, &pair->created.result);
}

void rfs_confirm_half(const struct rfs_campaign *c, struct rfs_pair *pair)
{
	/* a pair that meets anywhere in its loops is tried at all of these places: a failure may need one of them */
	pair->by_address = pair->confirmed && pair->anywhere_confirmed < pair->anywhere;
	if (pair->let_pass_from || !may_let_pass(c) || !rfs_decide_let_pass(pair->confirmed, pair->reached))
		return;
	pair->let_pass_from = pair->arm.half;
	rfs_note("%s: one statement was never reached; from now on, a thread at the other one is postponed only every "
		 "second time",
		 pair->label);
}
