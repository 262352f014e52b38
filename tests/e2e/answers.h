/*
 * answers.h - targets/targets.txt, the known answers of the target programs, and the marks in their sources.
 *
 * All data has a fixed size and no pointers, because Criterion copies parameters from one process to another.
 */
#ifndef RFS_TESTS_E2E_ANSWERS_H
#define RFS_TESTS_E2E_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ANSWER_NAME = 48,
	ANSWER_PAIRS = 8,
	ANSWER_LINES = 4, /* lines that may have the same mark */
	ANSWER_WORDS = 4,
	ANSWERS_MAX = 256, /* at least the lines of targets.txt */
};

enum answer_kind {
	ANSWER_RACE,
	ANSWER_DEADLOCK,
	ANSWER_HANG,
	ANSWER_FAILURE,
	ANSWER_PREDICTED_ONLY,
	ANSWER_SILENT,
	ANSWER_DIVERGES,
	ANSWER_BENCH,
	ANSWER_KINDS
};

enum answer_want {
	ANSWER_HARMFUL, /* !: harmful */
	ANSWER_REAL,	/* no sign: real or harmful */
	ANSWER_BENIGN,	/* =: real and not harmful */
	ANSWER_LIBRARY, /* : real or harmful, in code that the marked lines call */
	ANSWER_MAY,	/* ?: any verdict */
	ANSWER_NEVER,	/* ~: never real or harmful */
};

struct answer_pair {
	enum answer_want want;
	char mark[2][ANSWER_NAME];
};

struct answer {
	char name[ANSWER_NAME];
	enum answer_kind kind;
	int status;
	struct answer_pair pairs[ANSWER_PAIRS];
	size_t n_pairs;
	bool others;			       /* other pairs may be found as well */
	char words[ANSWER_WORDS][ANSWER_NAME]; /* arguments of the program */
	size_t n_words;
	char twin[ANSWER_NAME]; /* name of the fixed twin, or "" */
	char rule[ANSWER_NAME];
	bool in_short_check;
};

/* Where a mark is: a file, with a path that begins with targets/, and its lines. */
struct answer_mark {
	char file[ANSWER_NAME];
	unsigned lines[ANSWER_LINES];
	size_t n_lines;
};

/* Reads up to max answers from targets.txt. Ends the program if its format is wrong. Returns how many. */
size_t answers_read(struct answer *answers, size_t max);
/* Reads those that this check runs: all in a full check, otherwise one of each rule. */
size_t answers_of_check(struct answer *answers, size_t max);
/* Finds the mark in the source of the target or of its library. Asserts that it is there. */
void answers_mark(const char *target, const char *mark, struct answer_mark *out);
bool answers_mark_has(const struct answer_mark *mark, const char *file, unsigned line);

#endif
