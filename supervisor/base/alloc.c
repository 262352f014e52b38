/* alloc.c - each function calls the one of the C library and ends rfsup if it fails. */
#include "supervisor/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/error.h"

static void *checked(void *p, size_t size)
{
	if (!p && size)
		die("out of memory: cannot allocate %zu bytes", size);
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size), size);
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n, size), n ? size : 0);
}

void *xrealloc(void *old, size_t size)
{
	/* realloc(p, 0) may free p and return NULL, which would look like exhausted memory */
	return checked(realloc(old, size ? size : 1), size ? size : 1);
}

void *xreallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		die("out of memory: cannot allocate %zu elements of %zu bytes", n, size);
	return xrealloc(old, bytes);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s), 1);
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n), 1);
}

char *xasprintf(const char *format, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, format);
	n = vasprintf(&s, format, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory while formatting a message");
	return s;
}

FILE *xopen_memstream(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	if (!out)
		die("out of memory while writing a text");
	return out;
}
