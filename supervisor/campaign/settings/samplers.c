/* samplers.c - splits the list, loads policies, and lets each check its options. */
#include "supervisor/campaign/settings/samplers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/plugin.h"

static void append_option(struct rfs_sampler *sampler, const char *text, size_t length)
{
	char *old = sampler->options;

	sampler->options = xasprintf("%s%s%.*s", old ? old : "", old ? "," : "", (int)length, text);
	free(old);
}

static int refuse_name(const char *option, const char *name, char *why, size_t n)
{
	char names[256] = "";
	size_t used = 0;

	for (const struct rfs_policy_ops *const *p = rfs_policy_list(); *p && used < sizeof(names); p++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s, ", (*p)->name);
	return rfs_why(
		why, n, -EINVAL,
		"--%s: unknown policy '%s'; choose %s%s, or the path of a shared object, which must contain a slash",
		option, name, names, RFS_NATIVE);
}

bool rfs_sampler_is_native(const struct rfs_sampler *sampler)
{
	return strcmp(sampler->name, RFS_NATIVE) == 0;
}

/*
 * Parses one word, which ends at a comma: a name, a name with its first option, or another option of the previous
 * name.
 */
static int take_word(const char *option, const char *word, size_t length, struct rfs_samplers *out, char *why, size_t n)
{
	const char *colon = memchr(word, ':', length), *equals = memchr(word, '=', length);
	size_t name_length = colon ? (size_t)(colon - word) : length;
	struct rfs_sampler *sampler;

	if (equals && (!colon || equals < colon)) {
		if (out->n == 0)
			return rfs_why(why, n, -EINVAL, "--%s: option '%.*s' must follow a policy name", option,
				       (int)length, word);
		append_option(&out->list[out->n - 1], word, length);
		return 0;
	}
	out->list = xreallocarray(out->list, out->n + 1, sizeof(*out->list));
	sampler = &out->list[out->n++];
	*sampler = (struct rfs_sampler){.name = xstrndup(word, name_length)};
	if (colon)
		append_option(sampler, colon + 1, length - name_length - 1);
	if (rfs_sampler_is_native(sampler)) {
		if (sampler->options)
			return rfs_why(why, n, -EINVAL, "--%s: %s takes no options", option, RFS_NATIVE);
		return 0;
	}
	if (strchr(sampler->name, '/') || rfs_policy_find(sampler->name))
		return 0;
	return refuse_name(option, sampler->name, why, n);
}

int rfs_samplers_parse(const char *option, const char *words, struct rfs_samplers *out, char *why, size_t n)
{
	int error = 0;

	*out = (struct rfs_samplers){0};
	for (;;) {
		size_t length = strcspn(words, ",");

		error = take_word(option, words, length, out, why, n);
		if (error || !words[length])
			break;
		words += length + 1;
	}
	if (error)
		rfs_samplers_release(out);
	return error;
}

static void release_sampler(struct rfs_sampler *sampler)
{
	free(sampler->name);
	free(sampler->options);
}

void rfs_samplers_release(struct rfs_samplers *samplers)
{
	for (size_t i = 0; i < samplers->n; i++)
		release_sampler(&samplers->list[i]);
	free(samplers->list);
	*samplers = (struct rfs_samplers){0};
}

void rfs_samplers_remove(struct rfs_samplers *samplers, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < samplers->n; i++) {
		struct rfs_sampler *sampler = &samplers->list[i];

		if (strcmp(sampler->name, name) == 0)
			release_sampler(sampler);
		else
			samplers->list[kept++] = *sampler;
	}
	samplers->n = kept;
}

bool rfs_samplers_add_option(struct rfs_samplers *samplers, const char *name, const char *key, unsigned value)
{
	bool any = false;
	char text[64];

	snprintf(text, sizeof(text), "%s=%u", key, value);
	for (size_t i = 0; i < samplers->n; i++)
		if (strcmp(samplers->list[i].name, name) == 0) {
			append_option(&samplers->list[i], text, strlen(text));
			any = true;
		}
	return any;
}

/*
 * Checks the options of a built-in policy by calling its init(). Does nothing for a shared object: its init() may end
 * the process, which must not happen in the campaign's process.
 */
static int try_options(const struct rfs_sampler *sampler, char *why, size_t n)
{
	const struct rfs_policy_args args = {.options = sampler->options};
	void *state;
	int error;

	if (!sampler->options || sampler->path)
		return 0;
	error = sampler->policy->init(&state, &args);
	if (error)
		return rfs_why(why, n, error, "policy %s does not accept these options: %s; see rfsup(1)",
			       sampler->name, sampler->options);
	if (sampler->policy->fini)
		sampler->policy->fini(state);
	return 0;
}

int rfs_samplers_load(struct rfs_samplers *samplers, bool pair, char *why, size_t n)
{
	for (size_t i = 0; i < samplers->n; i++) {
		struct rfs_sampler *sampler = &samplers->list[i];
		int error;

		if (rfs_sampler_is_native(sampler))
			continue;
		error = rfs_policy_load(sampler->name, &sampler->policy, &sampler->path, why, n);
		if (error)
			return error;
		if ((sampler->policy->flags & RFS_POLICY_NEEDS_PAIR) && !pair)
			return rfs_why(why, n, -EINVAL, "policy '%s' needs a pair; add --pairs FILE", sampler->name);
		if (pair && !(sampler->policy->flags & RFS_POLICY_NEEDS_PAIR))
			return rfs_why(why, n, -EINVAL, "policy '%s' does not use pairs; remove --policy or --pairs",
				       sampler->name);
		error = try_options(sampler, why, n);
		if (error)
			return error;
	}
	return 0;
}
