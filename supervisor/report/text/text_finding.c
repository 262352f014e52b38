/*
 * text_finding.c - writes findings for people: a block has all that is needed to understand its finding.
 */
#include "supervisor/report/text/text_finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/short_name.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_violation.h"
#include "supervisor/symbols/source_place.h"

/* How many of the other findings of a group are named. */
#define OTHERS 8

#define NOT_REPLAYED                                                                                                   \
	"    not replayed, because the campaign ended first or the replay timed out; it may not be reproducible\n"

static void put_difference(struct rfs_text *text, bool alike, const char *difference, const char *reason)
{
	if (alike)
		rfs_text_put(text, "    its replay ended in the same way, but executed other operations\n");
	if (difference)
		rfs_text_put(text, "    the replay differed: %s\n", difference);
	if (reason)
		rfs_text_put(text, "    likely reason: %s\n", reason);
}

static const char *failure_words(enum rfs_failure_kind kind)
{
	switch (kind) {
	case RFS_FAILURE_SIGNAL:
		return "crash";
	case RFS_FAILURE_EXIT:
		return "failure";
	case RFS_FAILURE_DEADLOCK:
		return "deadlock";
	case RFS_FAILURE_USE_AFTER_FREE:
		return "use after free";
	case RFS_FAILURE_HANG:
		return "hang";
	}
	return "failure";
}

/* In one run: the one in which the most executions did not stop. */
static void put_stopped(struct rfs_text *text, const char *which, uint64_t stopped, uint64_t executed)
{
	rfs_text_put(text, "    in one run, the %s statement stopped at ", which);
	if (executed < 2 * stopped)
		rfs_text_put(text, "%" PRIu64, stopped);
	else
		rfs_text_put(text, "1 in %" PRIu64, stopped ? (executed + stopped / 2) / stopped : executed);
	rfs_text_put(text, " of its %" PRIu64 " executions (--stops-per-run)\n", executed);
}

static void text_finding_put_counts(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	if (!pair->runs) {
		if (pair->timeouts)
			rfs_text_put(text, "    unknown: %" PRIu64 " run%s timed out\n", pair->timeouts,
				     rfs_plural(pair->timeouts));
		else if (pair->tried)
			rfs_text_put(text, "    not created in %" PRIu64 " run%s that tried many pairs at once\n",
				     pair->tried, rfs_plural(pair->tried));
		else
			rfs_text_put(text, "    not tried\n");
		return;
	}
	if (!pair->confirmed)
		rfs_text_put(text, "    not created in %" PRIu64 " run%s", pair->runs, rfs_plural(pair->runs));
	else
		rfs_text_put(text, "    %s in %" PRIu64 " of %" PRIu64 " run%s", rfs_text_created(text),
			     pair->confirmed, pair->runs, rfs_plural(pair->runs));
	if (pair->timeouts)
		rfs_text_put(text, ", and %" PRIu64 " more timed out", pair->timeouts);
	if (pair->runs + pair->timeouts < pair->planned)
		rfs_text_put(text, " (%" PRIu64 " were planned)", pair->planned);
	if (pair->confirmed)
		rfs_text_put(text, "; %" PRIu64 " of these failed", pair->failures);
	rfs_text_put(text, "; the statements were reached in %" PRIu64 " and %" PRIu64 " runs", pair->reached[0],
		     pair->reached[1]);
	if (pair->has_seed)
		rfs_text_put(text, "; seed %" PRIu64, pair->seed);
	rfs_text_put(text, "\n");
	for (int k = 0; k < 2; k++)
		if (pair->executed[k])
			put_stopped(text, k ? "second" : "first", pair->stopped[k], pair->executed[k]);
}

static const char *text_finding_colour_of(enum rfs_tone tone)
{
	static const char *const colours[] = {
		[RFS_TONE_DIM] = RFS_TEXT_DIM,
		[RFS_TONE_QUIET] = RFS_TEXT_CYAN,
		[RFS_TONE_WARNING] = RFS_TEXT_YELLOW,
		[RFS_TONE_ALARM] = RFS_TEXT_RED,
	};

	return colours[tone];
}

