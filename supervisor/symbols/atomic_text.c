/*
 * atomic_text.c - looks for calls of atomic functions in one line of C or C++.
 *
 * A line may have other accesses besides the atomic one. So these are compared with the move: the column, if compilers
 * have written it (gcc and clang give the atomic access the column of the function's or macro's name, g++ that of the
 * function's parenthesis); whether the function loads or stores; which variable its arguments name; and whether that
 * variable is reached through a pointer. The move counts as atomic only if nothing contradicts.
 *
 * Before C11, programs wrote atomic accesses as accesses through a cast to volatile, or in assembly. The language does
 * not know these as atomics, but the program means them as such.
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
static struct word atomic_text_next_word(const char *text)
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

static bool atomic_text_contains(const struct word *word, const char *part)
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

enum direction { DIRECTION_UNKNOWN, DIRECTION_LOAD, DIRECTION_STORE };

/* What the name of a function or macro says about its access. */
static enum direction direction_of(const struct word *function)
{
	static const char *const loads[] = {"load", "get", "read", "deref"};
	static const char *const stores[] = {"store", "set", "write", "clear", "init", "release", "assign"};

	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++)
		if (atomic_text_contains(function, stores[i]))
			return DIRECTION_STORE;
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (atomic_text_contains(function, loads[i]))
			return DIRECTION_LOAD;
	return DIRECTION_UNKNOWN;
}

/* Whether a function of this name is atomic. */
static bool is_atomic_name(const struct word *word)
{
	return atomic_text_contains(word, "atomic") || strncmp(word->at, "__sync_", strlen("__sync_")) == 0;
}

