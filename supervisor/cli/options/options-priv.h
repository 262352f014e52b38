/* options-priv.h - what the parser of the command line (options.c), its table (option_table.c) and its values
 * (option_values.c) share. */
#ifndef RFS_OPTIONS_PRIV_H
#define RFS_OPTIONS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/cli/options/options.h"
#include "supervisor/record/run_options.h"

/* At least the number of all options. */
#define RFS_OPTIONS_MAX 96
#define RFS_DEFAULT_EXPLORERS "rff,delay,sweep,dpor,atom,surw,rapos,pos,random"

/*
 * The state of the parser. A function that fails writes a line into `why` and returns EINVAL, which ends argp_parse().
 */
struct rfs_parse {
	struct rfs_options *out;
	char *why;
	size_t n;
	bool failed;
	int at; /* if argp stopped at a word with an error: the index of the word after it */
	const struct rfs_option_tables *tables;
	bool given[RFS_OPTIONS_MAX]; /* option i of `tables` was given */
};

/* Writes a line into parse->why. Returns EINVAL. */
int rfs_parse_refuse(struct rfs_parse *parse, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * An option of the command line that does not belong to each execution. option.offset is an offset in struct
 * rfs_options.
 */
struct rfs_cli_option {
	struct rfs_option option;
	int letter;	  /* its short form ('j' for -j); 0: none */
	const char *word; /* the option has no argument, but may be followed by =WORD; NULL: it may not */
	bool sets;	  /* the option sets an enum to `value`; false: an option of kind SWITCH sets a bool to true */
	unsigned value;
	/* If not NULL: reads the option's argument (NULL: none), and option.kind is not used. 0 or EINVAL. */
	int (*take)(struct rfs_parse *parse, const char *name, const char *word);
	unsigned idle; /* bits 1 << enum rfs_mode: the modes in which the option has no effect */
};

/* The table ends with an option whose name is NULL. */
extern const struct rfs_cli_option rfs_cli_options[];

/* Parses `word`, the argument of an option, into *value. 0 or EINVAL. */
int rfs_option_take(struct rfs_parse *parse, const struct rfs_option *option, void *value, const char *word);
/* The name of the option that names the file of pairs or reports. */
const char *rfs_option_of_pairs(const struct rfs_options *options);
/* Appends a word to a list that ends with NULL. */
void rfs_option_append(char ***list, const char *word);
/* Sets *value to the option's default, if it has one. Only numbers have defaults. *value must be zero before. */
void rfs_option_preset(const struct rfs_option *option, void *value);

#endif
