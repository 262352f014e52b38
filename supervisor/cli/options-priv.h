/* options-priv.h - shared by the parser of the command line (options.c) and its table (option_table.c). */
#ifndef RFS_OPTIONS_PRIV_H
#define RFS_OPTIONS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/cli/options.h"
#include "supervisor/record/run_options.h"

#define RFS_DEFAULT_EXPLORERS "random,surw,rapos,pos"

/* The state of a parse. Every failure writes why and returns EINVAL, which ends argp_parse(). */
struct rfs_parse {
	struct rfs_options *out;
	char *why;
	size_t n;
	bool failed;
	int at; /* argp's index when it stopped with an error */
	const struct rfs_option_tables *tables;
	uint64_t given; /* bit I: option I of the tables was given */
};

/* Writes why. Returns EINVAL. */
int rfs_parse_refuse(struct rfs_parse *parse, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An option that does not belong to each execution. option.offset: in struct rfs_options. */
struct rfs_cli_option {
	struct rfs_option option;
	int letter; /* its short form; 0: no short form */
	bool sets;  /* for an enum: the value to set; otherwise a SWITCH sets a bool */
	unsigned value;
	/* Reads the word, instead of what option.kind says. 0 or EINVAL. */
	int (*take)(struct rfs_parse *parse, const char *name, const char *word);
	unsigned idle; /* 1 << enum rfs_mode: modes in which the option has no effect */
};

/* Ends with an option without a name. */
extern const struct rfs_cli_option rfs_cli_options[];

/* Parses the word of an option into its value. 0 or EINVAL. */
int rfs_option_take(struct rfs_parse *parse, const struct rfs_option *option, void *value, const char *word);
/* Sets a value to the option's preset. Only numbers have one. The value must be zero before the call. */
void rfs_option_preset(const struct rfs_option *option, void *value);

#endif