static void put_heading(struct rfs_text *text, const char *sequence, const char *what,
			const struct rfs_report_identity *identity)
{
	rfs_text_put(text, "\n");
	rfs_text_colour(text, sequence);
	rfs_text_put(text, "%s", what);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_colour(text, RFS_TEXT_DIM);
	rfs_text_put(text, "  [%s]%s\n", identity->id, identity->known ? "  known" : "");
	rfs_text_colour(text, RFS_TEXT_PLAIN);
}

static bool share_lock(const struct rfs_report_pair *pair)
{
	const struct rfs_report_strings *a = &pair->statement[0].locks, *b = &pair->statement[1].locks;

	for (size_t i = 0; i < a->n_items; i++)
		for (size_t k = 0; k < b->n_items; k++)
			if (strcmp(a->items[i], b->items[k]) == 0)
				return true;
	return false;
}

/* The order in which the program fails more often: 0 is that of the failed run, 1 the other one. */
static int failing_order(const struct rfs_report_orders *orders)
{
	return orders->failed[0] * orders->runs[1] < orders->failed[1] * orders->runs[0];
}

/* What goes first if the program fails: "the write", or "source.c:2" if both write. Caller frees; NULL: not known. */
static char *first_text(const struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_report_orders *orders = &pair->orders;
	const int number = failing_order(orders) ? 3 - orders->first : orders->first;
	const struct rfs_report_statement *first, *other;
	char *at[2] = {NULL, NULL}, *words = NULL;

	if (!orders->first)
		return NULL;
	first = &pair->statement[number - 1];
	other = &pair->statement[2 - number];
	if (strcmp(rfs_access_text(first->access, RFS_ACCESS_NOUN), rfs_access_text(other->access, RFS_ACCESS_NOUN)) !=
	    0)
		return xasprintf("%s%s", first->access & RFS_ACCESS_CALL ? "" : "the ",
				 rfs_access_text(first->access, RFS_ACCESS_NOUN));
	at[0] = rfs_text_line(text, rfs_report_own_place(first));
	at[1] = rfs_text_line(text, rfs_report_own_place(other));
	if (strcmp(at[0], at[1]) != 0)
		words = xstrdup(at[0]);
	free(at[0]);
	free(at[1]);
	return words;
}

static void put_failing_order(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const char *detail = pair->detail ? pair->detail : failure_words(pair->kind);
	const struct rfs_report_orders *orders = &pair->orders;
	const int order = failing_order(orders);
	char *first = first_text(text, pair);

	if (first)
		rfs_text_put(text, "; if %s goes first, the program %s: %s", first,
			     orders->failed[order] < orders->runs[order] ? "can fail" : "fails", detail);
	else
		rfs_text_put(text, "; in one order the program fails: %s", detail);
	free(first);
}

/* A handler that interrupts the other side's thread. A lock would make it wait for itself. */
static void put_handler_sentence(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_report_statement *by = &pair->statement[pair->statement[0].handler ? 0 : 1],
					  *on = &pair->statement[pair->statement[0].handler ? 1 : 0];
	char *who = rfs_text_who(text, rfs_report_own_place(by)), *other = rfs_text_who(text, rfs_report_own_place(on));
	char *handler = rfs_thread_text(by->thread, by->handler);
	char *variable = rfs_text_variable(pair->variable, "memory");

	rfs_text_put(text, "    the %s %s %s in %s, and the thread that it interrupts %s it in %s", handler,
		     rfs_access_text(by->access, RFS_ACCESS_VERB), variable, who,
		     rfs_access_text(on->access, RFS_ACCESS_VERB), other);
	rfs_text_put(text, "; block %s there, because a lock cannot protect both", handler + strlen("handler of "));
	if (pair->attributed)
		put_failing_order(text, pair);
	rfs_text_put(text, ".\n");
	free(variable);
	free(handler);
	free(who);
	free(other);
}

