/*
 * samplers.h - the samplers that --policy and --explore-with name: a list like "rapos,pct:depth=4,steps=100,./mine.so".
 *
 * A comma ends a name, or an option of the name before where the next word is KEY=VALUE. So the path of a shared object
 * must have neither a comma nor a colon, and no '=' behind one.
 */
#ifndef RFS_SAMPLERS_H
#define RFS_SAMPLERS_H

#include <stdbool.h>
#include <stddef.h>

/* Uncontrolled runs, as the user would make them: what all others are to be held against. */
#define RFS_NATIVE "native"

struct rfs_sampler {
	char *name;			     /* as it was given, without options */
	char *options;			     /* of the policy; NULL: none */
	const struct rfs_policy_ops *policy; /* valid once loaded; NULL: native */
	const char *path;		     /* the shared object; NULL: built in. Borrowed from name */
};

struct rfs_samplers {
	struct rfs_sampler *list;
	size_t n;
};

/* Looks at no file. 0 and *out (rfs_samplers_release()), or -EINVAL and a line in why. option: for the line. */
int rfs_samplers_parse(const char *option, const char *words, struct rfs_samplers *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_samplers_release(struct rfs_samplers *samplers);

/* Gives KEY=value to every sampler of this name. True where there is one. */
bool rfs_samplers_add_option(struct rfs_samplers *samplers, const char *name, const char *key, unsigned value);

/*
 * Loads the shared objects, and lets the built-in policies look at their options. pair: there is one to work on, which
 * some policies need, and which the others cannot use. 0, or -errno and a line in why.
 */
int rfs_samplers_load(struct rfs_samplers *samplers, bool pair, char *why, size_t n)
	__attribute__((warn_unused_result));

bool rfs_sampler_is_native(const struct rfs_sampler *sampler);

#endif
