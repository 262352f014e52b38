/* pairs.c - the parser and the writer, line by line. campaign/predicted/ turns names into sites. */
#include "supervisor/record/pairs.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/cycle_place.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/object_kind.h"
#include "supervisor/base/text/number.h"

#define PROGRAM_WORD "program:"
#define CYCLE_WORD "deadlock:"
#define VIOLATION_WORD "atomicity:"
#define ORDER_WORD "order:"
#define NO_LOCK "-"

/* The position of the parser, and where it writes errors. */
struct parser {
	const char *file;
	const char *start, *p, *end; /* the line, without its newline */
	unsigned line;
	char *why;
	size_t why_n;
};

/* A word, with quotes and escapes resolved. */
struct word {
	char *text; /* owned */
	unsigned column;
	bool quoted; /* some of it was quoted */
};

static int __attribute__((format(printf, 3, 4))) pairs_fail(struct parser *in, unsigned column, const char *format, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	(void)rfs_why(in->why, in->why_n, -EINVAL, "%s:%u:%u: %s", in->file, in->line, column, what);
	return -EINVAL;
}

static unsigned column_of(const struct parser *in, const char *p)
{
	return (unsigned)(p - in->start) + 1;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Parses an escape; *p points behind the backslash. Returns the byte, or -1. Moves *p behind the escape. */
static int escape(const char **p, const char *end)
{
	char digits[3] = "";
	uint64_t byte;

	if (*p == end)
		return -1;
	switch (*(*p)++) {
	case '"':
		return '"';
	case '\\':
		return '\\';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
		if (end - *p < 2)
			return -1;
		memcpy(digits, *p, 2);
		*p += 2;
		/* a NUL would end the name */
		return rfs_hex_parse(digits, &byte) < 0 || byte == 0 ? -1 : (int)byte;
	default:
		return -1;
	}
}

/* Parses the next word of the line. Returns 1 and *out, 0 at the end of the line or at a comment, or -EINVAL. */
static int pairs_next_word(struct parser *in, struct word *out)
{
	const char *p = in->p;
	const char *quote = NULL;
	size_t n = 0;

	while (p < in->end && blank(*p))
		p++;
	in->p = p;
	if (p == in->end || *p == '#')
		return 0;
	*out = (struct word){.text = xmalloc((size_t)(in->end - p) + 1), .column = column_of(in, p)};
	while (p < in->end && (quote || (!blank(*p) && *p != '#'))) {
		const char *at = p;
		int c = (unsigned char)*p++;

		if (c == '"') {
			quote = quote ? NULL : at;
			out->quoted = true;
			continue;
		}
		if (quote && c == '\\') {
			c = escape(&p, in->end);
			if (c < 0) {
				pairs_fail(in, column_of(in, at),
					   "unknown escape sequence; use \\\" \\\\ \\n \\t or \\xHH");
				goto bad;
			}
		} else if ((c < ' ' && c != '\t') || c == 0x7f) {
			pairs_fail(in, column_of(in, at), "byte 0x%02x is not text; is this a pairs file?", c);
			goto bad;
		}
		out->text[n++] = (char)c;
	}
	if (quote) {
		pairs_fail(in, column_of(in, quote), "the quote is not closed on this line");
		goto bad;
	}
	out->text[n] = '\0';
	out->text = xrealloc(out->text, n + 1);
	in->p = p;
	return 1;
bad:
	free(out->text);
	*out = (struct word){0};
	return -EINVAL;
}

/* The last occurrence of "+0x", or NULL. */
static char *last_offset(char *text)
{
	char *found = NULL;

	for (char *p = strstr(text, "+0x"); p; p = strstr(p + 1, "+0x"))
		found = p;
	return found;
}

/* Splits a word into name and number. The word's text moves into *out. */
static int pairs_statement(struct parser *in, struct word *word, struct rfs_name *out)
{
	char *colon = strrchr(word->text, ':'), *plus = last_offset(word->text);
	unsigned column = word->column;
	char *split;
	int error;

	*out = (struct rfs_name){.line = in->line, .column = column};
	/* the last ':' counts only if nothing but digits follows: "a+0x1.c:7" is a line, and "a:7+0x1f" is an offset */
	if (colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
		out->form = RFS_NAME_LINE;
		split = colon;
		error = rfs_number_parse(colon + 1, 1, INT_MAX, &out->number);
		if (error)
			return pairs_fail(in, column, "'%s' is not a line number between 1 and %d", colon + 1, INT_MAX);
	} else if (plus) {
		out->form = RFS_NAME_OFFSET;
		split = plus;
		error = rfs_hex_parse(plus + 3, &out->number);
		if (error == -ERANGE)
			return pairs_fail(in, column, "'%s' is too large for an offset", plus + 1);
		if (error)
			return pairs_fail(in, column, "'%s' is not a hexadecimal offset", plus + 1);
	} else {
		return pairs_fail(in, column,
				  "'%s' is not a statement; write FILE:LINE, FUNCTION+0xOFF or MODULE+0xOFF",
				  word->text);
	}
	if (split == word->text)
		return pairs_fail(in, column, "a name is missing before '%s'", split);
	*split = '\0';
	out->name = word->text;
	word->text = NULL;
	return 0;
}

static int program_line(struct parser *in, struct rfs_pairs *out, unsigned column)
{
	struct word word;
	size_t n = 0;
	int more;

	if (out->program)
		return pairs_fail(in, column, "second program line; only one is allowed");
	out->program = xcalloc(1, sizeof(*out->program));
	while ((more = pairs_next_word(in, &word)) > 0) {
		out->program = xreallocarray(out->program, n + 2, sizeof(*out->program));
		out->program[n++] = word.text;
		out->program[n] = NULL;
	}
	if (more < 0)
		return more;
	return n ? 0 : pairs_fail(in, column_of(in, in->p), "the program line names no program");
}

/* What system calls meet at, with an @ before it. */
static const char *const kind_words[RFS_OBJECT_KINDS] = {
	[RFS_OBJECT_MEMORY] = "@memory",     [RFS_OBJECT_NAME] = "@name",     [RFS_OBJECT_CONTENT] = "@content",
	[RFS_OBJECT_SIZE] = "@end",	     [RFS_OBJECT_EXTENT] = "@extent", [RFS_OBJECT_ATTRIBUTES] = "@attributes",
	[RFS_OBJECT_POSITION] = "@position", [RFS_OBJECT_FOLDER] = "@folder", [RFS_OBJECT_MASK] = "@umask",
	[RFS_OBJECT_LIBRARY] = "@library",
};

static unsigned pairs_kind_of(const struct word *word)
{
	for (unsigned i = 0; i < RFS_OBJECT_KINDS && !word->quoted; i++)
		if (strcmp(word->text, kind_words[i]) == 0)
			return 1u << i;
	return 0;
}

static int pair_line(struct parser *in, struct word *first, struct rfs_pairs *out)
{
	struct rfs_named_pair pair = {0};
	struct word words[2] = {{0}}, extra;
	int error = -EINVAL, more;

	words[0] = *first;
	more = pairs_next_word(in, &words[1]);
	if (more == 0)
		pairs_fail(in, column_of(in, in->p), "the second statement is missing; a pair has two");
	if (more <= 0)
		goto out;
	error = pairs_statement(in, &words[0], &pair.statement[0]);
	if (!error)
		error = pairs_statement(in, &words[1], &pair.statement[1]);
	if (error)
		goto out;
	error = pairs_next_word(in, &extra);
	if (error > 0) {
		pair.object_kinds = pairs_kind_of(&extra);
		if (pair.object_kinds) {
			free(extra.text);
			error = pairs_next_word(in, &extra);
		}
	}
	if (error > 0) {
		error = pairs_fail(in, extra.column, "extra word '%s' after the pair; quote names that contain blanks",
				   extra.text);
		free(extra.text);
	} else if (!error) {
		rfs_pairs_add(out, pair.statement, NULL);
		out->pairs[out->n_pairs - 1].object_kinds = pair.object_kinds;
	}
out:
	for (int i = 0; i < 2; i++) {
		free(words[i].text);
		free(pair.statement[i].name);
	}
	return error;
}

/* Splits the class off the end of a word: "prog+0x12@5f0c". */
static int pairs_lock_class(struct parser *in, struct word *word, uint64_t *out)
{
	char *plus = last_offset(word->text), *at = plus ? strchr(plus, '@') : NULL;

	*out = 0;
	if (!at)
		return 0;
	if (rfs_hex_parse(at + 1, out) || !*out)
		return pairs_fail(in, word->column, "'%s' is not a lock; write a hexadecimal number after the '@'", at);
	*at = '\0';
	return 0;
}

/* Splits the number of a thread off the end of a word: "prog+0x12@2". */
static int thread_number(struct parser *in, struct word *word, uint64_t *out)
{
	char *plus = last_offset(word->text), *at = plus ? strchr(plus, '@') : NULL;

	if (!at)
		return 0;
	if (rfs_number_parse(at + 1, 1, INT_MAX, out))
		return pairs_fail(in, word->column, "'%s' is not a thread; write a number from 1 after the '@'", at);
	*at = '\0';
	return 0;
}

/* number: how many locks of the line came before. A thread may hold no lock, but each one wants a lock. */
static int pairs_lock(struct parser *in, struct word *word, size_t number, struct rfs_named_lock *out)
{
	int error;

	*out = (struct rfs_named_lock){0};
	if (!word->quoted && strcmp(word->text, NO_LOCK) == 0)
		return number % 2 ? pairs_fail(in, word->column,
					       "each thread of a deadlock wants a lock; only what it holds "
					       "may be '-'")
				  : 0;
	error = pairs_lock_class(in, word, &out->class);
	return error ? error : pairs_statement(in, word, &out->name);
}

static void release_cycle(struct rfs_named_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n_locks; i++)
		free(cycle->locks[i].name.name);
	free(cycle->locks);
	free(cycle->comment);
}