static bool equals(const struct word *word, const char *name)
{
	return word->n == strlen(name) && strncmp(word->at, name, word->n) == 0;
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

enum naming {
	NAMING_NONE,
	NAMING_ITSELF,	/* the variable itself */
	NAMING_POINTER, /* what it points to, or its value */
};

/* How the argument names the variable. */
static enum naming names_variable(const struct argument *argument, const char *variable, bool macro)
{
	const struct word root = root_of(variable);
	const char *end = argument->at + argument->n;
	bool address = macro || memchr(argument->at, '&', argument->n);

	for (struct word word = atomic_text_next_word(argument->at); word.n && word.at < end;
	     word = atomic_text_next_word(word.at + word.n)) {
		const char *after = word.at + word.n;

		if (word.n != root.n || strncmp(word.at, root.at, root.n) != 0)
			continue;
		while (*after == ' ' || *after == ')')
			after++;
		return address && !(after[0] == '-' && after[1] == '>') ? NAMING_ITSELF : NAMING_POINTER;
	}
	return NAMING_NONE;
}

/* Whether the argument consists of names and stars: a pointer, as in "p" or "*p", or a type, as in "struct node *". */
static bool is_simple(const struct argument *argument)
{
	for (size_t i = 0; i < argument->n; i++)
		if (!is_name(argument->at[i]) && !strchr(" \t*()", argument->at[i]))
			return false;
	return true;
}

/* Whether the argument ends with the member that the variable's name ends with: "&p->b" and "object.b". */
static bool has_member_of(const struct argument *argument, const char *variable)
{
	const char *end = argument->at + argument->n, *dot = strrchr(variable, '.');
	struct word last = {argument->at, 0};

	for (struct word word = atomic_text_next_word(argument->at); word.n && word.at < end;
	     word = atomic_text_next_word(word.at + word.n))
		last = word;
	return dot && last.n && last.n == strcspn(dot + 1, "[") && strncmp(last.at, dot + 1, last.n) == 0;
}

/* A call of an atomic function or macro in the line. */
struct call {
	struct word name;
	const char *open; /* what follows the parenthesis */
	bool macro;
	bool placed; /* the column of the move is that of the call */
	enum rfs_move_says says;
};

/*
 * What the call says of the move; PLAIN if it says nothing. The object of a macro may come behind a type, as in
 * LOAD(int, x). If no argument names the variable, a pointer points to it.
 */
static enum rfs_move_says call_says(const struct call *call, const struct rfs_move_text *move)
{
	const bool directed = direction_of(&call->name) != DIRECTION_UNKNOWN;
	struct argument argument = first_argument(call->open);
	bool object = true, points = false;

	/* the argument may be on the next line */
	if (!move->variable || argument.n == strspn(argument.at, " \t"))
		return call->says;
	for (;;) {
		switch (names_variable(&argument, move->variable, call->macro)) {
		case NAMING_ITSELF:
			return object ? call->says : RFS_MOVE_PLAIN;
		case NAMING_POINTER:
			return RFS_MOVE_PLAIN;
		case NAMING_NONE:
			points |= object && (is_simple(&argument) || has_member_of(&argument, move->variable));
		}
		if (argument.at[argument.n] != ',')
			break;
		object &= call->macro && (directed || is_simple(&argument));
		argument = first_argument(argument.at + argument.n + 1);
	}
	if (!call->placed)
		return RFS_MOVE_PLAIN;
	return points ? call->says : RFS_MOVE_MEANT;
}

/*
 * Behind a cast to a volatile object, as in "(volatile int *)" or "static_cast<volatile int &>". NULL if the word
 * "volatile" before `text` is of something else, such as a declaration.
 */
static const char *behind_cast(const char *text)
{
	int depth = 0;
	char last = 0;

	for (; *text; text++) {
		depth += *text == '(' || *text == '<';
		if (depth == 0 && (*text == ')' || *text == '>'))
			return last == '*' || last == '&' ? text + 1 : NULL;
		depth -= *text == ')' || *text == '>';
		if (depth == 0 && strchr(";=,{}", *text))
			return NULL;
		last = *text == ' ' ? last : *text;
	}
	return NULL;
}

static bool is_volatile(const struct word *word)
{
	return equals(word, "volatile") || equals(word, "__volatile__") || equals(word, "__volatile");
}

static bool atomic_text_is_assembly(const struct word *word)
{
	return equals(word, "asm") || equals(word, "__asm__") || equals(word, "__asm");
}

/* Whether the text begins with an operator that reads and writes what is before it: ++, -- or +=. */
static bool is_update(const char *text)
{
	if ((text[0] == '+' || text[0] == '-') && text[1] == text[0])
		return true;
	if (text[0] && text[1] == text[0] && strchr("<>", text[0]))
		text++;
	return text[0] && strchr("+-*/%&|^<>", text[0]) && text[1] == '=' && (text[0] != '<' || text[-1] == '<') &&
	       (text[0] != '>' || text[-1] == '>');
}

/*
 * The text behind a cast to a volatile object, if the object is only read or only written. An update of it is two
 * accesses, and nobody means these as one atomic. NULL if it is an update, or no such cast.
 */
static const char *behind_access(const char *line, const struct word *word)
{
	const char *behind = is_volatile(word) ? behind_cast(word->at + word->n) : NULL, *before = word->at, *at;
	int depth = 0;

	if (!behind)
		return NULL;
	while (before > line && (is_name(before[-1]) || strchr(" (*", before[-1])))
		before--;
	if (before - line >= 2 && is_update(before - 2) && before[-1] != '=')
		return NULL;
	for (at = behind; *at && (depth > 0 || !is_update(at)); at++) {
		depth += *at == '(' || *at == '[';
		depth -= *at == ')' || *at == ']';
		if (depth <= 0 && !is_name(*at) && !strchr(" ()[]&*.", *at) && !(at[0] == '-' && at[1] == '>') &&
		    !(at[0] == '>' && at[-1] == '-'))
			return behind;
	}
	return *at ? NULL : behind;
}

/* Whether an assignment follows. */
static bool is_assigned(const char *text)
{
	text += strcspn(text, "=;,");
	return text[0] == '=' && text[1] != '=' && !strchr("!<>", text[-1]);
}

/* Whether the line has the move as an access through a cast to volatile, or in assembly. */
static bool is_meant(const struct rfs_move_text *move)
{
	for (struct word word = atomic_text_next_word(move->line); word.n;
	     word = atomic_text_next_word(word.at + word.n)) {
		const char *behind = behind_access(move->line, &word);

		if (behind && is_assigned(behind) == move->writes)
			return true;
		if (atomic_text_is_assembly(&word) &&
		    (!move->column || move->column == (size_t)(word.at - move->line) + 1))
			return true;
	}
	return false;
}

/* Whether the column is that of a comparison or an arithmetic operator. Clang gives it to a load that it joins with
 * this operation. */
static bool atomic_text_is_operator(const char *line, unsigned column)
{
	const char *at = column && column <= strlen(line) ? line + column - 1 : NULL;

	return at && at[0] && (strchr("!<>+-&|^", at[0]) || (at[0] == '=' && at[1] == '='));
}

static bool atomic_text_is_at(const struct call *call, const struct rfs_move_text *move)
{
	const size_t name = (size_t)(call->name.at - move->line) + 1, open = (size_t)(call->open - move->line);

	return move->column == name || move->column == open;
}

enum rfs_move_says rfs_move_text_says(const struct rfs_move_text *move)
{
	const bool joined = !move->writes && atomic_text_is_operator(move->line, move->column);
	bool any = false, unclear = false, meant = is_meant(move);

	for (struct word word = atomic_text_next_word(move->line); word.n;
	     word = atomic_text_next_word(word.at + word.n)) {
		const char *open = opening(&word);
		const enum rfs_macro macro =
			open && move->macro ? move->macro(move->arg, word.at, word.n) : RFS_MACRO_UNKNOWN;
		struct call call = {word, open, macro > RFS_MACRO_PLAIN, false, RFS_MOVE_ATOMIC};
		enum direction direction;
		enum rfs_move_says says;

		if (strncmp(word.at, "memory_order", strlen("memory_order")) == 0 ||
		    strncmp(word.at, "__ATOMIC_", strlen("__ATOMIC_")) == 0)
			unclear = true;
		if (macro == RFS_MACRO_PLAIN || (macro == RFS_MACRO_UNKNOWN && !(open && is_atomic_name(&word))))
			continue;
		any |= macro != RFS_MACRO_MEANT;
		direction = direction_of(&word);
		if (direction != DIRECTION_UNKNOWN && (direction == DIRECTION_STORE) != move->writes)
			continue;
		call.placed = atomic_text_is_at(&call, move);
		if (move->column && !call.placed && !joined)
			continue;
		if (macro == RFS_MACRO_AMBIGUOUS)
			call.says = RFS_MOVE_UNKNOWN;
		else if (macro == RFS_MACRO_MEANT || joined)
			call.says = RFS_MOVE_MEANT;
		says = call_says(&call, move);
		if (says != RFS_MOVE_PLAIN)
			return says;
	}
	if (meant)
		return RFS_MOVE_MEANT;
	return (any && !move->column) || (unclear && !any) ? RFS_MOVE_UNKNOWN : RFS_MOVE_PLAIN;
}

bool rfs_text_stores(const char *line)
{
	static const char *const others[] = {"exchange", "swap", "fetch", "test_and_set"};
	bool assigns = false;

	for (struct word word = atomic_text_next_word(line); word.n; word = atomic_text_next_word(word.at + word.n)) {
		const char *after = word.at + word.n;

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
			if (atomic_text_contains(&word, others[i]))
				return false;
		after += strcspn(after, "=;");
		assigns |= atomic_text_contains(&word, "store") || atomic_text_contains(&word, "set") ||
			   (after[0] == '=' && after[1] != '=' && !strchr("=!<>", after[-1]));
	}
	return assigns;
}

bool rfs_text_has_atomic(const char *text)
{
	for (struct word word = atomic_text_next_word(text); word.n; word = atomic_text_next_word(word.at + word.n))
		if (is_atomic_name(&word) && opening(&word))
			return true;
	return false;
}

bool rfs_text_means_atomic(const char *text)
{
	for (struct word word = atomic_text_next_word(text); word.n; word = atomic_text_next_word(word.at + word.n))
		if (atomic_text_is_assembly(&word) || behind_access(text, &word))
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

static bool atomic_text_is_member(const char *line, const struct word *word)
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
	for (struct word word = atomic_text_next_word(line); word.n; word = atomic_text_next_word(word.at + word.n)) {
		const bool named = word.n == strlen(name) && strncmp(word.at, name, word.n) == 0;

		if (!atomic_text_is_member(line, &word))
			continue;
		has |= named;
		if (place && place >= chain_start(line, word.at) && place < word.at + word.n) {
			*inside |= named;
			elsewhere |= !named;
		}
	}
	return has && (*inside || !elsewhere);
}
