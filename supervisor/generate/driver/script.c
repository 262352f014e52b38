/* script.c - reads tests. */
#include "supervisor/generate/driver/script.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/driver/results.h"

#define WORDS_MAX (RFS_DRIVER_VALUES + 3)

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a string in hexadecimal digits, with a NUL. */
static char *string_of(const char *word)
{
	size_t n = strlen(word) / 2;
	char *text = malloc(n + 1);

	for (size_t i = 0; text && i < n; i++)
		text[i] = (char)(digit(word[2 * i]) << 4 | digit(word[2 * i + 1]));
	if (text)
		text[n] = '\0';
	return text;
}

static bool slot_of(const char *word, uint64_t *out)
{
	char *end;

	*out = strtoul(word, &end, 10);
	return end != word && !*end && *out < RFS_DRIVER_SLOTS;
}

static bool owned(struct rfs_driver_value *out, void *pointer)
{
	out->kind = RFS_DRIVER_POINTER;
	out->pointer = pointer;
	return pointer;
}

static bool read_value(const char *word, struct rfs_driver_value *out)
{
	const char *rest = word + 1;
	char *end;

	*out = (struct rfs_driver_value){0};
	switch (word[0]) {
	case 'i':
		out->integer = strtoull(rest, &end, 0);
		return end != rest && !*end;
	case 'd':
		out->kind = RFS_DRIVER_DOUBLE;
		out->real = strtod(rest, &end);
		return end != rest && !*end;
	case 'f':
		out->kind = RFS_DRIVER_FLOAT;
		out->single = strtof(rest, &end);
		return end != rest && !*end;
	case 's':
		out->is_text = true;
		return strlen(rest) % 2 == 0 && strspn(rest, "0123456789abcdef") == strlen(rest) &&
		       owned(out, string_of(rest));
	case 'm':
		return owned(out, calloc(1, strtoul(rest, NULL, 10) + 1));
	case 'v':
		out->kind = RFS_DRIVER_SLOT;
		return slot_of(rest, &out->integer);
	case 'a':
		out->kind = RFS_DRIVER_SLOT_ADDRESS;
		return slot_of(rest, &out->integer);
	case 'z':
		out->kind = RFS_DRIVER_ZERO;
		return !*rest;
	case 'y':
		out->kind = RFS_DRIVER_IDENTITY;
		return !*rest;
	case 'n':
		return !*rest;
	default:
		return false;
	}
}

static void *memory(size_t n)
{
	return calloc(1, n);
}

/* The shim has a pointer to each function. */
static void *function_of(const char *name)
{
	char *symbol;
	void **pointer;

	if (strcmp(name, "*memory") == 0)
		return (void *)memory;
	if (asprintf(&symbol, "rfs_p_%s", name) < 0)
		return NULL;
	pointer = dlsym(RTLD_DEFAULT, symbol);
	free(symbol);
	return pointer ? *pointer : NULL;
}

rfs_driver_plain_fn *rfs_driver_plain(const char *name)
{
	return (rfs_driver_plain_fn *)function_of(name);
}

static bool read_call(char *line, struct rfs_driver_script *out, char *why, size_t n_why)
{
	char *save = NULL, *words[WORDS_MAX];
	struct rfs_driver_call *call;
	size_t n = 0, section;
	uint64_t slot;

	for (char *word = strtok_r(line, " ", &save); word && n < WORDS_MAX; word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	if (n && strcmp(words[0], "?") == 0) {
		if (rfs_driver_results_add(words + 1, n - 1))
			return true;
		snprintf(why, n_why, "a result needs a section, a call, a parameter and a kind");
		return false;
	}
	if (n < 3 || words[0][0] < '0' || words[0][0] >= '0' + RFS_DRIVER_SECTIONS || words[0][1]) {
		snprintf(why, n_why, "a line needs a section from 0 to 3, a slot and a function");
		return false;
	}
	section = (size_t)(words[0][0] - '0');
	if (out->n[section] == RFS_DRIVER_CALLS) {
		snprintf(why, n_why, "more than %d calls in a section", RFS_DRIVER_CALLS);
		return false;
	}
	call = &out->calls[section][out->n[section]++];
	*call = (struct rfs_driver_call){.function = function_of(words[2]), .slot = -1};
	if (!call->function) {
		snprintf(why, n_why, "no function '%s'", words[2]);
		return false;
	}
	if (strcmp(words[1], "-") != 0) {
		if (!slot_of(words[1], &slot)) {
			snprintf(why, n_why, "no slot '%s'", words[1]);
			return false;
		}
		call->slot = (int)slot;
	}
	for (size_t i = 3; i < n; i++) {
		if (!read_value(words[i], &call->values[call->n_values++])) {
			snprintf(why, n_why, "'%s' is not a value", words[i]);
			return false;
		}
	}
	return true;
}

bool rfs_driver_script_read(const char *text, size_t n, struct rfs_driver_script *out, char *why, size_t n_why)
{
	char *copy = strndup(text, n), *save = NULL;
	bool good = copy;

	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && good; line = strtok_r(NULL, "\n", &save))
		good = read_call(line, out, why, n_why);
	free(copy);
	return good;
}

void rfs_driver_script_clear(struct rfs_driver_script *script)
{
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++) {
		for (size_t i = 0; i < script->n[section]; i++) {
			const struct rfs_driver_call *call = &script->calls[section][i];

			for (size_t k = 0; k < call->n_values; k++)
				if (call->values[k].kind == RFS_DRIVER_POINTER)
					free(call->values[k].pointer);
		}
		script->n[section] = 0;
	}
	memset(script->slots, 0, sizeof(script->slots));
	rfs_driver_results_clear();
}
