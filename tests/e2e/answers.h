/*
 * answers.h - targets/targets.txt, the known answers of the target programs, and the marks in their sources.
 *
 * All is plain data of fixed size: Criterion hands parameters from one process to another.
 */
#ifndef RFS_TESTS_E2E_ANSWERS_H
#define RFS_TESTS_E2E_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ANSWER_NAME = 48,
	ANSWER_PAIRS = 8,
	ANSWER_LINES = 4, /* a mark may be on several lines */
	ANSWER_WORDS = 4,
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
	ANSWER_HARMFUL, /* ! */
	ANSWER_REAL,	/* real or harmful */
	ANSWER_LIBRARY, /* ^: real or harmful, below the marked lines */
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
	char words[ANSWER_WORDS][ANSWER_NAME]; /* the program's arguments */
	size_t n_words;
	char twin[ANSWER_NAME]; /* "": none */
};

/* The place of a mark: the file, from targets/ on, and the lines. */
struct answer_mark {
	char file[ANSWER_NAME];
	unsigned lines[ANSWER_LINES];
	size_t n_lines;
};

/* Fills up to max answers; asserts that the file can be understood. Returns how many. */
size_t answers_read(struct answer *answers, size_t max);
/* Asserts that the mark is in the target's source, or in its library's. */
void answers_mark(const char *target, const char *mark, struct answer_mark *out);
bool answers_mark_has(const struct answer_mark *mark, const char *file, unsigned line);

#endif
