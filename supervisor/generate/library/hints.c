/* hints.c - reads the file of --hints. hints_apply.c compares it with the library. */
#include "supervisor/generate/library/hints.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"

/* Larger files and numbers are mistakes. */
#define SIZE_MAX_READ (1u << 20)
#define PARAMETERS_MAX 255

struct reading {
	struct rfs_library_hints *hints;
	unsigned line;
	struct rfs_hint_word *words; /* of this line */
	size_t n_words;
	unsigned end; /* the column behind the last word */
	char *why;
	size_t n_why;
};

int rfs_hint_refuse(const struct rfs_library_hints *hints, unsigned line, unsigned column, char *why, size_t n,
		    const char *format, ...)
{
	va_list list;
	int written = snprintf(why, n, "%s:%u:%u: ", hints->path, line, column);

	va_start(list, format);
	if (written >= 0 && (size_t)written < n)
		vsnprintf(why + written, n - (size_t)written, format, list);
	va_end(list);
	return -EINVAL;
}

/* ---- words ---- */

/* The byte of an escape sequence; -1: not supported. *at: its letter. */
static int escaped(char letter)
{
	static const char letters[] = "ntr\\\"", bytes[] = "\n\t\r\\\"";
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? (unsigned char)bytes[found - letters] : -1;
}

static struct rfs_hint_word *new_word(struct reading *reading, size_t column)
{
	reading->words = xreallocarray(reading->words, reading->n_words + 1, sizeof(*reading->words));
	reading->words[reading->n_words] = (struct rfs_hint_word){.column = (unsigned)column + 1};
	return &reading->words[reading->n_words++];
}