/* Says in one sentence what happens: which functions access which variable, and what the program then does. */
static void put_pair_sentence(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_report_statement *a = &pair->statement[0], *b = &pair->statement[1];
	char *one, *other, *variable;

	if (pair->interrupts && (a->handler || b->handler)) {
		put_handler_sentence(text, pair);
		return;
	}
	one = rfs_text_who(text, rfs_report_own_place(a));
	other = rfs_text_who(text, rfs_report_own_place(b));
	/* where a block was allocated is in the heading */
	variable = rfs_text_variable(pair->variable, "memory");
	rfs_text_put(text, "    %s %s %s, and %s %s it", one, rfs_access_text(a->access, RFS_ACCESS_VERB), variable,
		     other, rfs_access_text(b->access, RFS_ACCESS_VERB));
	free(variable);
	if (a->access & RFS_ACCESS_LIBRARY)
		rfs_text_put(text, "; the C library does not protect it");
	if (a->seen && b->seen && !share_lock(pair))
		rfs_text_put(text, "%s no lock protects both", a->access & RFS_ACCESS_LIBRARY ? ", and" : ";");
	if (pair->attributed)
		put_failing_order(text, pair);
	rfs_text_put(text, ".\n");
	free(one);
	free(other);
}

/* Says how often the program fails in each order of the race. */
static void text_finding_put_orders(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_report_orders *orders = &pair->orders;

	if (orders->tests)
		rfs_text_put(text,
			     "; failed in %" PRIu64 " of %" PRIu64 " runs with this order, in %" PRIu64 " of %" PRIu64
			     " with the other",
			     orders->failed[0], orders->runs[0], orders->failed[1], orders->runs[1]);
	else if (pair->not_replayed)
		rfs_text_put(text, ": not replayed");
	else
		rfs_text_put(text, ": not tested");
}

/* Whether one of the two orders is a use after free. */
static bool uses_freed(const struct rfs_report_pair *pair)
{
	const struct rfs_report_statement *a = &pair->statement[0], *b = &pair->statement[1];

	return pair->kind == RFS_FAILURE_USE_AFTER_FREE || ((a->access | b->access) & RFS_ACCESS_FREE) || a->stale ||
	       b->stale;
}

/* If a side of the pair is a call after which memory cannot be used as before, says so. */
static void put_use_after_unmap(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	static const struct {
		long number;
		const char *name, *then;
	} calls[] = {
		{SYS_munmap, "munmap", "accesses memory that is gone"},
		{SYS_mremap, "mremap", "accesses memory that has moved or is gone"},
		{SYS_brk, "brk", "accesses memory that is gone"},
		{SYS_madvise, "madvise", "accesses memory that has lost its content"},
		{SYS_mprotect, "mprotect", "accesses memory that no longer allows it"},
	};

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			if (pair->statement[k].access >> RFS_ACCESS_CALL_SHIFT == (unsigned)calls[i].number + 1) {
				rfs_text_put(text, "    use after unmap: if %s(2) goes first, the other thread %s\n",
					     calls[i].name, calls[i].then);
				return;
			}
}

static void put_use_after_free(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_report_statement *stale = pair->statement[0].stale ? &pair->statement[0] : &pair->statement[1];

	rfs_text_put(text, "    %s: ", failure_words(RFS_FAILURE_USE_AFTER_FREE));
	if (stale->stale)
		rfs_text_put(text, "the memory was freed after thread %d had got its address\n", stale->thread);
	else
		rfs_text_put(text, "if the free goes first, the other thread uses a freed block\n");
}

static void put_output_line(struct rfs_text *text, const char *line)
{
	if (line)
		rfs_text_put(text, "\"%s\"", line);
	else
		rfs_text_put(text, "nothing");
}