static bool holds_any(const struct rfs_named_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n_locks; i += 2)
		if (cycle->locks[i].name.name)
			return true;
	return false;
}

static int check_cycle(struct parser *in, const struct rfs_named_cycle *cycle)
{
	const unsigned end = column_of(in, in->p);

	if (cycle->n_locks % 2)
		return pairs_fail(in, end, "a lock is missing; each thread of a deadlock has two: held and wanted");
	if (cycle->n_locks < 4)
		return pairs_fail(in, end, "a deadlock needs at least two threads, and two locks for each");
	if (!holds_any(cycle))
		return pairs_fail(in, end, "no thread holds a lock; write what they hold before what they want");
	return 0;
}

static int cycle_line(struct parser *in, struct rfs_pairs *out)
{
	struct rfs_named_cycle cycle = {0};
	struct word word;
	int error = 0, more = 0;

	while (!error && (more = pairs_next_word(in, &word)) > 0) {
		struct rfs_named_lock added;

		if (cycle.n_locks == 2 * RFS_CYCLE_PARTS_MAX)
			error = pairs_fail(in, word.column, "a deadlock has at most %d threads", RFS_CYCLE_PARTS_MAX);
		else
			error = pairs_lock(in, &word, cycle.n_locks, &added);
		free(word.text);
		if (error)
			break;
		cycle.locks = xreallocarray(cycle.locks, cycle.n_locks + 1, sizeof(*cycle.locks));
		cycle.locks[cycle.n_locks++] = added;
	}
	if (!error)
		error = more < 0 ? more : check_cycle(in, &cycle);
	if (!error)
		rfs_pairs_add_cycle(out, cycle.locks, cycle.n_locks, NULL);
	release_cycle(&cycle);
	return error;
}

