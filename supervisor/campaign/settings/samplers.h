/*
 * samplers.h - parses the list of samplers of --policy and --explore-with, such as
 * "rapos,pct:depth=4,steps=100,./mine.so".
 *
 * Commas separate samplers, and also the options of one sampler. After a comma, KEY=VALUE is an option of the sampler
 * to its left. So the path of a shared object must not contain a comma, a colon or '='.
 */
#ifndef RFS_SAMPLERS_H
#define RFS_SAMPLERS_H

#include <stdbool.h>
#include <stddef.h>

/* The sampler that makes uncontrolled runs, as the user would make them. Other samplers are compared with it. */
#define RFS_NATIVE "native"

struct rfs_sampler {
	char *name;			     /* as the user wrote it, without options */
	char *options;			     /* options of the policy; NULL: none */
	const struct rfs_policy_ops *policy; /* rfs_samplers_load() sets it; NULL: native */
	const char *path; /* set by rfs_samplers_load(): NULL, or the shared object (borrowed from name) */
};

struct rfs_samplers {
	struct rfs_sampler *list;
	size_t n;
};

/*
 * Parses the list `words`; loads nothing. option: name of the command-line option, for messages. 0 and *out (free with
 * rfs_samplers_release()), or -EINVAL and a line in why.
 */
int rfs_samplers_parse(const char *option, const char *words, struct rfs_samplers *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_samplers_release(struct rfs_samplers *samplers);

/* Removes every sampler called `name`. */
void rfs_samplers_remove(struct rfs_samplers *samplers, const char *name);
/* Adds the option KEY=value to every sampler called `name`. True if there is one. */
bool rfs_samplers_add_option(struct rfs_samplers *samplers, const char *name, const char *key, unsigned value);

/*
 * Loads the shared objects, and lets built-in policies check their options. pair: the runs have a pair (--pairs). If
 * there is no pair, refuses policies that need one. If there is a pair, refuses policies that cannot use it. 0, or
 * -errno and a line in why.
 */
int rfs_samplers_load(struct rfs_samplers *samplers, bool pair, char *why, size_t n)
	__attribute__((warn_unused_result));

bool rfs_sampler_is_native(const struct rfs_sampler *sampler);

#endif
