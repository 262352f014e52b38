/*
 * short_name.c - shortens the names of functions for people.
 *
 * The names of libstdc++'s threads, futures and callbacks have hundreds of characters, and only a few words in them are
 * useful. The report's JSON has the full names.
 */
#include "supervisor/report/text/short_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/symbols/source_place.h"

/* Names up to this length are not shortened. Most function names are shorter, in C++ too. */
#define MOST 60

/*
 * The length of the name of a C++ operator with which s begins; 0 if s does not begin with one. Such a name may contain
 * angle brackets or parentheses.
 */
static size_t operator_length(const char *s)
{
	/* longer operators come first; operators without angle brackets or parentheses need no entry */
	static const char *const tokens[] = {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};
	size_t word = strlen("operator");

	if (strncmp(s, "operator", word) != 0)
		return 0;
	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++)
		if (strncmp(s + word, tokens[i], strlen(tokens[i])) == 0)
			return word + strlen(tokens[i]);
	return word;
}

/* s begins with an opening bracket or parenthesis. Returns the position of the closing one; NULL if there is none. */
static const char *closing(const char *s)
{
	unsigned depth = 0;

	while (*s) {
		size_t skip = operator_length(s);

		if (!skip && strncmp(s, "->", 2) == 0)
			skip = 2;
		if (skip) {
			s += skip;
			continue;
		}
		if (*s == '<' || *s == '(')
			depth++;
		else if ((*s == '>' || *s == ')') && --depth == 0)
			return s;
		s++;
	}
	return NULL;
}

/* The text that replaces the group from open to close, without the brackets. */
static const char *instead(const char *open, const char *close)
{
	static const char *const kept[] = {"", "anonymous namespace"};
	static const char lambda[] = "lambda";
	size_t n = (size_t)(close - open - 1);

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (n == strlen(kept[i]) && strncmp(open + 1, kept[i], n) == 0)
			return kept[i];
	return strncmp(open + 1, lambda, strlen(lambda)) == 0 ? lambda : "...";
}

/*
 * The name of a function that gcc or clang made of an OpenMP construct: "main._omp_fn.0", "main.omp_outlined.1",
 * ".omp_outlined..1", with the suffix _debug__ before the number. Caller frees; NULL: it is no such function.
 */
static char *region_name(const char *function)
{
	static const char *const marks[] = {"._omp_fn.", ".omp_outlined"};
	const char *mark = NULL;
	unsigned long number;
	size_t n, half;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks) && !mark; i++)
		mark = strstr(function, marks[i]);
	if (!mark)
		return NULL;
	/* clang gives no number to the first one */
	number = strtoul(mark + strcspn(mark, "0123456789"), NULL, 10) + 1;
	n = (size_t)(mark - function);
	if (!n)
		return xasprintf("OpenMP region %lu", number);
	/* debug information may say that the function is inside the one that it was made of: "main::main._omp_fn.0" */
	half = (n - strlen("::")) / 2;
	if (n > strlen("::") && strncmp(function + half, "::", strlen("::")) == 0 &&
	    strncmp(function, function + half + strlen("::"), half) == 0)
		n = half;
	return xasprintf("%.*s, OpenMP region %lu", (int)n, function, number);
}

char *rfs_short_place_name(const struct rfs_source_place *place)
{
	if (place->function)
		return rfs_short_name(place->function);
	return xstrdup(place->near ? place->near : "?");
}

char *rfs_short_name(const char *function)
{
	size_t size;
	char *name;
	FILE *out;

	name = region_name(function);
	if (name)
		return name;
	if (strlen(function) <= MOST)
		return xstrdup(function);
	out = xopen_memstream(&name, &size);
	for (const char *s = function; *s;) {
		size_t skip = operator_length(s);
		const char *close = !skip && (*s == '<' || *s == '(') ? closing(s) : NULL;

		if (close) {
			fprintf(out, "%c%s%c", *s, instead(s, close), *close);
			s = close + 1;
			continue;
		}
		if (!skip)
			skip = 1;
		fwrite(s, 1, skip, out);
		s += skip;
	}
	if (fclose(out))
		die("out of memory while writing a name");
	return name;
}
