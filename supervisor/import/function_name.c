/* function_name.c - cuts parameters, template arguments and suffixes off, and compares what remains. */
#include "supervisor/import/function_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "supervisor/base/alloc.h"

/* Suffixes that compilers and linkers give to copies and parts of functions. */
static bool is_suffix(const char *dot)
{
	static const char *const suffixes[] = {".constprop", ".isra", ".part",	    ".cold",
					       ".lto_priv",  ".llvm", ".localalias"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strncmp(dot, suffixes[i], strlen(suffixes[i])) == 0)
			return true;
	return false;
}

/* The end of a group in brackets that begins at p: behind its closing bracket, or at the end of the string. */
static const char *function_name_behind(const char *p, char open, char close)
{
	unsigned depth = 0;

	for (; *p; p++) {
		/* "->" in a return type closes nothing */
		if (*p == open)
			depth++;
		else if (*p == close && !(close == '>' && p[-1] == '-') && --depth == 0)
			return p + 1;
	}
	return p;
}

static bool function_name_is_operator(const char *start, const char *p)
{
	return strncmp(p, "operator", 8) == 0 && (p == start || p[-1] == ':' || p[-1] == ' ') &&
	       !isalnum((unsigned char)p[8]) && p[8] != '_';
}

/* Copies "operator()", "operator<<", "operator new[]". Returns where the parameters or template arguments begin. */
static const char *copy_operator(const char *p, char *out, size_t *n)
{
	const char *end = p + 8;

	if (strncmp(end, "()", 2) == 0)
		end += 2;
	else
		while (*end && *end != '(' && !(*end == '<' && end > p + 8 && end[-1] != '<'))
			end++;
	memcpy(out + *n, p, (size_t)(end - p));
	*n += (size_t)(end - p);
	return end;
}

/* Rust's older names end in a hash: "::h0123456789abcdef". */
static void drop_hash(char *name)
{
	size_t n = strlen(name);

	if (n > 19 && strncmp(name + n - 19, "::h", 3) == 0 && strspn(name + n - 16, "0123456789abcdef") == 16)
		name[n - 19] = '\0';
}

char *rfs_function_bare_name(const char *name)
{
	static const char unnamed[] = "(anonymous namespace)";
	char *out = xmalloc(strlen(name) + 1), *start;
	size_t n = 0;

	for (const char *p = name; *p && *p != '@';) {
		if (function_name_is_operator(name, p)) {
			p = copy_operator(p, out, &n);
		} else if (strncmp(p, unnamed, sizeof(unnamed) - 1) == 0) {
			p += sizeof(unnamed) - 1;
			p += strncmp(p, "::", 2) == 0 ? 2 : 0;
		} else if (*p == '<') {
			p = function_name_behind(p, '<', '>');
		} else if (*p == '[') {
			p = function_name_behind(p, '[', ']');
		} else if (*p == '{') {
			const char *end = function_name_behind(p, '{', '}');

			out[n++] = '{';
			if (end - p >= 2)
				out[n++] = '}';
			p = end;
		} else if (*p == '(') {
			p = function_name_behind(p, '(', ')');
			/* "f(int)::g(char)" is a function inside a function */
			if (strncmp(p, "::", 2) != 0)
				break;
		} else if (*p == ' ') {
			if (strncmp(p, " [clone", 7) == 0)
				break;
			/* a return type */
			n = 0;
			p++;
		} else if (*p == '.' && is_suffix(p)) {
			break;
		} else {
			out[n++] = *p++;
		}
	}
	out[n] = '\0';
	start = out;
	while (strncmp(start, "::", 2) == 0)
		start += 2;
	memmove(out, start, strlen(start) + 1);
	drop_hash(out);
	return out;
}

bool rfs_function_name_same(const char *bare, const char *other)
{
	size_t n = strlen(bare), m = strlen(other);
	const char *longer = n > m ? bare : other, *shorter = n > m ? other : bare;
	size_t more = n > m ? n - m : m - n;

	if (!*shorter || strcmp(longer + more, shorter) != 0)
		return false;
	return more == 0 || (more >= 2 && longer[more - 1] == ':' && longer[more - 2] == ':');
}

const char *rfs_function_last_name(const char *bare)
{
	const char *last = bare;

	for (const char *p = strstr(bare, "::"); p; p = strstr(p + 2, "::"))
		last = p + 2;
	return last;
}
