/*
 * samplers.h - parses the samplers of --policy and --explore-with: a list like "rapos,pct:depth=4,steps=100,./mine.so".
 *
 * A comma ends a name. If the next word is KEY=VALUE, the comma ends an option of the name instead. So the path of a
 * shared object must not contain a comma, a colon or '='.
 */
#ifndef RFS_SAMPLERS_H
#define RFS_SAMPLERS_H

#include <stdbool.h>
#include <stddef.h>

/* Uncontrolled runs, as the user would make them. All other samplers are compared with this one. */
#define RFS_NATIVE "native"

struct rfs_sampler {
	char *name;			     /* as given, without options */
	char *options;			     /* of the policy; NULL: no options */
	const struct rfs_policy_ops *policy; /* valid after loading; NULL: native */
	const char *path;		     /* the shared object; NULL: a built-in policy. Borrowed from name */
};

struct rfs_samplers {
	struct rfs_sampler *list;
	size_t n;
};

/* Accesses no file. 0 and *out (rfs_samplers_release()), or -EINVAL and a line in why. option: its name, for the line.
 */
int rfs_samplers_parse(const char *option, const char *words, struct rfs_samplers *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_samplers_release(struct rfs_samplers *samplers);

/* Gives KEY=value to every sampler of this name. True if there is one. */
bool rfs_samplers_add_option(struct rfs_samplers *samplers, const char *name, const char *key, unsigned value);

/* Loads the shared objects, and lets the built-in policies check their options. pair: the run has a pair, which some
 * policies need and the others cannot use. 0, or -errno and a line in why. */
int rfs_samplers_load(struct rfs_samplers *samplers, bool pair, char *why, size_t n)
	__attribute__((warn_unused_result));

bool rfs_sampler_is_native(const struct rfs_sampler *sampler);

#endif