/* Says that the program writes something else in the other order, although it does not fail. */
static void put_output_depends(struct rfs_text *text, const struct rfs_report_output *output)
{
	if (!output->runs[0])
		return;
	rfs_text_put(text, "    the order changes the output: ");
	put_output_line(text, output->line[0]);
	rfs_text_put(text, " with this order, ");
	put_output_line(text, output->line[1]);
	rfs_text_put(text, " with the other (%" PRIu64 " and %" PRIu64 " runs)\n", output->runs[0], output->runs[1]);
}

static void put_pair_counts(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_verdict_words *words = rfs_verdict_words(pair->verdict);

	text_finding_put_counts(text, pair);
	if (words->remark)
		rfs_text_put(text, "    %s\n", words->remark);
	put_output_depends(text, &pair->output);
	if (!pair->failed)
		return;
	if (uses_freed(pair))
		put_use_after_free(text, pair);
	put_use_after_unmap(text, pair);
	if (pair->kind == RFS_FAILURE_USE_AFTER_FREE)
		return;
	rfs_text_put(text, "    %s", failure_words(pair->kind));
	if (pair->detail)
		rfs_text_put(text, ": ");
	rfs_text_colour(text, pair->attributed ? RFS_TEXT_RED : RFS_TEXT_YELLOW);
	rfs_text_put(text, "%s", pair->detail ? pair->detail : "");
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "%s", pair->attributed ? "" : "; not attributed to the race");
	text_finding_put_orders(text, pair);
	rfs_text_put(text, "\n");
	if (pair->not_replayed)
		rfs_text_put(text, NOT_REPLAYED);
}

static char *pair_head(const struct rfs_report_pair *pair)
{
	const char *heading = rfs_verdict_words(pair->verdict)->heading;

	return pair->variable ? xasprintf("%s on %s", heading, pair->variable) : xstrdup(heading);
}

void rfs_text_put_pair(struct rfs_text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_verdict_words *words = rfs_verdict_words(pair->verdict);
	char *head = pair_head(pair);

	put_heading(text, text_finding_colour_of(words->tone), head, &pair->identity);
	free(head);
	if (words->finding)
		put_pair_sentence(text, pair);
	rfs_text_put_statement(text, &pair->statement[0]);
	rfs_text_put_statement(text, &pair->statement[1]);
	if (pair->allocated.n_frames > 1) {
		rfs_text_put(text, "    the block was allocated at\n");
		rfs_text_put_stack(text, &pair->allocated, "        ");
	}
	put_pair_counts(text, pair);
	rfs_text_put_shown(text, &pair->shown, pair->record);
}

/*
 * Writes "thread 1 waits for L, holding M" and the thread's stack. does: the words "waits for". unknown: the text to
 * write if it is not known what the thread waits for.
 */
static void text_finding_put_thread(struct rfs_text *text, const struct rfs_report_waiter *waiter, const char *does,
				    const char *unknown)
{
	char *who = rfs_thread_text(waiter->thread, waiter->handler);

	rfs_text_put(text, "    %s", who);
	free(who);
	rfs_text_put_process(text, waiter->process);
	rfs_text_put(text, " %s ", does);
	rfs_text_colour(text, RFS_TEXT_BOLD);
	rfs_text_put(text, "%s", waiter->waits_for ? waiter->waits_for : unknown);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, ", ");
	rfs_text_put_locks(text, &waiter->holds, "holding no lock");
	rfs_text_put(text, "\n");
	rfs_text_put_stack(text, &waiter->stack, "        ");
	for (size_t i = 0; i < waiter->n_acquired; i++) {
		rfs_text_put(text, "      it acquired %s at\n", waiter->acquired[i].lock);
		rfs_text_put_stack(text, &waiter->acquired[i].stack, "        ");
	}
}

static const struct rfs_source_place *waiter_place(const struct rfs_report_waiter *waiter)
{
	return waiter->stack.n_frames ? &waiter->stack.frames[rfs_source_stack_first_own(&waiter->stack)] : NULL;
}

