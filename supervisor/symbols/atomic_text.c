/*
 * atomic_text.c - looks for calls of atomic functions in one line of C or C++.
 *
 * A line may have other accesses besides the atomic one. So these are compared with the move: the column, if compilers
 * have written it (gcc and clang give the atomic access the column of the function's or macro's name); whether the
 * function loads or stores; which variable its first argument names; and whether that variable is reached through a
 * pointer. The move counts as atomic only if nothing contradicts.
 */
#include "supervisor/symbols/atomic_text.h"

#include <ctype.h>
#include <string.h>

/* An identifier in a line. n is 0 at the end of the line. */
struct word {
	const char *at;
	size_t n;
};

/* The first argument of a call, without what follows its comma. */
struct argument {
	const char *at;
	size_t n;
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next identifier from `text` on. Leaves out strings, characters and comments. */
static struct word next_word(const char *text)
{
	while (*text && !is_name(*text)) {
		if (text[0] == '/' && text[1] == '/')
			return (struct word){text + strlen(text), 0};
		if (*text == '"' || *text == '\'') {
			const char quote = *text++;

			while (*text && *text != quote)
				text += *text == '\\' && text[1] ? 2 : 1;
		}
		text += *text != '\0';
	}
	for (size_t n = 0;; n++)
		if (!is_name(text[n]))
			return (struct word){text, n};
}

static bool contains(const struct word *word, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= word->n; i++)
		if (strncasecmp(word->at + i, part, n) == 0)
			return true;
	return false;
}

/* What follows the identifier and blanks, if that is a parenthesis; otherwise NULL. */
static const char *opening(const struct word *word)
{
	const char *after = word->at + word->n;

	while (*after == ' ' || *after == '\t')
		after++;
	return *after == '(' ? after + 1 : NULL;
}

static struct argument first_argument(const char *text)
{
	int depth = 0;
	size_t n = 0;

	for (; text[n] && depth >= 0; n++) {
		depth += text[n] == '(' || text[n] == '[';
		depth -= text[n] == ')' || text[n] == ']';
		if (depth < 0 || (text[n] == ',' && depth == 0))
			break;
	}
	return (struct argument){text, n};
}

/* Whether the function can be the move: a load does not write, and a store does not read. */
static bool direction_fits(const struct word *function, bool writes)
{
	static const char *const loads[] = {"load", "get", "read"};
	static const char *const stores[] = {"store", "set", "write", "clear", "init", "release"};

	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++)
		if (contains(function, stores[i]))
			return writes;
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (contains(function, loads[i]))
			return !writes;
	return true;
}

/* The last component of a variable's name before a member or index: "count" of "ns::count.hits". */
static struct word root_of(const char *variable)
{
	const char *start = variable;
	size_t n = strcspn(variable, ".[");

	for (size_t i = 0; i + 1 < n; i++)
		if (variable[i] == ':' && variable[i + 1] == ':')
			start = variable + i + 2;
	return (struct word){start, n - (size_t)(start - variable)};
}

/* Whether the argument names the variable itself, not what the variable points to. */
static bool names_variable(const struct argument *argument, const char *variable, bool macro)
{
	const struct word root = root_of(variable);
	const char *end = argument->at + argument->n;
	bool address = macro || memchr(argument->at, '&', argument->n);

	for (struct word word = next_word(argument->at); word.n && word.at < end; word = next_word(word.at + word.n)) {
		const char *after = word.at + word.n;

		if (word.n != root.n || strncmp(word.at, root.at, root.n) != 0)
			continue;
		while (*after == ' ' || *after == ')')
			after++;
		return address && !(after[0] == '-' && after[1] == '>');
	}
	return false;
}

enum rfs_move_says rfs_move_text_says(const struct rfs_move_text *move)
{
	bool any = false, unclear = false;

	for (struct word word = next_word(move->line); word.n; word = next_word(word.at + word.n)) {
		const char *open = opening(&word);
		const enum rfs_macro macro =
			open && move->macro ? move->macro(move->arg, word.at, word.n) : RFS_MACRO_PLAIN;
		const enum rfs_move_says says = macro == RFS_MACRO_AMBIGUOUS ? RFS_MOVE_UNKNOWN : RFS_MOVE_ATOMIC;
		struct argument argument;

		if (strncmp(word.at, "memory_order", strlen("memory_order")) == 0 ||
		    strncmp(word.at, "__ATOMIC_", strlen("__ATOMIC_")) == 0)
			unclear = true;
		if (macro == RFS_MACRO_PLAIN && !(open && contains(&word, "atomic")))
			continue;
		any = true;
		if (!direction_fits(&word, move->writes))
			continue;
		if (move->column && move->column != (size_t)(word.at - move->line) + 1)
			continue;
		argument = first_argument(open);
		/* the argument may be on the next line */
		if (argument.n == strspn(argument.at, " \t"))
			return says;
		if (!move->variable || names_variable(&argument, move->variable, macro != RFS_MACRO_PLAIN))
			return says;
	}
	return (any && !move->column) || (unclear && !any) ? RFS_MOVE_UNKNOWN : RFS_MOVE_PLAIN;
}

bool rfs_text_stores(const char *line)
{
	static const char *const others[] = {"exchange", "swap", "fetch", "test_and_set"};
	bool assigns = false;

	for (struct word word = next_word(line); word.n; word = next_word(word.at + word.n)) {
		const char *after = word.at + word.n;

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
			if (contains(&word, others[i]))
				return false;
		after += strcspn(after, "=;");
		assigns |= contains(&word, "store") || contains(&word, "set") ||
			   (after[0] == '=' && after[1] != '=' && !strchr("=!<>", after[-1]));
	}
	return assigns;
}

bool rfs_text_has_atomic(const char *text)
{
	for (struct word word = next_word(text); word.n; word = next_word(word.at + word.n))
		if (contains(&word, "atomic") && opening(&word))
			return true;
	return false;
}

/* Where the expression before a member begins: the "a[i]->b" of "a[i]->b.c". */
static const char *chain_start(const char *line, const char *at)
{
	int depth = 0;

	for (; at > line; at--) {
		const char c = at[-1];

		depth += c == ']' || c == ')';
		if (depth == 0 && !is_name(c) && c != '.' && !(c == '>' && at - 1 > line && at[-2] == '-') &&
		    !(c == '-' && *at == '>'))
			break;
		depth -= c == '[' || c == '(';
		if (depth < 0)
			break;
	}
	return at;
}

static bool is_member(const char *line, const struct word *word)
{
	const char *before = word->at;

	while (before > line && before[-1] == ' ')
		before--;
	return before > line && (before[-1] == '.' || (before[-1] == '>' && before - 1 > line && before[-2] == '-'));
}

bool rfs_text_has_member(const char *line, unsigned column, const char *name, bool *inside)
{
	const char *place = column > 0 && column <= strlen(line) ? line + column - 1 : NULL;
	bool has = false, elsewhere = false;

	*inside = false;
	for (struct word word = next_word(line); word.n; word = next_word(word.at + word.n)) {
		const bool named = word.n == strlen(name) && strncmp(word.at, name, word.n) == 0;

		if (!is_member(line, &word))
			continue;
		has |= named;
		if (place && place >= chain_start(line, word.at) && place < word.at + word.n) {
			*inside |= named;
			elsewhere |= !named;
		}
	}
	return has && (*inside || !elsewhere);
}
