/* script.c - reads tests. */
#include "supervisor/generate/driver/script.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/driver/results.h"

/* Section, slot, function, class of the result, values. */
#define WORDS_MAX (RFS_DRIVER_VALUES + 4)

static int script_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a string in hexadecimal digits, with a NUL. */
static char *script_string_of(const char *word)
{
	size_t n = strlen(word) / 2;
	char *text = malloc(n + 1);

	for (size_t i = 0; text && i < n; i++)
		text[i] = (char)(script_digit(word[2 * i]) << 4 | script_digit(word[2 * i + 1]));
	if (text)
		text[n] = '\0';
	return text;
}

static bool script_slot_of(const char *word, uint64_t *out)
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

static bool is_hexadecimal(const char *word)
{
	return strlen(word) % 2 == 0 && strspn(word, "0123456789abcdef") == strlen(word);
}

/* A std::string of libstdc++. Short text is in the object itself. The driver is no C++ program, so it writes the
 * members. */
struct cxx_string {
	char *text;
	size_t length;
	union {
		char local[16];
		size_t room;
	};
};

/* The library may free or replace long text of a std::string, so the text comes from operator new. */
static char *cxx_new(size_t size)
{
	void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znwm");

	return allocate ? allocate(size) : malloc(size);
}

static void cxx_delete(void *memory)
{
	void (*release)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "_ZdlPv");

	if (release)
		release(memory);
	else
		free(memory);
}

static struct cxx_string *cxx_string_of(const char *word)
{
	struct cxx_string *string = calloc(1, sizeof(*string));
	char *text = script_string_of(word);

	if (!string || !text) {
		free(string);
		free(text);
		return NULL;
	}
	string->length = strlen(word) / 2;
	string->text = string->local;
	if (string->length >= sizeof(string->local)) {
		string->room = string->length;
		string->text = cxx_new(string->length + 1);
	}
	if (string->text)
		memcpy(string->text, text, string->length + 1);
	free(text);
	if (string->text)
		return string;
	free(string);
	return NULL;
}

static void free_cxx_string(struct cxx_string *string)
{
	if (string->text != string->local)
		cxx_delete(string->text);
	free(string);
}

/* The class before a colon. NULL: it is wrong. Otherwise what comes after the colon. */
static const char *class_of(const char *word, char *out)
{
	size_t n = strspn(word, "isnm");

	if (word[n] != ':' || n >= RFS_DRIVER_CLASS)
		return NULL;
	memcpy(out, word, n);
	out[n] = '\0';
	return word + n + 1;
}

static bool read_record(const char *word, struct rfs_driver_value *out)
{
	const char *bytes = class_of(word, out->class);
	size_t n;

	if (!bytes || !is_hexadecimal(bytes))
		return false;
	n = strlen(bytes) / 2;
	out->n_words = (n + 7) / 8;
	if (out->class[0] != 'm' && out->n_words != strlen(out->class))
		return false;
	if (!owned(out, calloc(out->n_words + 1, 8)))
		return false;
	out->kind = RFS_DRIVER_RECORD;
	for (size_t i = 0; i < n; i++)
		((unsigned char *)out->pointer)[i] =
			(unsigned char)(script_digit(bytes[2 * i]) << 4 | script_digit(bytes[2 * i + 1]));
	return true;
}

/* The class of the result, and memory for it. */
static bool read_result(const char *word, struct rfs_driver_call *out)
{
	const char *size = class_of(word, out->result);

	if (!size || out->memory)
		return false;
	if (out->result[0] == 'm')
		out->memory = calloc(1, strtoul(size, NULL, 10) + 1);
	return out->result[0] != 'm' || out->memory;
}

static bool script_read_value(const char *word, struct rfs_driver_value *out)
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
		return is_hexadecimal(rest) && owned(out, script_string_of(rest));
	case 'g':
		return is_hexadecimal(rest) && owned(out, script_string_of(rest));
	case 'm':
		return owned(out, calloc(1, strtoul(rest, NULL, 10) + 1));
	case 'v':
		out->kind = RFS_DRIVER_SLOT;
		return script_slot_of(rest, &out->integer);
	case 'a':
		out->kind = RFS_DRIVER_SLOT_ADDRESS;
		return script_slot_of(rest, &out->integer);
	case 'z':
		out->kind = RFS_DRIVER_ZERO;
		return !*rest;
	case 'y':
		out->kind = RFS_DRIVER_IDENTITY;
		return !*rest;
	case 'n':
		return !*rest;
	case 'o':
		out->kind = RFS_DRIVER_DESCRIPTOR;
		return !*rest;
	case 'w':
		/* it has no descriptor, so the fork server accepts a process that has it */
		if (*rest || !owned(out, fmemopen(NULL, RFS_DRIVER_STREAM_BYTES, "w+")))
			return false;
		out->kind = RFS_DRIVER_STREAM;
		return true;
	case 't':
		return read_record(rest, out);
	case 'c':
		if (!is_hexadecimal(rest) || !owned(out, cxx_string_of(rest)))
			return false;
		out->kind = RFS_DRIVER_STRING;
		return true;
	default:
		return false;
	}
}