static void put_waits(struct rfs_text *text, const struct rfs_report_waiter *waiter)
{
	const struct rfs_source_place *place = waiter_place(waiter);
	char *at = place ? rfs_text_who(text, place) : NULL;
	char *who = rfs_thread_text(waiter->thread, waiter->handler);

	rfs_text_put(text, "%s%s%s%s%s waits for %s", waiter->handler ? "the " : "", who, at ? ", in " : "",
		     at ? at : "", at ? "," : "", waiter->waits_for ? waiter->waits_for : "an unknown event");
	if (waiter->sent)
		rfs_text_put(text, "; the last one came when no thread waited: [%s]", waiter->sent);
	free(who);
	free(at);
}

/* Says in one sentence what the threads of a deadlock wait for; those of a cycle first. */
static void put_deadlock_sentence(struct rfs_text *text, const struct rfs_report_deadlock *deadlock)
{
	size_t shown = 0;

	rfs_text_put(text, "    ");
	for (int outside = 0; outside < 2; outside++)
		for (size_t i = 0; i < deadlock->n_threads && shown < 4; i++) {
			if (deadlock->threads[i].outside != (outside != 0))
				continue;
			rfs_text_put(text, "%s%s", shown ? "; " : "", outside ? "outside of this cycle, " : "");
			put_waits(text, &deadlock->threads[i]);
			shown++;
		}
	if (shown < deadlock->n_threads)
		rfs_text_put(text, "; %zu more wait", deadlock->n_threads - shown);
	rfs_text_put(text, ".\n");
}

static char *deadlock_head(const struct rfs_report_deadlock *deadlock)
{
	size_t n = 0;

	for (size_t i = 0; i < deadlock->n_threads; i++)
		n += !deadlock->threads[i].outside;
	return xasprintf("DEADLOCK of %zu thread%s", n, rfs_plural(n));
}

void rfs_text_put_deadlock(struct rfs_text *text, const struct rfs_report_deadlock *deadlock,
			   const struct rfs_report *report)
{
	char *head = deadlock_head(deadlock);

	put_heading(text, deadlock->run.replayed == RFS_REPLAY_DIFFERENT ? RFS_TEXT_DIM : RFS_TEXT_RED, head,
		    &deadlock->identity);
	free(head);
	put_deadlock_sentence(text, deadlock);
	for (size_t i = 0; i < deadlock->n_threads; i++)
		text_finding_put_thread(text, &deadlock->threads[i], "waits for", "an unknown event");
	rfs_text_put(text, "    in %" PRIu64 " run%s", deadlock->runs, rfs_plural(deadlock->runs));
	if (deadlock->run.policy)
		rfs_text_put(text, "; first under policy %s", deadlock->run.policy);
	rfs_text_put(text, "; seed %" PRIu64 "%s\n", deadlock->run.seed,
		     deadlock->run.replayed == RFS_REPLAY_DIFFERENT ? "; not reproduced: its replays ended differently"
								    : "");
	put_difference(text, deadlock->run.replayed == RFS_REPLAY_ALIKE, deadlock->run.difference,
		       deadlock->run.reason);
	if (deadlock->run.replayed == RFS_REPLAY_NOT_YET)
		rfs_text_put(text, NOT_REPLAYED);
	rfs_text_put_along(text, report, deadlock);
	rfs_text_put_shown(text, &deadlock->run.shown, deadlock->run.record);
}

/* Whether the text after the last "called by" in the detail is the function. A message of the program may follow. */
static bool is_last_caller(const char *detail, const char *function)
{
	static const char by[] = ", called by ";
	const char *last = NULL;
	size_t n = function ? strlen(function) : 0;

	for (const char *at = strstr(detail, by); at; at = strstr(at, by))
		last = at += strlen(by);
	return last && n && strncmp(last, function, n) == 0 && (!last[n] || strncmp(last + n, ": ", 2) == 0);
}

#define OUTPUT_LINE_MOST 100

