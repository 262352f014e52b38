/* option_values.c - turns an option's argument into a value, as the row of the option says. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/date.h"
#include "supervisor/base/text/number.h"
#include "supervisor/cli/options/options-priv.h"
#include "supervisor/record/run_options.h"

int rfs_parse_refuse(struct rfs_parse *parse, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(parse->why, parse->n, format, ap);
	va_end(ap);
	parse->failed = true;
	return EINVAL;
}

static int refuse_word(struct rfs_parse *parse, const struct rfs_option *option, const char *word)
{
	const char *const *words = option->words;
	char list[256] = "";
	size_t used = 0;

	if (!words[2])
		return rfs_parse_refuse(parse, "--%s: '%s' is neither %s nor %s", option->name, word, words[0],
					words[1]);
	for (size_t i = 0; words[i] && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
	return rfs_parse_refuse(parse, "--%s: '%s' is not one of %s%s", option->name, word, list,
				option->kind == RFS_OPTION_SET ? ", all" : "");
}

void rfs_option_append(char ***list, const char *word)
{
	size_t n = 0;

	while ((*list)[n])
		n++;
	*list = xreallocarray(*list, n + 2, sizeof(**list));
	(*list)[n] = (char *)word;
	(*list)[n + 1] = NULL;
}

/* Adds the words of a list. An option that is given again adds to the set. */
static int take_set(struct rfs_parse *parse, const struct rfs_option *option, unsigned *set, const char *list)
{
	for (;;) {
		const size_t n = strcspn(list, ",");
		char *word = xstrndup(list, n);
		const int i = rfs_option_word(option->words, word);
		const bool all = strcmp(word, "all") == 0;
		const int error = i < 0 && !all ? refuse_word(parse, option, word) : 0;

		free(word);
		if (error)
			return error;
		for (int k = 0; option->words[k]; k++)
			*set |= all || k == i ? 1u << k : 0;
		if (!list[n])
			return 0;
		list += n + 1;
	}
}

int rfs_option_take(struct rfs_parse *parse, const struct rfs_option *option, void *value, const char *word)
{
	uint64_t number;
	int i;

	switch (option->kind) {
	case RFS_OPTION_SWITCH:
		*(bool *)value = true;
		return 0;
	case RFS_OPTION_EITHER:
	case RFS_OPTION_WORD:
		i = rfs_option_word(option->words, word);
		if (i < 0)
			return refuse_word(parse, option, word);
		if (option->kind == RFS_OPTION_EITHER)
			*(bool *)value = i == 1;
		else
			*(unsigned *)value = (unsigned)i;
		return 0;
	case RFS_OPTION_SET:
		return take_set(parse, option, value, word);
	case RFS_OPTION_COUNT:
		if (rfs_number_parse(word, (uint64_t)option->min, (uint64_t)option->max, &number) < 0)
			return rfs_parse_refuse(parse, "--%s: '%s' is not an integer between %.0f and %.0f",
						option->name, word, option->min, option->max);
		*(unsigned *)value = (unsigned)number;
		return 0;
	case RFS_OPTION_SECONDS:
		if (rfs_seconds_parse(word, option->min, option->max, value) < 0)
			return rfs_parse_refuse(parse,
						"--%s: '%s' is not a time between %g and %.0f seconds, such as 90, "
						"5m or 1h",
						option->name, word, option->min, option->max);
		return 0;
	case RFS_OPTION_NAME:
		if (!*word)
			return rfs_parse_refuse(parse, "--%s: the name is empty", option->name);
		*(const char **)value = word;
		return 0;
	case RFS_OPTION_TEXT:
		*(const char **)value = word;
		return 0;
	case RFS_OPTION_LIST:
		if (!*word)
			return rfs_parse_refuse(parse, "--%s: the pattern is empty", option->name);
		rfs_option_append(value, word);
		return 0;
	case RFS_OPTION_NUMBER:
		if (rfs_number_parse(word, (uint64_t)option->min, (uint64_t)option->max, value) < 0)
			return rfs_parse_refuse(parse, "--%s: '%s' is not an integer between %.0f and %.0f",
						option->name, word, option->min, option->max);
		return 0;
	case RFS_OPTION_DATE:
		if (rfs_date_parse(word, value) < 0)
			return rfs_parse_refuse(parse,
						"--%s: '%s' is not a date between 1971 and 2199, such as 2026-11-29 "
						"or 2026-11-29T10:15:00",
						option->name, word);
		return 0;
	case RFS_OPTION_SIZE:
		if (rfs_size_parse(word, (uint64_t)option->min, (uint64_t)option->max, value) < 0)
			return rfs_parse_refuse(parse,
						"--%s: '%s' is not a number of bytes of at least %.0fM, such as 512M "
						"or 4G",
						option->name, word, option->min / (1 << 20));
		return 0;
	}
	RFS_BUG("no code reads the value of --%s", option->name);
}

void rfs_option_preset(const struct rfs_option *option, void *value)
{
	if (option->preset == 0)
		return;
	switch (option->kind) {
	case RFS_OPTION_COUNT:
		*(unsigned *)value = (unsigned)option->preset;
		break;
	case RFS_OPTION_NUMBER:
		*(uint64_t *)value = (uint64_t)option->preset;
		break;
	case RFS_OPTION_SECONDS:
		*(double *)value = option->preset;
		break;
	default:
		RFS_BUG("--%s has a preset that is not a number", option->name);
	}
}
