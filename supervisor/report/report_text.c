/*
 * Writes the report for people: what was run, one block per finding, and a summary. A block has all that is needed to
 * understand the finding. The summary is at the end, which is what a terminal shows.
 */
#include "supervisor/report/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/op_text.h"
#include "supervisor/base/path.h"
#include "supervisor/report/short_name.h"
#include "supervisor/symbols/source.h"

/* Function names in a stack are padded to the length of the longest name, but at most to this width. */
#define FUNCTION_WIDTH 32
/*
 * How many frames of a stack are shown. The outer frames are mostly library code that calls the thread's first
 * function.
 */
#define STACK_FRAMES 24

struct text {
	FILE *out;
	bool colour;
	char *folder; /* the working directory; files in it are shown relative to it; NULL: unknown */
};

/* Writes text with its control characters replaced. Names come from the target, and must not control the terminal. */
static void __attribute__((format(printf, 2, 3))) report_text_put(struct text *text, const char *format, ...)
{
	va_list ap;
	char *line;

	va_start(ap, format);
	if (vasprintf(&line, format, ap) < 0)
		die("out of memory while writing the report");
	va_end(ap);
	for (char *p = line; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7f)
			*p = '?';
	fputs(line, text->out);
	free(line);
}

static void colour(struct text *text, const char *sequence)
{
	if (text->colour)
		fputs(sequence, text->out);
}

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const char *file_name(const struct text *text, const char *file)
{
	size_t n = text->folder ? strlen(text->folder) : 0;

	return n && strncmp(file, text->folder, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* "file.c:12:3", or "module+0x1234" if the line is not known. Caller frees. */
static char *place_text(const struct text *text, const struct rfs_source_place *place)
{
	if (place->file && place->line && place->column)
		return xasprintf("%s:%u:%u", file_name(text, place->file), place->line, place->column);
	if (place->file && place->line)
		return xasprintf("%s:%u", file_name(text, place->file), place->line);
	if (!place->module)
		return xasprintf("0x%" PRIx64, place->offset);
	return xasprintf("%s+0x%" PRIx64, rfs_base_name(place->module), place->offset);
}

static void put_stack(struct text *text, const struct rfs_source_stack *stack, const char *indent)
{
	size_t shown = stack->n_frames < STACK_FRAMES ? stack->n_frames : STACK_FRAMES;
	size_t width = 1;
	char *names[STACK_FRAMES];

	for (size_t i = 0; i < shown; i++) {
		size_t n;

		names[i] = rfs_short_name(stack->frames[i].function ? stack->frames[i].function : "?");
		n = strlen(names[i]);
		if (n > width)
			width = n < FUNCTION_WIDTH ? n : FUNCTION_WIDTH;
	}
	for (size_t i = 0; i < shown; i++) {
		const struct rfs_source_place *frame = &stack->frames[i];
		char *place = place_text(text, frame);

		report_text_put(text, "%s#%-2zu %-*s  %s", indent, i, (int)width, names[i], place);
		if (frame->file && frame->line && frame->module) {
			colour(text, DIM);
			report_text_put(text, "  %s+0x%" PRIx64, rfs_base_name(frame->module), frame->offset);
			colour(text, PLAIN);
		}
		report_text_put(text, "\n");
		free(place);
		free(names[i]);
	}
	if (shown < stack->n_frames)
		report_text_put(text, "%s    ... %zu more\n", indent, stack->n_frames - shown);
}

static void put_locks(struct text *text, const struct rfs_report_strings *locks, const char *none)
{
	if (!locks->n_items)
		report_text_put(text, "%s", none);
	for (size_t i = 0; i < locks->n_items; i++)
		report_text_put(text, "%s%s", i ? ", " : "holding ", locks->items[i]);
}

static void put_statement(struct text *text, const struct rfs_report_statement *statement)
{
	const struct rfs_source_place *place = &statement->place;
	char *where = place_text(text, place);
	char *source = place->file && place->line ? rfs_source_line(place->file, place->line) : NULL;

	if (statement->seen)
		report_text_put(text, "    thread %d %s %" PRIu64 " byte%s", statement->thread,
				rfs_access_text(statement->access, RFS_ACCESS_VERB), statement->size,
				plural(statement->size));
	else
		report_text_put(text, "    one thread %s", rfs_access_text(statement->access, RFS_ACCESS_VERB));
	if (statement->access & RFS_ACCESS_RMW)
		report_text_put(text, " (%s half of a read-modify-write)",
				statement->access & RFS_ACCESS_READ ? "first" : "second");
	report_text_put(text, " at ");
	colour(text, BOLD);
	report_text_put(text, "%s", where);
	colour(text, PLAIN);
	if (place->function) {
		char *name = rfs_short_name(place->function);

		report_text_put(text, " in %s", name);
		free(name);
	}
	if (statement->seen) {
		report_text_put(text, ", ");
		put_locks(text, &statement->locks, "holding no lock");
	}
	report_text_put(text, "\n");
	if (source) {
		report_text_put(text, "        | ");
		colour(text, CYAN);
		report_text_put(text, "%s", source);
		colour(text, PLAIN);
		report_text_put(text, "\n");
	}
	put_stack(text, &statement->stack, "        ");
	free(source);
	free(where);
}

/* Quotes a word for the shell. Caller frees. */
static char *shell_word(const char *word)
{
	size_t n = 0;
	char *quoted, *p;

	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:,=@%")])
		return xstrdup(word);
	for (const char *s = word; *s; s++)
		n += *s == '\'' ? 4 : 1;
	p = quoted = xmalloc(n + 3);
	*p++ = '\'';
	for (const char *s = word; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	strcpy(p, "'");
	return quoted;
}

#define NOT_REPLAYED                                                                                                   \
	"    not replayed, because the campaign ended first or the replay timed out; it may not be reproducible\n"

static void put_difference(struct text *text, const char *difference)
{
	if (difference)
		report_text_put(text, "    the replay differed: %s\n", difference);
}

static void put_replay(struct text *text, const char *record)
{
	char *word;

	if (!record)
		return;
	word = shell_word(record);
	report_text_put(text, "    see it again: ");
	colour(text, BOLD);
	report_text_put(text, "rfsup --replay %s", word);
	colour(text, PLAIN);
	report_text_put(text, "\n");
	free(word);
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

static void put_counts(struct text *text, const struct rfs_report_pair *pair)
{
	if (!pair->runs) {
		if (pair->timeouts)
			report_text_put(text, "    unknown: %" PRIu64 " run%s timed out\n", pair->timeouts,
					plural(pair->timeouts));
		else
			report_text_put(text, "    not tried\n");
		return;
	}
	if (!pair->confirmed)
		report_text_put(text, "    not created in %" PRIu64 " run%s", pair->runs, plural(pair->runs));
	else
		report_text_put(text, "    created in %" PRIu64 " of %" PRIu64 " run%s", pair->confirmed, pair->runs,
				plural(pair->runs));
	if (pair->timeouts)
		report_text_put(text, ", and %" PRIu64 " more timed out", pair->timeouts);
	if (pair->runs + pair->timeouts < pair->planned)
		report_text_put(text, " (%" PRIu64 " were planned)", pair->planned);
	if (pair->confirmed)
		report_text_put(text, "; %" PRIu64 " of these failed", pair->failures);
	report_text_put(text, "; the statements were reached in %" PRIu64 " and %" PRIu64 " runs", pair->reached[0],
			pair->reached[1]);
	if (pair->has_seed)
		report_text_put(text, "; seed %" PRIu64, pair->seed);
	report_text_put(text, "\n");
}

static const char *colour_of(enum rfs_tone tone)
{
	static const char *const colours[] = {
		[RFS_TONE_DIM] = DIM,
		[RFS_TONE_QUIET] = CYAN,
		[RFS_TONE_WARNING] = YELLOW,
		[RFS_TONE_ALARM] = RED,
	};

	return colours[tone];
}

static void put_heading(struct text *text, const char *sequence, const char *what, const char *id)
{
	report_text_put(text, "\n");
	colour(text, sequence);
	report_text_put(text, "%s", what);
	colour(text, PLAIN);
	colour(text, DIM);
	report_text_put(text, "  [%s]\n", id);
	colour(text, PLAIN);
}

static void put_pair(struct text *text, const struct rfs_report_pair *pair)
{
	const struct rfs_verdict_words *words = rfs_verdict_words(pair->verdict);
	char *head = pair->variable ? xasprintf("%s on %s", words->heading, pair->variable) : xstrdup(words->heading);

	put_heading(text, colour_of(words->tone), head, pair->id);
	free(head);
	put_statement(text, &pair->statement[0]);
	put_statement(text, &pair->statement[1]);
	if (pair->allocated.n_frames) {
		report_text_put(text, "    the block was allocated at\n");
		put_stack(text, &pair->allocated, "        ");
	}
	put_counts(text, pair);
	if (words->remark)
		report_text_put(text, "    %s\n", words->remark);
	if (pair->failed && pair->kind == RFS_FAILURE_USE_AFTER_FREE) {
		report_text_put(text, "    %s: if the free goes first, the other thread uses a freed block\n",
				failure_words(pair->kind));
	} else if (pair->failed) {
		report_text_put(text, "    %s", failure_words(pair->kind));
		if (pair->detail)
			report_text_put(text, ": ");
		colour(text, pair->attributed ? RED : YELLOW);
		report_text_put(text, "%s", pair->detail ? pair->detail : "");
		colour(text, PLAIN);
		report_text_put(text, "%s\n",
				pair->attributed     ? "; the run passes if the other thread goes first"
				: pair->not_replayed ? "; not attributed to the race: not replayed"
						     : "; not attributed to the race: no repeated run passed when the "
						       "other thread went first");
		if (pair->not_replayed)
			report_text_put(text, NOT_REPLAYED);
	}
	put_replay(text, pair->record);
}

/*
 * Writes "thread 1 waits for L, holding M" and the thread's stack. does: the words "waits for". unknown: the text to
 * write if it is not known what the thread waits for.
 */
static void put_thread(struct text *text, const struct rfs_report_waiter *waiter, const char *does, const char *unknown)
{
	report_text_put(text, "    thread %d %s ", waiter->thread, does);
	colour(text, BOLD);
	report_text_put(text, "%s", waiter->waits_for ? waiter->waits_for : unknown);
	colour(text, PLAIN);
	report_text_put(text, ", ");
	put_locks(text, &waiter->holds, "holding no lock");
	report_text_put(text, "\n");
	put_stack(text, &waiter->stack, "        ");
}

static void put_deadlock(struct text *text, const struct rfs_report_deadlock *deadlock)
{
	char *head = xasprintf("DEADLOCK of %zu thread%s", deadlock->n_threads, plural(deadlock->n_threads));

	put_heading(text, deadlock->not_reproduced ? DIM : RED, head, deadlock->id);
	free(head);
	for (size_t i = 0; i < deadlock->n_threads; i++)
		put_thread(text, &deadlock->threads[i], "waits for", "an unknown event");
	report_text_put(text, "    in %" PRIu64 " run%s", deadlock->runs, plural(deadlock->runs));
	if (deadlock->policy)
		report_text_put(text, "; first under policy %s", deadlock->policy);
	report_text_put(text, "; seed %" PRIu64 "%s\n", deadlock->seed,
			deadlock->not_reproduced ? "; not reproduced: the replay ended differently" : "");
	put_difference(text, deadlock->difference);
	if (deadlock->not_replayed)
		report_text_put(text, NOT_REPLAYED);
	put_replay(text, deadlock->record);
}

static void put_failure(struct text *text, const struct rfs_report_failure *failure)
{
	bool finding = rfs_failure_is_finding(failure);
	char *head = xasprintf("%s %s", failure->kind == RFS_FAILURE_HANG ? "HANG:" : "FAILURE:",
			       failure->detail ? failure->detail : rfs_failure_name(failure->kind));

	put_heading(text, finding ? RED : DIM, head, failure->id);
	free(head);
	for (size_t i = 0; i < failure->n_threads; i++)
		put_thread(text, &failure->threads[i], "was at", "work");
	/* failure->runs counts runs of all phases */
	report_text_put(text, "    in %" PRIu64 " run%s", failure->runs, plural(failure->runs));
	if (failure->phase)
		report_text_put(text, "; first in phase %s", failure->phase);
	if (failure->policy)
		report_text_put(text, "%s under policy %s", failure->phase ? "" : "; first", failure->policy);
	report_text_put(text, "; seed %" PRIu64 "\n", failure->seed);
	if (failure->plain)
		report_text_put(text, "    not a finding: every uncontrolled run fails like this\n");
	if (failure->not_reproduced)
		report_text_put(text, "    not a finding: not reproduced, the replay ended differently\n");
	put_difference(text, failure->difference);
	if (failure->not_replayed)
		report_text_put(text, NOT_REPLAYED);
	put_replay(text, failure->record);
}

static const struct rfs_report_phase *phase_of(const struct rfs_report *report, const char *name)
{
	for (size_t i = 0; i < report->n_phases; i++)
		if (strcmp(report->phases[i].name, name) == 0)
			return &report->phases[i];
	return NULL;
}

/* Writes "3 runs", or "1 of 3 runs" if the phase did not make all runs that were planned. */
static void put_runs(struct text *text, const struct rfs_report *report, const char *name, uint64_t runs)
{
	const struct rfs_report_phase *phase = phase_of(report, name);
	uint64_t planned = phase && phase->planned > runs ? phase->planned : runs;

	report_text_put(text, "%" PRIu64, runs);
	if (planned > runs)
		report_text_put(text, " of %" PRIu64, planned);
	report_text_put(text, " run%s", plural(planned));
}

static void put_sampling(struct text *text, const struct rfs_report_sampling *sampling)
{
	report_text_put(text, "            %" PRIu64 " under %s%s%s", sampling->runs,
			sampling->policy ? sampling->policy : "?", sampling->options ? ":" : "",
			sampling->options ? sampling->options : "");
	if (sampling->points)
		report_text_put(text, " at %s points", sampling->points);
	report_text_put(text, ", %" PRIu64 " failed", sampling->failures);
	if (sampling->first_failure)
		report_text_put(text, ", the first was run %" PRIu64, sampling->first_failure);
	report_text_put(text, "\n");
	if (sampling->has_orders)
		report_text_put(text,
				"              %" PRIu64
				" different order%s, entropy %.2f bits; the next run has a new order "
				"with probability %.2f; estimated number of unseen orders: at least %.0f\n",
				sampling->distinct_orders, plural(sampling->distinct_orders), sampling->entropy,
				sampling->new_probability, sampling->unseen_orders);
	for (size_t i = 0; i < sampling->n_stats; i++)
		report_text_put(text, "%s%s %.15g%s", i ? ", " : "              ", sampling->stats[i].key,
				sampling->stats[i].value, i + 1 < sampling->n_stats ? "" : "\n");
}

/* Writes the results of a phase that samples: its runs, and a part for each policy. */
static void put_samplings(struct text *text, const struct rfs_report *report, const char *head, const char *name,
			  const struct rfs_report_sampling *samplings, size_t n)
{
	const struct rfs_report_phase *phase = phase_of(report, name);

	if (!phase || !phase->planned)
		return;
	report_text_put(text, "%s", head);
	put_runs(text, report, name, phase->runs);
	report_text_put(text, "\n");
	for (size_t i = 0; i < n; i++)
		put_sampling(text, &samplings[i]);
}

static void put_head(struct text *text, const struct rfs_report *report)
{
	report_text_put(text, "program     ");
	for (size_t i = 0; i < report->program.n_items; i++) {
		char *word = shell_word(report->program.items[i]);

		report_text_put(text, "%s%s", i ? " " : "", word);
		free(word);
	}
	report_text_put(text, "\nfirst seed  %" PRIu64 "\n", report->seed);
	if (report->has_plain)
		report_text_put(text, "baseline    %" PRIu64 " of %" PRIu64 " uncontrolled runs failed",
				report->plain_failures, report->plain_runs);
	if (report->has_plain && report->plain_timeouts > report->plain_asleep)
		report_text_put(text, ", %" PRIu64 " of them because %s timed out",
				report->plain_timeouts - report->plain_asleep,
				report->plain_timeouts - report->plain_asleep == 1 ? "it" : "they");
	if (report->has_plain && report->plain_asleep)
		report_text_put(text, ", %" PRIu64 " of them because all threads slept in futexes for good",
				report->plain_asleep);
	if (report->has_plain)
		report_text_put(text, "\n");
	if (report->measured)
		report_text_put(text, "measured    %" PRIu64 " operation%s in a run without switches (%.2f s)\n",
				report->measured, plural(report->measured), report->measure_seconds);
	if (report->has_predict) {
		report_text_put(text, "predicted   %" PRIu64 " pair%s in ", report->predict_pairs,
				plural(report->predict_pairs));
		put_runs(text, report, "predict", report->predict_runs);
		report_text_put(text, " (%.2f s)", report->predict_seconds);
		if (report->later_pairs)
			report_text_put(text, ", and %" PRIu64 " more in %" PRIu64 " later run%s", report->later_pairs,
					report->later_runs, plural(report->later_runs));
		report_text_put(text, "\n");
	}
	put_samplings(text, report, "explored    ", "explore", report->explored, report->n_explored);
	put_samplings(text, report, "sampled     ", "sample", report->samplings, report->n_samplings);
}

/* Writes one part of the summary. Writes nothing if n is zero. */
static void put_part(struct text *text, bool *first, uint64_t n, const char *one, const char *many,
		     const char *sequence)
{
	if (!n)
		return;
	report_text_put(text, "%s", *first ? "" : ", ");
	colour(text, sequence);
	report_text_put(text, "%" PRIu64 " %s", n, n == 1 ? one : many);
	colour(text, PLAIN);
	*first = false;
}

/*
 * Writes how many pairs have each verdict, the worst verdict first. findings: write the verdicts that are findings;
 * otherwise the other verdicts.
 */
static void put_verdicts(struct text *text, bool *first, const uint64_t *verdicts, bool findings)
{
	for (int i = RFS_VERDICT_COUNT; i-- > 0;) {
		const struct rfs_verdict_words *words = rfs_verdict_words((enum rfs_verdict)i);

		if (words->finding == findings)
			put_part(text, first, verdicts[i], words->one, words->many,
				 words->tone == RFS_TONE_DIM ? "" : colour_of(words->tone));
	}
}

static void put_summary(struct text *text, const struct rfs_report *report)
{
	uint64_t verdicts[RFS_VERDICT_COUNT] = {0}, deadlocks = 0, failures = 0, hangs = 0;
	bool first = true;

	for (size_t i = 0; i < report->n_pairs; i++)
		verdicts[report->pairs[i].verdict]++;
	for (size_t i = 0; i < report->n_deadlocks; i++)
		deadlocks += !report->deadlocks[i].not_reproduced;
	for (size_t i = 0; i < report->n_failures; i++) {
		const struct rfs_report_failure *failure = &report->failures[i];

		if (!rfs_failure_is_finding(failure))
			continue;
		if (failure->kind == RFS_FAILURE_HANG)
			hangs++;
		else
			failures++;
	}
	report_text_put(text, "\nresult      ");
	put_verdicts(text, &first, verdicts, true);
	put_part(text, &first, deadlocks, "deadlock", "deadlocks", RED);
	put_part(text, &first, hangs, "hang", "hangs", RED);
	put_part(text, &first, failures, "other failure", "other failures", RED);
	if (first && report->plain_failures)
		report_text_put(text,
				"nothing found besides what %" PRIu64 " of %" PRIu64 " uncontrolled runs show: %s",
				report->plain_failures, report->plain_runs,
				report->plain_failure ? report->plain_failure : "a failure");
	else if (first)
		report_text_put(text, "nothing found");
	first = false;
	put_verdicts(text, &first, verdicts, false);
	report_text_put(text, "\n");
	if (report->incomplete)
		report_text_put(text, "incomplete  %s\n", report->incomplete);
	if (report->interrupted && report->directory) {
		char *word = shell_word(report->directory);

		report_text_put(text, "continue    rfsup --continue %s\n", word);
		free(word);
	}
	if (report->cut)
		report_text_put(text, "cut         %s\n", report->cut);
	if (report->uncontrolled)
		report_text_put(text, "not under control  %s\n", report->uncontrolled);
	if (report->threaded) {
		report_text_put(text,
				"not controlled  %" PRIu64 " other process%s with several threads:", report->threaded,
				report->threaded == 1 ? "" : "es");
		for (size_t i = 0; i < report->beside.n_items; i++)
			report_text_put(text, "%s %s", i ? "," : "", report->beside.items[i]);
		report_text_put(text, "\n");
	}
	if (report->checked && report->check_difference)
		report_text_put(text, "self-check  not deterministic: %s\n", report->check_difference);
	else if (report->checked)
		report_text_put(text, "self-check  deterministic: %" PRIu64 " runs of the first finding are the same\n",
				report->checked);
	if (report->directory)
		report_text_put(text, "files       %s\n", report->directory);
}

void rfs_report_write_text(const struct rfs_report *report, bool with_colour, FILE *out)
{
	struct text text = {.out = out, .colour = with_colour, .folder = getcwd(NULL, 0)};

	put_head(&text, report);
	for (size_t i = 0; i < report->n_pairs; i++)
		put_pair(&text, &report->pairs[i]);
	for (size_t i = 0; i < report->n_deadlocks; i++)
		put_deadlock(&text, &report->deadlocks[i]);
	for (size_t i = 0; i < report->n_failures; i++)
		put_failure(&text, &report->failures[i]);
	put_summary(&text, report);
	free(text.folder);
}

static void write_counters(const struct rfs_report_sampling *samplings, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < samplings[i].n_stats; k++)
			fprintf(out, "%s.%s: %.15g\n", samplings[i].policy, samplings[i].stats[k].key,
				samplings[i].stats[k].value);
}

void rfs_report_write_stats(const struct rfs_report *report, FILE *out)
{
	for (size_t i = 0; i < report->n_stats; i++)
		fprintf(out, "%s: %.15g\n", report->stats[i].key, report->stats[i].value);
	write_counters(report->samplings, report->n_samplings, out);
	write_counters(report->explored, report->n_explored, out);
}