/* The words for the patterns of order violations. */
static const char *order_word(enum rfs_atomicity_pattern pattern)
{
	switch (pattern) {
	case RFS_ORDER_USE_FREE:
		return "use-free";
	case RFS_ORDER_WAIT_SIGNAL:
		return "wait-signal";
	case RFS_ORDER_INIT_USE:
		return "init-use";
	case RFS_ORDER_USE_DESTROY:
		return "use-destroy";
	case RFS_ORDER_CALL_FREE:
		return "call-free";
	case RFS_ORDER_USE_CLOSE:
		return "use-close";
	case RFS_ORDER_USE_EXIT:
		return "use-exit";
	default:
		return "";
	}
}

static int order_pattern(struct parser *in, enum rfs_atomicity_pattern *out)
{
	struct word word;
	int more = pairs_next_word(in, &word), error = 0;

	if (more < 0)
		return more;
	for (*out = RFS_ORDER_USE_FREE; more && *out < RFS_ATOMICITY_PATTERNS; ++*out)
		if (strcmp(word.text, order_word(*out)) == 0)
			break;
	if (!more || *out == RFS_ATOMICITY_PATTERNS)
		error = pairs_fail(
			in, more ? word.column : column_of(in, in->p),
			"'%s' is not a kind of order violation; write use-free, call-free, wait-signal, init-use, "
			"use-destroy, use-close or use-exit",
			more ? word.text : "");
	if (more)
		free(word.text);
	return error;
}