/* Reads a word in quotes, which begins at `at`. *next: behind it. */
static int read_quoted(struct reading *reading, const char *line, size_t n, size_t at, size_t *next)
{
	struct rfs_hint_word *word = new_word(reading, at);
	size_t length = 0, i = at + 1;

	word->quoted = true;
	word->text = xmalloc(n - at);
	for (; i < n && line[i] != '"'; i++) {
		int byte = (unsigned char)line[i];

		if (line[i] == '\\') {
			byte = i + 1 < n ? escaped(line[i + 1]) : -1;
			if (byte < 0)
				return rfs_hint_refuse(reading->hints, reading->line, (unsigned)i + 1, reading->why,
						       reading->n_why,
						       "only \\n, \\t, \\r, \\\\ and \\\" may follow a backslash");
			i++;
		}
		word->text[length++] = (char)byte;
	}
	word->text[length] = '\0';
	if (i == n)
		return rfs_hint_refuse(reading->hints, reading->line, word->column, reading->why, reading->n_why,
				       "the string has no end; add a quotation mark");
	*next = i + 1;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void forget_words(struct reading *reading)
{
	for (size_t i = 0; i < reading->n_words; i++)
		free(reading->words[i].text);
	free(reading->words);
	reading->words = NULL;
	reading->n_words = 0;
}

static int hints_split(struct reading *reading, const char *line, size_t n)
{
	const char *zero = memchr(line, '\0', n);
	int error = 0;
	size_t at = 0;

	reading->end = 1;
	if (zero)
		return rfs_hint_refuse(reading->hints, reading->line, (unsigned)(zero - line) + 1, reading->why,
				       reading->n_why, "a NUL byte; the file must be text");
	while (!error) {
		size_t start;

		while (at < n && is_blank(line[at]))
			at++;
		if (at == n || line[at] == '#')
			break;
		start = at;
		if (line[at] == '"') {
			error = read_quoted(reading, line, n, at, &at);
		} else {
			while (at < n && !is_blank(line[at]))
				at++;
			new_word(reading, start)->text = xstrndup(line + start, at - start);
		}
		reading->end = (unsigned)at + 1;
	}
	return error;
}

/* ---- hints ---- */

static int hints_refuse(const struct reading *reading, size_t word, const char *what)
{
	unsigned column = word < reading->n_words ? reading->words[word].column : reading->end;

	return rfs_hint_refuse(reading->hints, reading->line, column, reading->why, reading->n_why, "%s", what);
}

/* Moves words from the line to the hint. */
static struct rfs_hint_word hints_take(struct reading *reading, size_t word)
{
	struct rfs_hint_word taken = reading->words[word];

	reading->words[word].text = NULL;
	return taken;
}

static struct rfs_hint_word *take_all(struct reading *reading, size_t first, size_t n)
{
	struct rfs_hint_word *taken = xcalloc(n, sizeof(*taken));

	for (size_t i = 0; i < n; i++)
		taken[i] = hints_take(reading, first + i);
	return taken;
}

static bool is_word(const struct reading *reading, size_t i, const char *text)
{
	return i < reading->n_words && !reading->words[i].quoted && strcmp(reading->words[i].text, text) == 0;
}

static bool read_number(const struct reading *reading, size_t word, size_t *out)
{
	uint64_t number;

	if (word >= reading->n_words || rfs_number_parse(reading->words[word].text, 0, PARAMETERS_MAX, &number))
		return false;
	*out = number;
	return true;
}

static int hints_read_type(struct reading *reading, struct rfs_library_hint *hint)
{
	bool safe = is_word(reading, 2, "safe");

	if (reading->n_words < 2)
		return hints_refuse(reading, 1, "write: type NAME safe, or: type NAME unsafe");
	if (!safe && !is_word(reading, 2, "unsafe"))
		return hints_refuse(reading, 2, "write safe or unsafe after the type");
	hint->kind = safe ? RFS_LIBRARY_HINT_SAFE : RFS_LIBRARY_HINT_UNSAFE;
	return reading->n_words > 3 ? hints_refuse(reading, 3, "nothing may follow; quote a name with blanks") : 0;
}

static int read_param(struct reading *reading, struct rfs_library_hint *hint)
{
	if (reading->n_words < 2)
		return hints_refuse(reading, 1,
				    "write: param FUNCTION N length-of M, or: param FUNCTION N values WORD...");
	if (!read_number(reading, 2, &hint->parameter))
		return hints_refuse(reading, 2,
				    "write the number of a parameter after the function; the first one is 0");
	if (is_word(reading, 3, "length-of")) {
		hint->kind = RFS_LIBRARY_HINT_LENGTH;
		if (!read_number(reading, 4, &hint->buffer))
			return hints_refuse(reading, 4, "write the number of the parameter that has this length");
		if (reading->n_words > 5)
			return hints_refuse(reading, 5, "nothing may follow the number of the parameter");
		hint->numbers = xcalloc(2, sizeof(*hint->numbers));
		hint->numbers[1] = hints_take(reading, 4);
	} else if (is_word(reading, 3, "values")) {
		hint->kind = RFS_LIBRARY_HINT_VALUES;
		if (reading->n_words < 5)
			return hints_refuse(reading, 4, "write at least one value");
		hint->n_values = reading->n_words - 4;
		hint->values = take_all(reading, 4, hint->n_values);
		hint->numbers = xcalloc(1, sizeof(*hint->numbers));
	} else {
		return hints_refuse(reading, 3, "write length-of or values after the number of the parameter");
	}
	hint->numbers[0] = hints_take(reading, 2);
	return 0;
}

static int read_function(struct reading *reading, struct rfs_library_hint *hint)
{
	static const struct {
		const char *word;
		enum rfs_library_hint_kind kind;
	} rows[] = {
		{"constructor", RFS_LIBRARY_HINT_CONSTRUCTOR},
		{"destructor", RFS_LIBRARY_HINT_DESTRUCTOR},
		{"method", RFS_LIBRARY_HINT_METHOD},
		{"skip", RFS_LIBRARY_HINT_SKIP},
		{"thread-start", RFS_LIBRARY_HINT_THREAD_START},
		{"thread-end", RFS_LIBRARY_HINT_THREAD_END},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!is_word(reading, 0, rows[i].word))
			continue;
		hint->kind = rows[i].kind;
		if (reading->n_words < 2)
			return hints_refuse(reading, 1, "write the name of a function");
		return reading->n_words > 2 ? hints_refuse(reading, 2, "nothing may follow the function") : 0;
	}
	return hints_refuse(
		reading, 0,
		"not a hint; the hints are type, constructor, destructor, method, handle, call, skip, param, "
		"thread-start and thread-end");
}

