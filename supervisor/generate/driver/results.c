/* results.c - copies values while calls return, gives addresses numbers, and writes all as text. */
#include "supervisor/generate/driver/results.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "supervisor/generate/driver/script.h"

#define PAGE 4096
/* Each byte of a text takes at most four, and there are two quotation marks. */
#define LINE_MAX (4 * RFS_DRIVER_TEXT + 8)

enum state { NOT_TAKEN, TAKEN, UNREADABLE };

static struct result {
	size_t section, call;
	int parameter; /* -1: the result */
	size_t offset; /* in the result */
	char kind;
	size_t size;
	enum state state;
	uint64_t word; /* an integer or a pointer */
	char text[RFS_DRIVER_TEXT + 1];
	bool is_null; /* of a string */
} results[RFS_DRIVER_RESULTS];
static size_t n_results, n_objects;

/* ---- the lines of a test ---- */

static bool results_number(const char *word, size_t max, size_t *out)
{
	char *end;

	*out = strtoul(word, &end, 10);
	return end != word && !*end && *out < max;
}

static bool results_read_kind(const char *word, struct result *out)
{
	out->kind = word[0];
	if (word[0] == 's' || word[0] == 'p' || word[0] == 'b') {
		out->size = sizeof(out->word);
		return !word[1];
	}
	return (word[0] == 'i' || word[0] == 'u' || word[0] == 'f') &&
	       results_number(word + 1, sizeof(out->word) + 1, &out->size);
}

bool rfs_driver_results_add(char *const *words, size_t n)
{
	struct result *result = &results[n_results];
	size_t parameter = 0;

	if (n == 1)
		return results_number(words[0], RFS_DRIVER_SLOTS, &n_objects);
	if (n != 4 || n_results == RFS_DRIVER_RESULTS)
		return false;
	*result = (struct result){.parameter = -1};
	if (!results_number(words[0], RFS_DRIVER_SECTIONS, &result->section) ||
	    !results_number(words[1], RFS_DRIVER_CALLS, &result->call) || !results_read_kind(words[3], result))
		return false;
	if (words[2][0] == 'r') {
		if (!results_number(words[2] + 1, RFS_DRIVER_RETURNED - result->size + 1, &result->offset))
			return false;
	} else {
		if (!results_number(words[2], RFS_DRIVER_VALUES, &parameter))
			return false;
		result->parameter = (int)parameter;
	}
	n_results++;
	return true;
}

void rfs_driver_results_clear(void)
{
	n_results = n_objects = 0;
}

size_t rfs_driver_results_count(void)
{
	return n_results;
}

/* ---- copies ---- */

