/*
 * run_options.h - the options of each execution: one table serves the command line, the records and the comparison of
 * executions that share a worker.
 *
 * An option is a member of struct rfs_run_spec. A new one is a member, a row in run_options.c, its text in rfsup(1),
 * and the code that uses it.
 */
#ifndef RFS_RUN_OPTIONS_H
#define RFS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/record/run_spec.h"

/* How a value is stored, and what it is called on the command line and in a record. */
enum rfs_option_kind {
	RFS_OPTION_SWITCH,  /* bool: given or not */
	RFS_OPTION_EITHER,  /* bool: the second of two words; in a record true, or absent */
	RFS_OPTION_WORD,    /* enum, from 0: one of words */
	RFS_OPTION_COUNT,   /* unsigned, from min to max */
	RFS_OPTION_NUMBER,  /* uint64_t */
	RFS_OPTION_SECONDS, /* double, from min to max */
	RFS_OPTION_NAME,    /* string that is not empty; NULL: absent */
	RFS_OPTION_TEXT,    /* string; NULL: absent */
	RFS_OPTION_LIST,    /* strings, ends with NULL; the option may be repeated */
};

/* An option of the command line. */
struct rfs_option {
	const char *name, *argument; /* name NULL: it cannot be given; argument NULL: it takes no word */
	int group;		     /* of --help */
	const char *help;
	enum rfs_option_kind kind;
	size_t offset; /* of the value in its struct */
	double min, max, preset;
	const char *const *words; /* EITHER, WORD: ends with NULL */
};

/* Keys of a record keep their order; other keys stand between these parts. */
enum rfs_record_part { RFS_RECORD_PROCESS, RFS_RECORD_POINTS, RFS_RECORD_LIMITS };

/* An option of each execution. option.offset: in struct rfs_run_spec. */
struct rfs_run_option {
	struct rfs_option option;
	const char *key; /* in a record; NULL: not recorded */
	enum rfs_record_part part;
	bool replays; /* may be given with a record, in place of what the record says */
	bool detects; /* has no effect without a detector */
};

extern const struct rfs_run_option rfs_run_options[];
extern const size_t rfs_n_run_options;

/* True if all options of the two are the same. */
bool rfs_run_options_equal(const struct rfs_run_spec *a, const struct rfs_run_spec *b);

/* The number of the word in words (ends with NULL), or -1. */
int rfs_option_word(const char *const *words, const char *word);

/* "sync", "races" or "memory"; borrowed forever. */
const char *rfs_points_name(enum rfs_points points);

#endif
