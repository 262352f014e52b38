/* options.h - parses the options of a policy: "key=value,key=value". Values are unsigned decimal numbers. */
#ifndef RFS_POLICY_OPTIONS_H
#define RFS_POLICY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_policy_option {
	const char *key;
	uint64_t *value; /* unchanged if the option is not given */
	bool *given;	 /* set if the option is given; may be NULL */
};

/*
 * Parses text into the n options; NULL or "" means no options. Returns 0, or -EINVAL for an unknown or repeated key, an
 * empty item, or a value that is not a number below 2^64.
 */
int rfs_policy_options_parse(const char *text, const struct rfs_policy_option *options, size_t n)
	__attribute__((warn_unused_result));

#endif