/* Reads the next word of a violation that has n statements already. */
static int violation_word(struct parser *in, struct word *word, struct rfs_named_violation *to, size_t n)
{
	int error = 0;

	if (n == 3)
		return pairs_fail(in, word->column, "extra word '%s' after the violation", word->text);
	if (n == 2 && rfs_atomicity_is_order(to->pattern) && !word->quoted && strcmp(word->text, NO_LOCK) == 0)
		return 0;
	if (n == 1)
		error = thread_number(in, word, &to->remote);
	return error ? error : pairs_statement(in, word, &to->statement[n]);
}

static int violation_line(struct parser *in, struct rfs_pairs *out, bool order)
{
	struct rfs_named_violation named = {0};
	struct word word;
	size_t n = 0;
	int error = order ? order_pattern(in, &named.pattern) : 0, more = 0;

	while (!error && (more = pairs_next_word(in, &word)) > 0) {
		error = violation_word(in, &word, &named, n++);
		free(word.text);
	}
	if (!error && more < 0)
		error = more;
	if (!error && n < 3)
		error = pairs_fail(
			in, column_of(in, in->p),
			order ? "a place is missing; an order violation has three: the first operation, the later "
				"one, and where the first thread acquires the lock, or '-'"
			      : "an access is missing; an atomicity violation has three: the first, the remote "
				"one, the second");
	if (!error)
		rfs_pairs_add_violation(out, &named);
	for (size_t i = 0; i < 3; i++)
		free(named.statement[i].name);
	return error;
}

static int parse_line(struct parser *in, struct rfs_pairs *out)
{
	struct word word;
	int more;

	if (in->p < in->end && in->end[-1] == '\r')
		in->end--; /* for files with CR LF line ends */
	more = pairs_next_word(in, &word);
	if (more <= 0)
		return more;
	if (!word.quoted && strcmp(word.text, PROGRAM_WORD) == 0) {
		free(word.text);
		return program_line(in, out, word.column);
	}
	if ((uint64_t)(in->end - in->start) > RFS_PAIRS_LINE_MAX) {
		free(word.text);
		return pairs_fail(in, (unsigned)RFS_PAIRS_LINE_MAX + 1, "the line is too long; is this a pairs file?");
	}
	if (!word.quoted && strcmp(word.text, CYCLE_WORD) == 0) {
		free(word.text);
		return cycle_line(in, out);
	}
	if (!word.quoted && strcmp(word.text, VIOLATION_WORD) == 0) {
		free(word.text);
		return violation_line(in, out, false);
	}
	if (!word.quoted && strcmp(word.text, ORDER_WORD) == 0) {
		free(word.text);
		return violation_line(in, out, true);
	}
	return pair_line(in, &word, out);
}