static void *memory(size_t n)
{
	return calloc(1, n);
}

/* The shim has a pointer to each function. */
static void *script_function_of(const char *name)
{
	char *symbol;
	void **pointer;

	if (strcmp(name, "*memory") == 0)
		return (void *)memory;
	if (asprintf(&symbol, "rfs_p_%s", name) < 0)
		return NULL;
	pointer = dlsym(RTLD_DEFAULT, symbol);
	free(symbol);
	/* a shim of C++ has no pointers */
	return pointer ? *pointer : dlsym(RTLD_DEFAULT, name);
}

rfs_driver_plain_fn *rfs_driver_plain(const char *name)
{
	return (rfs_driver_plain_fn *)script_function_of(name);
}

/* How many words of the stack the call needs at most. */
static size_t stack_of(const struct rfs_driver_call *call)
{
	size_t n = 0;

	for (size_t i = 0; i < call->n_values; i++)
		n += call->values[i].kind == RFS_DRIVER_RECORD ? call->values[i].n_words : 1;
	return n;
}

static bool read_arguments(char *const *words, size_t n, struct rfs_driver_call *call, char *why, size_t n_why)
{
	for (size_t i = 0; i < n; i++) {
		bool good = words[i][0] == 'r' ? read_result(words[i] + 1, call)
			    : call->n_values == RFS_DRIVER_VALUES
				    ? false
				    : script_read_value(words[i], &call->values[call->n_values++]);

		if (!good) {
			snprintf(why, n_why, "'%s' is not a value, or one too many", words[i]);
			return false;
		}
	}
	if (stack_of(call) <= RFS_DRIVER_STACK)
		return true;
	snprintf(why, n_why, "more than %d words of arguments", RFS_DRIVER_STACK);
	return false;
}

static bool read_call(char *line, struct rfs_driver_script *out, char *why, size_t n_why)
{
	char *save = NULL, *words[WORDS_MAX], *word;
	struct rfs_driver_call *call;
	size_t n = 0, section;
	uint64_t slot;

	for (word = strtok_r(line, " ", &save); word && n < WORDS_MAX; word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	if (n && strcmp(words[0], "?") == 0) {
		if (!word && rfs_driver_results_add(words + 1, n - 1))
			return true;
		snprintf(why, n_why, "a result needs a section, a call, a parameter and a kind");
		return false;
	}
	if (word || n < 3 || words[0][0] < '0' || words[0][0] >= '0' + RFS_DRIVER_SECTIONS || words[0][1]) {
		snprintf(why, n_why, "a line needs a section from 0 to 3, a slot, a function and at most %d values",
			 RFS_DRIVER_VALUES);
		return false;
	}
	section = (size_t)(words[0][0] - '0');
	if (out->n[section] == RFS_DRIVER_CALLS) {
		snprintf(why, n_why, "more than %d calls in a section", RFS_DRIVER_CALLS);
		return false;
	}
	call = &out->calls[section][out->n[section]++];
	*call = (struct rfs_driver_call){.function = script_function_of(words[2]), .slot = -1};
	if (!call->function) {
		snprintf(why, n_why, "no function '%s'", words[2]);
		return false;
	}
	if (strcmp(words[1], "-") != 0) {
		if (!script_slot_of(words[1], &slot)) {
			snprintf(why, n_why, "no slot '%s'", words[1]);
			return false;
		}
		call->slot = (int)slot;
	}
	return read_arguments(words + 3, n - 3, call, why, n_why);
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

static void free_value(const struct rfs_driver_value *value)
{
	if (value->kind == RFS_DRIVER_POINTER || value->kind == RFS_DRIVER_RECORD)
		free(value->pointer);
	else if (value->kind == RFS_DRIVER_STRING)
		free_cxx_string(value->pointer);
	else if (value->kind == RFS_DRIVER_STREAM)
		fclose(value->pointer);
}

void rfs_driver_script_clear(struct rfs_driver_script *script)
{
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++) {
		for (size_t i = 0; i < script->n[section]; i++) {
			const struct rfs_driver_call *call = &script->calls[section][i];

			free(call->memory);
			for (size_t k = 0; k < call->n_values; k++)
				free_value(&call->values[k]);
		}
		script->n[section] = 0;
	}
	memset(script->slots, 0, sizeof(script->slots));
	rfs_driver_results_clear();
}