/* Reads memory that another thread may have freed. False: it cannot be read. */
static bool results_read_memory(uint64_t from, void *to, size_t n)
{
	const struct iovec here = {to, n}, there = {(void *)from, n};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Reads up to the end of each page, because the page after a string may be inaccessible. */
static bool results_read_text(uint64_t from, struct result *out)
{
	size_t n = 0;

	memset(out->text, 0, sizeof(out->text));
	while (n < RFS_DRIVER_TEXT && strlen(out->text) == n) {
		size_t left = PAGE - (from + n) % PAGE, more = left < RFS_DRIVER_TEXT - n ? left : RFS_DRIVER_TEXT - n;

		if (!results_read_memory(from + n, out->text + n, more))
			return false;
		n += more;
	}
	return true;
}

static uint64_t results_argument(struct rfs_driver_script *script, const struct rfs_driver_value *value)
{
	switch (value->kind) {
	case RFS_DRIVER_POINTER:
		return (uint64_t)value->pointer;
	case RFS_DRIVER_SLOT:
		return script->slots[value->integer];
	case RFS_DRIVER_SLOT_ADDRESS:
		return (uint64_t)&script->slots[value->integer];
	default:
		return 0;
	}
}

static uint64_t results_extended(uint64_t word, char kind, size_t size)
{
	unsigned unused = 64 - 8 * (unsigned)size;

	if (!size || size >= sizeof(word))
		return word;
	return kind == 'i' ? (uint64_t)((int64_t)(word << unused) >> unused) : word << unused >> unused;
}

static bool results_take(struct rfs_driver_script *script, const struct rfs_driver_call *call,
			 const uint64_t returned[2], struct result *out)
{
	uint64_t at;

	out->word = 0;
	if (out->parameter < 0) {
		memcpy(&out->word, (const char *)returned + out->offset, out->size);
	} else {
		at = results_argument(script, &call->values[out->parameter]);
		if (out->kind == 'b')
			out->word = at;
		else if (!results_read_memory(at, &out->word, out->size))
			return false;
	}
	if (out->kind == 'i' || out->kind == 'u')
		out->word = results_extended(out->word, out->kind, out->size);
	if (out->kind != 's' && out->kind != 'b')
		return true;
	out->is_null = !out->word;
	return out->is_null || results_read_text(out->word, out);
}

void rfs_driver_results_take(struct rfs_driver_script *script, size_t section, size_t call, const uint64_t returned[2])
{
	for (size_t i = 0; i < n_results; i++)
		if (results[i].section == section && results[i].call == call)
			results[i].state = results_take(script, &script->calls[section][call], returned, &results[i])
						   ? TAKEN
						   : UNREADABLE;
}

/* ---- the file ---- */

/* In quotes, with escape sequences of C. out: LINE_MAX bytes. */
static void results_write_text(const char *text, char *out)
{
	*out++ = '"';
	for (size_t i = 0; text[i] && i < RFS_DRIVER_TEXT; i++)
		if (text[i] == '"' || text[i] == '\\')
			out += sprintf(out, "\\%c", text[i]);
		else
			out += sprintf(out, isprint((unsigned char)text[i]) ? "%c" : "\\%03o", (unsigned char)text[i]);
	strcpy(out, "\"");
}

/* The name of an object, or of memory or a string of the test. False: the pointer is to something else. */
static bool results_name_of(const struct rfs_driver_script *script, uint64_t pointer, char *out)
{
	size_t n_memory = 0;

	for (size_t i = 0; i < n_objects; i++)
		if (script->slots[i] == pointer) {
			sprintf(out, "v%zu", i);
			return true;
		}
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		for (size_t i = 0; i < script->n[section]; i++)
			for (size_t k = 0; k < script->calls[section][i].n_values; k++) {
				const struct rfs_driver_value *value = &script->calls[section][i].values[k];

				if (value->kind != RFS_DRIVER_POINTER)
					continue;
				sprintf(out, "m%zu", n_memory);
				if (value->is_text)
					results_write_text(value->pointer, out);
				if ((uint64_t)value->pointer == pointer)
					return true;
				n_memory += !value->is_text;
			}
	return false;
}

/* Whether results[i] is an object that the test does not have. */
static bool results_is_new(const struct rfs_driver_script *script, size_t i)
{
	char name[LINE_MAX];

	return results[i].kind == 'p' && results[i].state == TAKEN && results[i].word &&
	       !results_name_of(script, results[i].word, name);
}

static bool results_is_first(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (results[k].kind == 'p' && results[k].state == TAKEN && results[k].word == results[i].word)
			return false;
	return true;
}

/* The number of a new object, in the order in which they come first. */
static size_t new_number(const struct rfs_driver_script *script, uint64_t pointer)
{
	size_t n = 0;

	for (size_t i = 0; i < n_results; i++) {
		n += results_is_new(script, i) && results_is_first(i);
		if (results[i].kind == 'p' && results[i].state == TAKEN && results[i].word == pointer)
			break;
	}
	return n;
}

static double results_real_of(const struct result *result)
{
	double real;
	float single;

	if (result->size == sizeof(real)) {
		memcpy(&real, &result->word, sizeof(real));
		return real;
	}
	memcpy(&single, &result->word, sizeof(single));
	return single;
}

static void results_write_result(const struct rfs_driver_script *script, const struct result *result, char *out)
{
	if (result->state != TAKEN)
		strcpy(out, result->state == UNREADABLE ? "unreadable" : "none");
	else if (result->kind == 'i' || result->kind == 'u')
		sprintf(out, "%lld", (long long)result->word);
	else if (result->kind == 'f')
		sprintf(out, "%.17g", results_real_of(result));
	else if (result->kind == 'p' ? !result->word : result->is_null)
		strcpy(out, "NULL");
	else if (result->kind != 'p')
		results_write_text(result->text, out);
	else if (!results_name_of(script, result->word, out))
		sprintf(out, "new %zu", new_number(script, result->word));
}

/* The heap is not used, because the calls may have damaged it. */
bool rfs_driver_results_write(const struct rfs_driver_script *script, const char *path)
{
	static char text[RFS_DRIVER_RESULTS * (LINE_MAX + 1)];
	size_t n = 0;
	int fd;

	for (size_t i = 0; i < n_results; i++) {
		results_write_result(script, &results[i], text + n);
		n += strlen(text + n);
		text[n++] = '\n';
	}
	fd = n ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	return fd >= 0 && write(fd, text, n) == (ssize_t)n && close(fd) == 0;
}