/* If the program has ended in a function that only reports a failure: who called it, and what the program wrote. */
static void put_failing_caller(struct rfs_text *text, const struct rfs_report_failure *failure)
{
	const struct rfs_source_stack *stack = &failure->run.shown.stack;
	const char *output = failure->run.shown.output, *line;
	size_t at = rfs_source_stack_first_own(stack) + 1, n;
	char *who;

	while (failure->detail && at < stack->n_frames && !is_last_caller(failure->detail, stack->frames[at].function))
		at++;
	if (!failure->detail || at >= stack->n_frames)
		return;
	who = rfs_text_who(text, &stack->frames[at]);
	rfs_text_put(text, ", called from %s", who);
	free(who);
	if (!output)
		return;
	n = strlen(output);
	while (n && output[n - 1] == '\n')
		n--;
	line = n ? memrchr(output, '\n', n) : NULL;
	line = line ? line + 1 : output;
	n -= (size_t)(line - output);
	if (n && n <= OUTPUT_LINE_MOST)
		rfs_text_put(text, ", after it wrote \"%.*s\"", (int)n, line);
}

/* Says in one sentence how the program fails, and whether it does so without rfsup. */
static void put_failure_sentence(struct rfs_text *text, const struct rfs_report_failure *failure,
				 const struct rfs_report *report)
{
	const struct rfs_source_stack *stack = &failure->run.shown.stack;
	char *at = stack->n_frames ? rfs_text_who(text, &stack->frames[rfs_source_stack_first_own(stack)]) : NULL;

	rfs_text_put(text, "    the program %s%s%s",
		     failure->kind == RFS_FAILURE_HANG	 ? "does not end"
		     : failure->kind == RFS_FAILURE_EXIT ? "reports a failure"
							 : "crashes",
		     at ? " in " : "", at ? at : "");
	if (failure->kind == RFS_FAILURE_SIGNAL)
		put_failing_caller(text, failure);
	if (failure->plain)
		rfs_text_put(text, "; not a finding: every uncontrolled run fails like this");
	else if (report->has_plain && report->plain_runs)
		rfs_text_put(text, "; %" PRIu64 " of %" PRIu64 " uncontrolled runs failed", report->plain_failures,
			     report->plain_runs);
	rfs_text_put(text, ".\n");
	free(at);
}

/* Of the callers of a function, as many as fit here are in the first line of a failure. */
#define HEAD_MOST 120

/* A signal and its function, such as "SIGABRT in std::map<...>::at(...)", with names that can be read. */
static char *text_finding_short_detail(const struct rfs_report_failure *failure)
{
	static const char by[] = ", called by ";
	const char *in = failure->kind == RFS_FAILURE_SIGNAL ? strstr(failure->detail, " in ") : NULL;
	char *names, *text;

	/* a message of the program stays as it is */
	if (!in || strchr(failure->detail, '"') || strchr(failure->detail, '\''))
		return xstrdup(failure->detail);
	in += strlen(" in ");
	names = rfs_short_name(in);
	for (char *caller = strstr(names, by); caller; caller = strstr(caller + 1, by))
		if (caller - names > HEAD_MOST)
			*caller = '\0';
	text = xasprintf("%.*s%s", (int)(in - failure->detail), failure->detail, names);
	free(names);
	return text;
}

static char *failure_head(const struct rfs_report_failure *failure)
{
	char *detail = failure->detail ? text_finding_short_detail(failure) : xstrdup(rfs_failure_name(failure->kind));
	char *head = xasprintf("%s %s", failure->kind == RFS_FAILURE_HANG ? "HANG:" : "FAILURE:", detail);

	free(detail);
	return head;
}

