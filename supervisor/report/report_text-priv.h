/*
 * report_text-priv.h - shared by the parts of the report for people: report_text.c (the findings), report_summary.c
 * (the counts), report_debug.c (how to get debug information) and report_put.c (places, stacks, statements).
 */
#ifndef RFS_REPORT_TEXT_PRIV_H
#define RFS_REPORT_TEXT_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rfs_report;
struct rfs_report_group;
struct rfs_report_groups;
struct rfs_report_item;
struct rfs_report_pair;
struct rfs_report_statement;
struct rfs_report_strings;
struct rfs_source_place;
struct rfs_source_stack;

struct rfs_text {
	FILE *out;
	bool colour;
	char *folder; /* the working directory; files in it are shown relative to it; NULL: unknown */
};

#define RFS_TEXT_BOLD "\033[1m"
#define RFS_TEXT_DIM "\033[2m"
#define RFS_TEXT_RED "\033[1;31m"
#define RFS_TEXT_YELLOW "\033[1;33m"
#define RFS_TEXT_CYAN "\033[36m"
#define RFS_TEXT_PLAIN "\033[0m"

/* Writes text with its control characters replaced. Names come from the target, and must not control the terminal. */
void rfs_text_put(struct rfs_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rfs_text_colour(struct rfs_text *text, const char *sequence);
/* "file.c:12:3", or "module+0x1234" if the line is not known. Caller frees. */
char *rfs_text_place(const struct rfs_text *text, const struct rfs_source_place *place);
/* "first() at file.c:12". Caller frees. */
char *rfs_text_who(const struct rfs_text *text, const struct rfs_source_place *place);
/*
 * Writes the frames in the user's code first, then in one line the function of a header or library that they called.
 * Other frames of headers and libraries are left out.
 */
void rfs_text_put_stack(struct rfs_text *text, const struct rfs_source_stack *stack, const char *indent);
/* Writes "holding A, B", or `none`. */
void rfs_text_put_locks(struct rfs_text *text, const struct rfs_report_strings *locks, const char *none);
void rfs_text_put_statement(struct rfs_text *text, const struct rfs_report_statement *statement);

/* report_cycle.c: the predicted deadlocks that no run created, and inversions by one thread; and their numbers. */
void rfs_text_put_cycles(struct rfs_text *text, const struct rfs_report *report);
void rfs_text_put_cycle_counts(struct rfs_text *text, const struct rfs_report *report);

/* report_violation.c: the harmful atomicity violations, unless their failures are known; the others; and their numbers.
 * True if there was something to write. */
bool rfs_text_put_harmful_violations(struct rfs_text *text, const struct rfs_report *report);
void rfs_text_put_violations(struct rfs_text *text, const struct rfs_report *report);
/* "HARMFUL ATOMICITY VIOLATION R-w-W on balance". Caller frees. */
char *rfs_text_violation_name(const struct rfs_report_violation *violation);
/* Says in one line what the threads do, and how often the program fails. */
void rfs_text_put_violation_sentence(struct rfs_text *text, const struct rfs_report_violation *violation);
/* The violations that go along with the deadlock. */
void rfs_text_put_along(struct rfs_text *text, const struct rfs_report *report,
			const struct rfs_report_deadlock *deadlock);
/* Writes it below this name. */
void rfs_text_put_violation(struct rfs_text *text, const struct rfs_report_violation *violation, const char *colour);
void rfs_text_put_violation_counts(struct rfs_text *text, const struct rfs_report *report);

/*
 * report_debug.c: for the modules without debug information whose code the findings and unclear races show, says how
 * to get it. Nothing if there are none.
 */
void rfs_text_put_debug_hints(struct rfs_text *text, const struct rfs_report *report,
			      const struct rfs_report_groups *groups);

/* report_text.c: the heading of a finding; caller frees. Then one sentence on a line: what happens where. */
char *rfs_text_head(const struct rfs_report_item *item);
void rfs_text_put_sentence(struct rfs_text *text, const struct rfs_report_item *item, const struct rfs_report *report);
/* Writes a group of findings. */
void rfs_text_put_group(struct rfs_text *text, const struct rfs_report_group *group, const struct rfs_report *report);

/* report_summary.c: writes the counts, as the end of the report. */
void rfs_text_put_summary(struct rfs_text *text, const struct rfs_report *report);

/* report_triage.c: writes what became of the reports of other tools. Nothing if there are none. */
void rfs_text_put_triage(struct rfs_text *text, const struct rfs_report *report);

/* report_text_suppressed.c: what suppressions hid, and which hid nothing; then the blocks of --gen-suppressions. */
void rfs_text_put_suppressed(struct rfs_text *text, const struct rfs_report *report);
void rfs_text_put_generated(struct rfs_text *text, const struct rfs_report *report);

/* report_text_misuse.c: writes the wrong uses of the thread library. */
void rfs_text_put_proof(struct rfs_text *text, const struct rfs_report *report);
void rfs_text_put_misuses(struct rfs_text *text, const struct rfs_report *report);

#endif