int rfs_pairs_parse(const char *file, const char *buf, size_t n, struct rfs_pairs *out, char *why, size_t why_n)
{
	struct parser in = {.file = file, .why = why, .why_n = why_n};
	const char *end = buf + n;
	int error = 0;

	*out = (struct rfs_pairs){0};
	for (const char *p = buf; p < end && !error;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		in.line++;
		in.start = in.p = p;
		in.end = newline ? newline : end;
		p = newline ? newline + 1 : end;
		error = parse_line(&in, out);
	}
	if (!error && out->n_pairs + out->n_cycles + out->n_violations == 0) {
		in.line = in.line ? in.line : 1;
		error = pairs_fail(&in, 1, "the file contains no pair, no deadlock and no violation");
	}
	if (error)
		rfs_pairs_release(out);
	return error;
}

void rfs_pairs_add(struct rfs_pairs *pairs, const struct rfs_name statement[2], const char *comment)
{
	struct rfs_named_pair *pair;

	/* the array's size is a power of two; so the array can be full only if the number of pairs is a power of two */
	if ((pairs->n_pairs & (pairs->n_pairs - 1)) == 0)
		pairs->pairs =
			xreallocarray(pairs->pairs, pairs->n_pairs ? pairs->n_pairs * 2 : 1, sizeof(*pairs->pairs));
	pair = &pairs->pairs[pairs->n_pairs++];
	*pair = (struct rfs_named_pair){.comment = comment ? xstrdup(comment) : NULL};
	for (int i = 0; i < 2; i++) {
		pair->statement[i] = statement[i];
		pair->statement[i].name = xstrdup(statement[i].name);
	}
}

void rfs_pairs_add_cycle(struct rfs_pairs *pairs, const struct rfs_named_lock *locks, size_t n_locks,
			 const char *comment)
{
	struct rfs_named_cycle *cycle;

	pairs->cycles = xreallocarray(pairs->cycles, pairs->n_cycles + 1, sizeof(*pairs->cycles));
	cycle = &pairs->cycles[pairs->n_cycles++];
	*cycle = (struct rfs_named_cycle){
		.locks = xcalloc(n_locks, sizeof(*locks)),
		.n_locks = n_locks,
		.comment = comment ? xstrdup(comment) : NULL,
	};
	for (size_t i = 0; i < n_locks; i++) {
		cycle->locks[i] = locks[i];
		cycle->locks[i].name.name = locks[i].name.name ? xstrdup(locks[i].name.name) : NULL;
	}
}

void rfs_pairs_add_violation(struct rfs_pairs *pairs, const struct rfs_named_violation *added)
{
	struct rfs_named_violation *violation;

	pairs->violations = xreallocarray(pairs->violations, pairs->n_violations + 1, sizeof(*pairs->violations));
	violation = &pairs->violations[pairs->n_violations++];
	*violation = *added;
	violation->comment = added->comment ? xstrdup(added->comment) : NULL;
	for (int i = 0; i < 3; i++)
		if (added->statement[i].name)
			violation->statement[i].name = xstrdup(added->statement[i].name);
}

