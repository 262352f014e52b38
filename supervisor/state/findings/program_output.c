/* program_output.c - keeps the end of what was written, for the program and for each thread. */
#include "supervisor/state/findings/program_output.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"

/* Enough for the report of a sanitizer: its first lines say what is wrong, so they must not be dropped. */
#define SAID_MAX 16384
/* How many bytes of its last words are kept of each thread. */
#define WORDS_MAX 512

void rfs_program_output_add(struct rfs_run *run, rfs_addr data, uint64_t size)
{
	struct rfs_blob *said = &run->result->said;
	uint64_t skip = size > SAID_MAX ? size - SAID_MAX : 0, drop;

	size -= skip;
	if (!said->data)
		said->data = xmalloc(SAID_MAX);
	drop = said->size + size > SAID_MAX ? said->size + size - SAID_MAX : 0;
	memmove(said->data, (char *)said->data + drop, said->size - drop);
	said->size -= drop;
	if (rfs_peek(run, data + skip, (char *)said->data + said->size, size))
		said->size += size;
}

/* What a thread wrote last to its standard error. */
struct words {
	char text[WORDS_MAX];
	size_t n;
};

struct rfs_last_words {
	struct words *of; /* each thread, by its number */
	size_t n;
	int last_writer;
};

static struct words *program_output_words_of(struct rfs_run *run, int thread)
{
	const size_t n = (size_t)thread + 1;
	struct rfs_last_words *all = run->last_words;

	if (!all)
		all = run->last_words = xcalloc(1, sizeof(*all));
	if (n > all->n) {
		all->of = xreallocarray(all->of, n, sizeof(*all->of));
		memset(all->of + all->n, 0, (n - all->n) * sizeof(*all->of));
		all->n = n;
	}
	return &all->of[thread];
}

void rfs_program_output_error(struct rfs_run *run, int thread, rfs_addr data, uint64_t size)
{
	struct words *words = program_output_words_of(run, thread);
	const uint64_t skip = size > WORDS_MAX ? size - WORDS_MAX : 0;
	size_t drop;

	size -= skip;
	drop = words->n + size > WORDS_MAX ? words->n + size - WORDS_MAX : 0;
	memmove(words->text, words->text + drop, words->n - drop);
	words->n -= drop;
	if (rfs_peek(run, data + skip, words->text + words->n, size))
		words->n += size;
	run->last_words->last_writer = thread;
}

/* Where the last line begins that has more than spaces; *end: where it ends. */
static size_t last_line(const struct words *words, size_t *end)
{
	size_t begin;

	while (*end && isspace((unsigned char)words->text[*end - 1]))
		--*end;
	for (begin = *end; begin && words->text[begin - 1] != '\n'; begin--)
		;
	return begin;
}

/*
 * The line of the output that sums up the first report of a sanitizer, if its last line is the same for all reports:
 * "==17==ABORTING" or "ThreadSanitizer: reported 1 warnings". Caller frees; NULL: it is not.
 */
static char *program_output_summary(const struct rfs_blob *said, const char *last)
{
	static const char head[] = "SUMMARY: ";
	const char *text = said->data, *line = text, *end = text + said->size, *next;

	if (!strstr(last, "==ABORTING") && !strstr(last, "ThreadSanitizer: reported "))
		return NULL;
	for (; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		next = newline ? newline + 1 : end;
		if ((size_t)(next - line) > strlen(head) && memcmp(line, head, strlen(head)) == 0)
			return xstrndup(line + strlen(head), (size_t)(next - line) - strlen(head) - (newline != NULL));
	}
	return NULL;
}

char *rfs_program_output_last(const struct rfs_run *run, int thread)
{
	static const char what[] = "  what():";
	const struct rfs_last_words *all = run->last_words;
	const struct words *words;
	size_t end, begin, before;
	char *text, *summary;

	if (all && thread == RFS_LAST_WRITER)
		thread = all->last_writer;
	if (!all || (size_t)thread >= all->n || !all->of[thread].n)
		return NULL;
	words = &all->of[thread];
	end = words->n;
	begin = before = last_line(words, &end);
	if (end == begin)
		return NULL;
	/* std::terminate writes two lines, and the first one has the type of the exception */
	if (end - begin > strlen(what) && memcmp(words->text + begin, what, strlen(what)) == 0)
		begin = last_line(words, &before);
	text = xstrndup(words->text + begin, end - begin);
	summary = program_output_summary(&run->result->said, text);
	if (summary) {
		free(text);
		text = summary;
	}
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return text;
}

void rfs_program_output_release(struct rfs_run *run)
{
	if (run->last_words)
		free(run->last_words->of);
	free(run->last_words);
}

void rfs_program_output_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_blob *said = &from->result->said;

	if (from->last_words) {
		const struct rfs_last_words *all = from->last_words;

		to->last_words = xcalloc(1, sizeof(*to->last_words));
		*to->last_words = *all;
		to->last_words->of = xmalloc(all->n * sizeof(*all->of));
		memcpy(to->last_words->of, all->of, all->n * sizeof(*all->of));
	}
	if (!said->size)
		return;
	to->result->said.data = xmalloc(SAID_MAX);
	to->result->said.size = said->size;
	memcpy(to->result->said.data, said->data, said->size);
}