/* "handle NAME MAKER GLOB..." or "call FUNCTION WORD..." */
static int read_list(struct reading *reading, struct rfs_library_hint *hint)
{
	const bool handle = is_word(reading, 0, "handle");

	hint->kind = handle ? RFS_LIBRARY_HINT_HANDLE : RFS_LIBRARY_HINT_CALL;
	if (reading->n_words < (handle ? 4 : 3))
		return hints_refuse(reading, reading->n_words,
				    handle ? "write: handle NAME FUNCTION GLOB..." : "write: call FUNCTION WORD...");
	hint->n_values = reading->n_words - 2;
	hint->values = take_all(reading, 2, hint->n_values);
	return 0;
}

static void release_hint(struct rfs_library_hint *hint)
{
	size_t n_numbers = !hint->numbers ? 0 : hint->kind == RFS_LIBRARY_HINT_LENGTH ? 2 : 1;

	for (size_t i = 0; i < n_numbers; i++)
		free(hint->numbers[i].text);
	for (size_t i = 0; i < hint->n_values; i++)
		free(hint->values[i].text);
	free(hint->numbers);
	free(hint->values);
	free(hint->name.text);
}

static int hints_read_line(struct reading *reading, const char *line, size_t n)
{
	struct rfs_library_hints *hints = reading->hints;
	struct rfs_library_hint hint = {.line = reading->line};
	int error = hints_split(reading, line, n);

	if (!error && reading->n_words) {
		error = is_word(reading, 0, "type")				       ? hints_read_type(reading, &hint)
			: is_word(reading, 0, "param")				       ? read_param(reading, &hint)
			: is_word(reading, 0, "handle") || is_word(reading, 0, "call") ? read_list(reading, &hint)
										       : read_function(reading, &hint);
		if (error) {
			release_hint(&hint);
		} else {
			hint.name = hints_take(reading, 1);
			hints->list = xreallocarray(hints->list, hints->n + 1, sizeof(*hints->list));
			hints->list[hints->n++] = hint;
		}
	}
	forget_words(reading);
	return error;
}

int rfs_hints_parse(const char *path, const char *text, size_t size, struct rfs_library_hints *out, char *why, size_t n)
{
	struct reading reading = {.hints = out, .why = why, .n_why = n};
	int error = 0;

	*out = (struct rfs_library_hints){.path = xstrdup(path)};
	for (size_t at = 0; at < size && !error;) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - (text + at)) : size - at;

		reading.line++;
		error = hints_read_line(&reading, text + at, length);
		at += length + 1;
	}
	if (error)
		rfs_hints_release(out);
	return error;
}

int rfs_hints_read(const char *path, struct rfs_library_hints *out, char *why, size_t n)
{
	char *text = xmalloc(SIZE_MAX_READ + 1);
	FILE *in = fopen(path, "re");
	size_t size = in ? fread(text, 1, SIZE_MAX_READ + 1, in) : 0;
	int error = !in || ferror(in) ? -errno : 0;

	*out = (struct rfs_library_hints){0};
	if (in)
		fclose(in);
	if (error)
		rfs_why(why, n, error, "--hints: cannot read '%s': %s", path, strerror(-error));
	else if (size > SIZE_MAX_READ)
		error = rfs_why(why, n, -EFBIG, "--hints: '%s' has more than 1 MiB; give a file of hints", path);
	else
		error = rfs_hints_parse(path, text, size, out, why, n);
	free(text);
	return error;
}

void rfs_hints_release(struct rfs_library_hints *hints)
{
	for (size_t i = 0; i < hints->n; i++)
		release_hint(&hints->list[i]);
	free(hints->list);
	free(hints->path);
	*hints = (struct rfs_library_hints){0};
}

const char **rfs_hints_names(const struct rfs_library_hints *hints, enum rfs_library_hint_kind kind)
{
	const char **names = xcalloc(hints->n + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < hints->n; i++)
		if (hints->list[i].kind == kind)
			names[n++] = hints->list[i].name.text;
	return names;
}