void rfs_text_put_failure(struct rfs_text *text, const struct rfs_report_failure *failure,
			  const struct rfs_report *report)
{
	bool finding = rfs_failure_is_finding(failure);
	char *head = failure_head(failure);

	put_heading(text, finding ? RFS_TEXT_RED : RFS_TEXT_DIM, head, &failure->identity);
	free(head);
	put_failure_sentence(text, failure, report);
	for (size_t i = 0; i < failure->n_threads; i++)
		text_finding_put_thread(text, &failure->threads[i], failure->threads[i].event ? "waited for" : "was at",
					"work");
	/* failure->runs counts runs of all phases */
	rfs_text_put(text, "    in %" PRIu64 " run%s", failure->runs, rfs_plural(failure->runs));
	if (failure->run.phase)
		rfs_text_put(text, "; first in phase %s", failure->run.phase);
	if (failure->run.policy)
		rfs_text_put(text, "%s under policy %s", failure->run.phase ? "" : "; first", failure->run.policy);
	rfs_text_put(text, "; seed %" PRIu64 "\n", failure->run.seed);
	if (failure->run.replayed == RFS_REPLAY_DIFFERENT)
		rfs_text_put(text, "    not a finding: not reproduced, its replays ended differently\n");
	put_difference(text, failure->run.replayed == RFS_REPLAY_ALIKE, failure->run.difference, failure->run.reason);
	if (failure->run.replayed == RFS_REPLAY_NOT_YET)
		rfs_text_put(text, NOT_REPLAYED);
	rfs_text_put_shown(text, &failure->run.shown, failure->run.record);
}

char *rfs_text_head(const struct rfs_report_item *item)
{
	if (item->failure && item->failure->violation)
		return rfs_text_violation_name(item->failure->violation);
	return item->pair      ? pair_head(item->pair)
	       : item->failure ? failure_head(item->failure)
			       : deadlock_head(item->deadlock);
}

void rfs_text_put_sentence(struct rfs_text *text, const struct rfs_report_item *item, const struct rfs_report *report)
{
	if (item->pair)
		put_pair_sentence(text, item->pair);
	else if (item->deadlock)
		put_deadlock_sentence(text, item->deadlock);
	else
		put_failure_sentence(text, item->failure, report);
}

char *rfs_text_cause(const struct rfs_report_item *item, const struct rfs_report *report)
{
	char *bytes, *cause;
	size_t size;
	struct rfs_text text = {.out = xopen_memstream(&bytes, &size), .folder = getcwd(NULL, 0)};

	if (item->failure && item->failure->violation)
		rfs_text_put_violation_sentence(&text, item->failure->violation);
	else
		rfs_text_put_sentence(&text, item, report);
	fclose(text.out);
	cause = bytes + strspn(bytes, " ");
	cause = xstrndup(cause, strcspn(cause, "\n"));
	free(bytes);
	free(text.folder);
	return cause;
}

static void put_item(struct rfs_text *text, const struct rfs_report_item *item, const struct rfs_report *report)
{
	if (item->pair)
		rfs_text_put_pair(text, item->pair);
	else if (item->deadlock)
		rfs_text_put_deadlock(text, item->deadlock, report);
	else
		rfs_text_put_failure(text, item->failure, report);
}

void rfs_text_put_briefly(struct rfs_text *text, const struct rfs_report_item *item)
{
	char *head = rfs_text_head(item);
	const char *record = rfs_report_item_record(item);
	char *word = record ? rfs_shell_word(record) : NULL;

	rfs_text_put(text, "    %s", head);
	if (item->pair) {
		char *one = rfs_text_who(text, rfs_report_own_place(&item->pair->statement[0]));
		char *other = rfs_text_who(text, rfs_report_own_place(&item->pair->statement[1]));

		rfs_text_put(text, ": %s, %s", one, other);
		free(one);
		free(other);
	}
	rfs_text_put(text, "%s%s\n", word ? "; rfsup --replay " : "", word ? word : "");
	free(head);
	free(word);
}

void rfs_text_put_group(struct rfs_text *text, const struct rfs_report_group *group, const struct rfs_report *report)
{
	size_t shown = group->n - 1 < OTHERS ? group->n - 1 : OTHERS;

	put_item(text, &group->items[0], report);
	if (shown)
		rfs_text_put(text, "    likely the same cause\n");
	for (size_t i = 1; i <= shown; i++) {
		rfs_text_put(text, "    ");
		rfs_text_put_briefly(text, &group->items[i]);
	}
	if (shown + 1 < group->n)
		rfs_text_put(text, "        %zu more are in report.json\n", group->n - 1 - shown);
}
