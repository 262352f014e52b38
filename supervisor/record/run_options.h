/*
 * run_options.h - the table of the options of each execution.
 *
 * The command line, the records, and the comparison of executions that share a worker use the same table. An option is
 * a member of struct rfs_run_spec. To add an option, add a member, a row in run_options.c, its text in rfsup(1), and
 * the code that uses it.
 */
#ifndef RFS_RUN_OPTIONS_H
#define RFS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/record/run_spec.h"

/* How a value is stored, and how it is written on the command line and in a record. */
enum rfs_option_kind {
	RFS_OPTION_SWITCH,  /* bool: given or not */
	RFS_OPTION_EITHER,  /* bool: selects the first or the second of two words; in a record true (the second) or
			       absent */
	RFS_OPTION_WORD,    /* enum, from 0: index of one of the words */
	RFS_OPTION_SET,	    /* unsigned: bit i is word i; words with commas between them, or "all"; 0: absent */
	RFS_OPTION_COUNT,   /* unsigned, from min to max */
	RFS_OPTION_NUMBER,  /* uint64_t */
	RFS_OPTION_SIZE,    /* uint64_t: bytes, on the command line with K, M, G or T; in a record a number */
	RFS_OPTION_SECONDS, /* double, from min to max */
	RFS_OPTION_DATE,    /* uint64_t: seconds since 1970, on the command line a date; 0: absent */
	RFS_OPTION_NAME,    /* string that is not empty; NULL: absent */
	RFS_OPTION_TEXT,    /* string; NULL: absent */
	RFS_OPTION_LIST,    /* strings, ends with NULL; the option may be repeated */
};

/* An option of the command line. */
struct rfs_option {
	const char *name,
		*argument; /* name NULL: the option exists only in records; argument NULL: it takes no argument */
	int group;	   /* its group in --help */
	const char *help;
	enum rfs_option_kind kind;
	size_t offset; /* of the value in its struct; for run options, struct rfs_run_spec */
	double min, max, preset;
	const char *const *words; /* EITHER, WORD, SET: ends with NULL */
};

/*
 * The part of a record that contains the key. The order of the keys in records does not change, and other keys are
 * between these parts.
 */
enum rfs_record_part { RFS_RECORD_PROCESS, RFS_RECORD_POINTS, RFS_RECORD_LIMITS };

/* An option of each execution. */
struct rfs_run_option {
	struct rfs_option option;
	const char *key; /* the key in a record; NULL: not recorded */
	enum rfs_record_part part;
	bool replays; /* may be given with --replay or --simplify; it then replaces the recorded value */
	bool absent; /* a list, set or number: if the record has no such key, because an older rfsup wrote it, there are
			no elements, or the number is 0 */
};

extern const struct rfs_run_option rfs_run_options[];
extern const size_t rfs_n_run_options;

/* True if all options have the same values in both specs. */
bool rfs_run_options_equal(const struct rfs_run_spec *a, const struct rfs_run_spec *b);

/* The index of the word in words (ends with NULL), or -1. */
int rfs_option_word(const char *const *words, const char *word);

/* "sync", "races" or "memory"; a static string. */
const char *rfs_points_name(enum rfs_points points);

#endif
