/* failure_key.c - makes the parts of a key from a result and its output, and compares them. */
#include "supervisor/campaign/failures/failure_key.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/failures/fault_place.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/waiters.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* ---- where ---- */

/*
 * The frames of a stack, each by its place in the source. A compiler may make several instructions of one statement, as
 * when it unrolls a loop; they are one place. If the line or the column is not known, each instruction is one place.
 */
static char *stack_text(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n)
{
	struct rfs_source_stack source = {0};
	char *text = xstrdup("");

	rfs_symbols_stack(symbols, stack, n, &source);
	for (size_t i = 0; i < source.n_frames; i++) {
		const struct rfs_source_place *at = &source.frames[i];
		char *longer = at->file && at->column ? xasprintf("%s%s:%u:%u;", text, at->file, at->line, at->column)
						      : xasprintf("%s%s+%llx;", text, rfs_base_name(at->module),
								  (unsigned long long)at->offset);

		free(text);
		text = longer;
	}
	rfs_source_stack_release(&source);
	return text;
}

static int failure_key_compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_unnamed_signal(const struct rfs_waiter *waiter)
{
	return waiter->operation == RFS_OP_COND_WAKE && waiter->waits_for.kind != RFS_MEMORY_STATIC;
}

/*
 * One thread as text. Threads that a lost signal has left are the same, whichever they are and wherever they wait. A
 * condition variable in the heap has a name only in runs that track it. by_address: its address takes the place of the
 * stack.
 */
static char *waiter_text(struct rfs_campaign *c, const struct rfs_waiter *waiter, bool by_address)
{
	const bool named = waiter->operation == RFS_OP_COND_WAKE && waiter->waits_for.kind == RFS_MEMORY_STATIC;
	char *object = named ? rfs_symbols_object(c->symbols, &waiter->waits_for, NULL) : NULL, *text;

	if (object)
		text = xasprintf("a signal of %s", object);
	else if (by_address && is_unnamed_signal(waiter))
		text = xasprintf("a signal of 0x%llx", (unsigned long long)waiter->waits_for.address);
	else
		text = stack_text(c->symbols, waiter->stack, waiter->n_stack);
	free(object);
	return text;
}

/*
 * The blocked threads as text. In a cycle each thread counts. Otherwise those do that wait for no other thread of the
 * deadlock, each kind once: who waits for their end, and how many they are, is chance. The texts are sorted, so that
 * the whole does not depend on thread numbers.
 */
static char *deadlock_text(struct rfs_campaign *c, const struct rfs_run_result *result, bool by_address)
{
	const struct rfs_waiters *deadlock = &result->deadlock;
	char **texts = xcalloc(deadlock->n + 1, sizeof(*texts)), *text = xstrdup("");
	bool cycle = true;
	size_t n = 0;

	for (size_t i = 0; i < deadlock->n; i++)
		cycle &= rfs_waits_for_another(deadlock, &deadlock->list[i]);
	for (size_t i = 0; i < deadlock->n; i++)
		if (cycle)
			texts[n++] = stack_text(c->symbols, deadlock->list[i].stack, deadlock->list[i].n_stack);
		else if (!rfs_waits_for_another(deadlock, &deadlock->list[i]))
			texts[n++] = waiter_text(c, &deadlock->list[i], by_address);
	if (n)
		qsort(texts, n, sizeof(*texts), failure_key_compare_texts);
	for (size_t i = 0; i < n; i++) {
		char *longer = xasprintf("%s%s|", text, texts[i]);

		if (!cycle && i && strcmp(texts[i], texts[i - 1]) == 0) {
			free(longer);
			continue;
		}
		free(text);
		text = longer;
	}
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
	return text;
}

static char *where_of(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	if (result->end == RFS_END_DEADLOCK)
		return deadlock_text(c, result, false);
	return result->end == RFS_END_SIGNAL ? rfs_fault_place(c, result) : NULL;
}

/* NULL: no thread waits for a signal of a condition variable in the heap or on a stack. */
static char *waits_of(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->deadlock.n && result->end == RFS_END_DEADLOCK; i++)
		if (is_unnamed_signal(&result->deadlock.list[i]))
			return deadlock_text(c, result, true);
	return NULL;
}

/* ---- what the program said ---- */

/* Whether the text before the colon ends in the name of a source file, as in "x.c:12:" or "x.c:12:3:". */
static bool ends_in_file(const char *text, size_t n)
{
	static const char *const types[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hh", ".hpp", ".hxx", ".inc"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const size_t length = strlen(types[i]);

		if (n > length && strncmp(text + n - length, types[i], length) == 0)
			return true;
	}
	return false;
}

/* How many characters of a number begin here, in decimal or hexadecimal; 0: none. */
static size_t number_at(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return 2 + strspn(text + 2, "0123456789abcdefABCDEF");
	/* a word such as "added" is no number */
	if (n && !isalnum((unsigned char)text[n]) && strcspn(text, "0123456789") < n)
		return n;
	return strspn(text, "0123456789");
}

char *rfs_failure_message(const char *text)
{
	char *out = xmalloc(strlen(text) + 1);
	size_t n = 0;
	/* in a word that began with a letter, only its digits are a number */
	bool in_word = false, line = false;

	for (const char *p = text; *p;) {
		const size_t digits = strspn(p, "0123456789"), number = in_word ? digits : number_at(p);

		if (digits && p > text && p[-1] == ':' && (line || ends_in_file(text, (size_t)(p - 1 - text)))) {
			memcpy(out + n, p, digits);
			n += digits;
			p += digits;
			line = *p == ':';
			continue;
		}
		if (number) {
			out[n++] = '#';
			p += number;
			continue;
		}
		line = line && *p == ':';
		in_word = isalpha((unsigned char)*p) || *p == '_';
		out[n++] = *p++;
	}
	out[n] = '\0';
	return out;
}

/* ---- keys ---- */

bool rfs_failure_key_init(struct rfs_campaign *c, const struct rfs_run_result *result, struct rfs_failure_key *out)
{
	*out = (struct rfs_failure_key){0};
	if (!rfs_run_failed(result, &out->signature))
		return false;
	out->where = where_of(c, result);
	out->waits = waits_of(c, result);
	/* std::terminate says this if another thread is in it already, which is chance */
	if (result->last_words && strcmp(result->last_words, "terminate called recursively") != 0)
		out->message = rfs_failure_message(result->last_words);
	return true;
}

void rfs_failure_key_release(struct rfs_failure_key *key)
{
	free(key->where);
	free(key->waits);
	free(key->message);
	*key = (struct rfs_failure_key){0};
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool rfs_failure_key_at(const struct rfs_failure_key *a, const struct rfs_failure_key *b)
{
	return rfs_signature_equal(&a->signature, &b->signature) &&
	       (same_text(a->where, b->where) || (a->waits && b->waits && same_text(a->waits, b->waits)));
}

bool rfs_failure_key_says(const struct rfs_failure_key *a, const struct rfs_failure_key *b)
{
	return !a->message || !b->message || strcmp(a->message, b->message) == 0;
}

bool rfs_failure_key_equal(const struct rfs_failure_key *a, const struct rfs_failure_key *b)
{
	return rfs_failure_key_at(a, b) && rfs_failure_key_says(a, b);
}
