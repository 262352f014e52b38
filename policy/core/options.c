/* options.c - splits the text at commas, and compares the keys with those that the policy knows. */
#include "policy/core/options.h"

#include <errno.h>
#include <string.h>

/* The maximum number of options of a policy, because `seen` has one bit for each, to detect repetitions. */
#define MAX_OPTIONS 64

/* Not strtoull(), which also accepts blanks, signs and other bases. */
static int options_parse_number(const char *text, size_t length, uint64_t *out)
{
	uint64_t value = 0;

	if (length == 0)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return -EINVAL;
	}
	*out = value;
	return 0;
}

static size_t find_key(const struct rfs_policy_option *options, size_t n, const char *key, size_t length)
{
	size_t i = 0;

	while (i < n && (strlen(options[i].key) != length || memcmp(options[i].key, key, length) != 0))
		i++;
	return i;
}

int rfs_policy_options_parse(const char *text, const struct rfs_policy_option *options, size_t n)
{
	uint64_t seen = 0;

	if (!text || !*text)
		return 0;
	if (n > MAX_OPTIONS)
		return -EINVAL;
	for (;;) {
		size_t length = strcspn(text, ","), key_length = strcspn(text, "=,"), i;
		int err;

		if (key_length == length)
			return -EINVAL;
		i = find_key(options, n, text, key_length);
		if (i == n || (seen >> i & 1))
			return -EINVAL;
		seen |= UINT64_C(1) << i;
		err = options_parse_number(text + key_length + 1, length - key_length - 1, options[i].value);
		if (err)
			return err;
		if (options[i].given)
			*options[i].given = true;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}