/* Writes one word. If the parser would read the plain word as something else, writes it in quotes. */
static void pairs_write_word(FILE *out, const char *word)
{
	bool quote = !*word || strcmp(word, PROGRAM_WORD) == 0;

	for (const char *p = word; *p; p++)
		if (blank(*p) || *p == '#' || *p == '"' || (unsigned char)*p < ' ' || *p == 0x7f)
			quote = true;
	if (!quote) {
		fputs(word, out);
		return;
	}
	fputc('"', out);
	for (const char *p = word; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (c < ' ' || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/* class: of a lock; 0: none */
static void write_name(FILE *out, const struct rfs_name *name, uint64_t class)
{
	char *plain = name->form == RFS_NAME_LINE
			      ? xasprintf("%s:%llu", name->name, (unsigned long long)name->number)
			      : xasprintf("%s+0x%llx", name->name, (unsigned long long)name->number);
	char *whole = class ? xasprintf("%s@%llx", plain, (unsigned long long)class) : xstrdup(plain);

	pairs_write_word(out, whole);
	free(plain);
	free(whole);
}

static void pairs_write_end(FILE *out, const char *comment)
{
	if (comment) {
		fputs(" # ", out);
		for (const char *p = comment; *p; p++)
			fputc((unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p, out);
	}
	fputc('\n', out);
}

static void write_cycle(FILE *out, const struct rfs_named_cycle *cycle)
{
	fputs(CYCLE_WORD, out);
	for (size_t i = 0; i < cycle->n_locks; i++) {
		fputc(' ', out);
		if (cycle->locks[i].name.name)
			write_name(out, &cycle->locks[i].name, cycle->locks[i].class);
		else
			fputs(NO_LOCK, out);
	}
	pairs_write_end(out, cycle->comment);
}

static void write_violation(FILE *out, const struct rfs_named_violation *violation)
{
	if (rfs_atomicity_is_order(violation->pattern))
		fprintf(out, ORDER_WORD " %s", order_word(violation->pattern));
	else
		fputs(VIOLATION_WORD, out);
	for (int i = 0; i < 3; i++) {
		const struct rfs_name *name = &violation->statement[i];

		fputc(' ', out);
		if (!name->name) {
			fputs(NO_LOCK, out);
		} else if (i == 1 && violation->remote && name->form == RFS_NAME_OFFSET) {
			char *whole = xasprintf("%s+0x%llx@%llu", name->name, (unsigned long long)name->number,
						(unsigned long long)violation->remote);

			pairs_write_word(out, whole);
			free(whole);
		} else {
			write_name(out, name, 0);
		}
	}
	pairs_write_end(out, violation->comment);
}

void rfs_pairs_write(const struct rfs_pairs *pairs, FILE *out)
{
	if (pairs->program) {
		fputs(PROGRAM_WORD, out);
		for (char **word = pairs->program; *word; word++) {
			fputc(' ', out);
			pairs_write_word(out, *word);
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < pairs->n_pairs; i++) {
		const struct rfs_named_pair *pair = &pairs->pairs[i];
		write_name(out, &pair->statement[0], 0);
		fputc(' ', out);
		write_name(out, &pair->statement[1], 0);
		for (unsigned kind = 0; kind < RFS_OBJECT_KINDS; kind++)
			if (pair->object_kinds >> kind & 1)
				fprintf(out, " %s", kind_words[kind]);
		pairs_write_end(out, pair->comment);
	}
	for (size_t i = 0; i < pairs->n_cycles; i++)
		write_cycle(out, &pairs->cycles[i]);
	for (size_t i = 0; i < pairs->n_violations; i++)
		write_violation(out, &pairs->violations[i]);
}

void rfs_pairs_release(struct rfs_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n_pairs; i++) {
		free(pairs->pairs[i].statement[0].name);
		free(pairs->pairs[i].statement[1].name);
		free(pairs->pairs[i].comment);
	}
	free(pairs->pairs);
	for (size_t i = 0; i < pairs->n_cycles; i++)
		release_cycle(&pairs->cycles[i]);
	free(pairs->cycles);
	for (size_t i = 0; i < pairs->n_violations; i++) {
		for (int k = 0; k < 3; k++)
			free(pairs->violations[i].statement[k].name);
		free(pairs->violations[i].comment);
	}
	free(pairs->violations);
	for (char **word = pairs->program; word && *word; word++)
		free(*word);
	free(pairs->program);
	*pairs = (struct rfs_pairs){0};
}
