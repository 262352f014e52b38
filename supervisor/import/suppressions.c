/* suppressions.c - the parser. suppression_match.c compares findings with the blocks. */
#include "supervisor/import/suppressions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/import/suppressions-priv.h"

/* A block has at most this many lines of frames, and a line this many bytes; Valgrind allows 24 frames. */
#define FRAMES_MAX 256
#define LINE_MAX_BYTES (1u << 16)

#define RACE (1u << RFS_SUPPRESSIBLE_RACE)
#define DEADLOCK (1u << RFS_SUPPRESSIBLE_DEADLOCK)
#define ATOMICITY (1u << RFS_SUPPRESSIBLE_ATOMICITY)
#define MISUSE (1u << RFS_SUPPRESSIBLE_MISUSE)

#define OF_ANY " ignores-error use-destroyed init-again uninitialised wrong-type bad-attribute bad-attributes "
#define OF_MUTEX OF_ANY "unlock-free unlock-other destroy-held init-held free-held leave-held exit-holding "
#define OF_CONDITION OF_ANY "destroy-waited init-waited free-waited leave-waited wait-unlocked wait-mutexes bad-count "
#define OF_THREAD " join-again join-self detach-again "

/* The kinds of errors of a tool, and what of rfsup they are about. From the manuals of Helgrind and DRD. */
static const struct kind {
	const char *tool, *name;
	unsigned kinds;
	const char *only;
} kinds[] = {
	{"rfsup", "Race", RACE, NULL},
	{"rfsup", "Deadlock", DEADLOCK, NULL},
	{"rfsup", "Atomicity", ATOMICITY, NULL},
	{"rfsup", "Misuse", MISUSE, NULL},
	{"Helgrind", "Race", RACE, NULL},
	{"Helgrind", "LockOrder", DEADLOCK, NULL},
	{"Helgrind", "UnlockUnlocked", MISUSE, " unlock-free "},
	{"Helgrind", "UnlockForeign", MISUSE, " unlock-other "},
	{"Helgrind", "UnlockBogus", MISUSE, " use-destroyed unlock-free "},
	{"Helgrind", "PthAPIerror", MISUSE, NULL},
	{"Helgrind", "Misc", MISUSE, NULL},
	{"drd", "ConflictingAccess", RACE, NULL},
	{"drd", "MutexErr", MISUSE, OF_MUTEX},
	{"drd", "RwlockErr", MISUSE, OF_MUTEX},
	{"drd", "CondErr", MISUSE, OF_CONDITION},
	{"drd", "CondDestrErr", MISUSE, " destroy-waited free-waited "},
	{"drd", "CondWaitErr", MISUSE, " wait-unlocked wait-mutexes "},
	{"drd", "BarrierErr", MISUSE, OF_CONDITION},
	{"drd", "SemaphoreErr", MISUSE, OF_ANY "bad-value destroy-waited init-waited leave-waited "},
	{"drd", "InvalidThreadId", MISUSE, OF_THREAD},
	{"drd", "GenericErr", MISUSE, NULL},
	/* rfsup reports nothing of these kinds */
	{"drd", "CondRaceErr", 0, NULL},
	{"drd", "HoldtimeErr", 0, NULL},
	{"drd", "UnimpHgClReq", 0, NULL},
	{"drd", "UnimpDrdClReq", 0, NULL},
};

/* The types of lines. From ThreadSanitizer's manual; the last two are rfsup's. */
static const struct type {
	const char *name;
	unsigned kinds;
	enum rfs_suppression_form form;
	const char *only;
} types[] = {
	{"race", RACE, RFS_SUPPRESSION_ANY, NULL},
	{"race_top", RACE, RFS_SUPPRESSION_TOP, NULL},
	{"called_from_lib", RACE, RFS_SUPPRESSION_LIB, NULL},
	{"deadlock", DEADLOCK, RFS_SUPPRESSION_ANY, NULL},
	{"mutex", MISUSE, RFS_SUPPRESSION_ANY, NULL},
	{"thread", MISUSE, RFS_SUPPRESSION_ANY, " never-joined "}, /* its report "thread leak" */
	{"signal", MISUSE, RFS_SUPPRESSION_ANY, " signal-unsafe "},
	{"atomicity", ATOMICITY, RFS_SUPPRESSION_ANY, NULL},
	{"misuse", MISUSE, RFS_SUPPRESSION_ANY, NULL},
};
#define TYPES "race, race_top, called_from_lib, deadlock, mutex, thread, signal, atomicity, misuse"

struct reader {
	const char *file, *at, *end; /* at: the next line */
	bool own;
	unsigned line; /* of `text` */
	char *text;    /* the line, without blanks at both ends; owned */
	struct rfs_suppressions *out;
	char *why;
	size_t why_n;
};

/* ---- lines ---- */

static int suppressions_refuse(const struct reader *reader, unsigned line, const char *says)
{
	return rfs_why(reader->why, reader->why_n, -EINVAL, "%s:%u: %s", reader->file, line, says);
}

static int refuse_text(const struct reader *reader, const char *format_before, const char *format_after)
{
	return rfs_why(reader->why, reader->why_n, -EINVAL, "%s:%u: %s'%.80s'%s", reader->file, reader->line,
		       format_before, reader->text, format_after);
}

static void suppressions_note(const struct reader *reader, unsigned line, const char *says)
{
	struct rfs_suppressions *out = reader->out;

	out->notes = xreallocarray(out->notes, out->n_notes + 1, sizeof(*out->notes));
	out->notes[out->n_notes++] =
		line ? xasprintf("%s:%u: %s", reader->file, line, says) : xasprintf("%s: %s", reader->file, says);
}

/* Reads the next line that is neither empty nor a comment. 1: there is one; 0: the file has ended; -EINVAL. */
static int next_line(struct reader *reader)
{
	while (reader->at < reader->end) {
		const char *begin = reader->at, *newline = memchr(begin, '\n', (size_t)(reader->end - begin));
		const char *end = newline ? newline : reader->end;

		reader->at = newline ? newline + 1 : reader->end;
		reader->line++;
		while (begin < end && isspace((unsigned char)*begin))
			begin++;
		while (end > begin && isspace((unsigned char)end[-1]))
			end--;
		if (begin == end || *begin == '#')
			continue;
		if (end - begin > LINE_MAX_BYTES)
			return suppressions_refuse(reader, reader->line,
						   "the line is too long; this is no file of suppressions");
		if (memchr(begin, '\0', (size_t)(end - begin)))
			return suppressions_refuse(reader, reader->line, "there is a zero byte; suppressions are text");
		free(reader->text);
		reader->text = xstrndup(begin, (size_t)(end - begin));
		return 1;
	}
	return 0;
}

/* ---- blocks ---- */

static struct rfs_suppression *suppression_new(const struct reader *reader, unsigned line, const char *name)
{
	struct rfs_suppression *made = xcalloc(1, sizeof(*made));

	made->name = xstrdup(name);
	made->file = xstrdup(reader->file);
	made->line = line;
	made->own = reader->own;
	return made;
}

static void suppression_free(struct rfs_suppression *suppression)
{
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < suppression->stacks[k].n; i++)
			free(suppression->stacks[k].frames[i].glob);
		free(suppression->stacks[k].frames);
	}
	free(suppression->name);
	free(suppression->file);
	free(suppression->word);
	free(suppression->variable);
	free(suppression);
}

static void suppressions_add(struct rfs_suppressions *out, struct rfs_suppression *suppression)
{
	if ((out->n & (out->n - 1)) == 0)
		out->list = xreallocarray(out->list, out->n ? out->n * 2 : 1, sizeof(*out->list));
	out->list[out->n++] = suppression;
}

/* Whether `tool` is in the list of n bytes, "Memcheck,Helgrind". */
static bool lists_tool(const char *list, size_t n, const char *tool)
{
	for (const char *p = list; p < list + n;) {
		size_t length = 0;

		while (p + length < list + n && p[length] != ',')
			length++;
		if (length == strlen(tool) && strncasecmp(p, tool, length) == 0)
			return true;
		p += length + 1;
	}
	return false;
}

/*
 * Reads the line "TOOL:KIND". *ours: the block is of a tool whose reports rfsup knows, and the suppression knows what
 * it is about. Otherwise the rest of the block is skipped.
 */
static int suppressions_read_kind(struct reader *reader, struct rfs_suppression *out, bool *ours)
{
	const char *colon = strchr(reader->text, ':');
	size_t n = colon ? (size_t)(colon - reader->text) : 0;

	*ours = false;
	if (!n || !colon[1])
		return refuse_text(reader, "", " is no kind; write one such as Helgrind:Race or rfsup:Deadlock");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!lists_tool(reader->text, n, kinds[i].tool))
			continue;
		*ours = true;
		if (strcmp(colon + 1, kinds[i].name) != 0)
			continue;
		out->kinds |= kinds[i].kinds;
		out->only = kinds[i].only;
		if (!out->kinds)
			suppressions_note(reader, reader->line,
					  "rfsup reports nothing of this kind, so this suppresses nothing");
		return 0;
	}
	if (*ours)
		return refuse_text(reader, "",
				   " is unknown; kinds are Helgrind:Race, Helgrind:LockOrder, "
				   "drd:ConflictingAccess, rfsup:Race, rfsup:Deadlock, rfsup:Atomicity, "
				   "rfsup:Misuse and others, see rfsup-suppressions(5)");
	return 0;
}

static int take_glob(const struct reader *reader, const char *glob, char **out)
{
	if (!*glob)
		return refuse_text(reader, "nothing follows ", "; write what it matches, such as fun:main");
	if (*out)
		return refuse_text(reader, "", " is the second line of its kind; a block has one");
	*out = xstrdup(glob);
	return 0;
}

static bool suppressions_skip(const char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) != 0)
		return false;
	*text += n;
	return true;
}

/* Moves the number behind the last colon of "FILE:LINE" to *line. */
static void split_line(char *glob, unsigned *line)
{
	char *colon = strrchr(glob, ':');
	uint64_t number;

	if (!colon || colon == glob || rfs_number_parse(colon + 1, 1, UINT32_MAX, &number))
		return;
	*line = (unsigned)number;
	*colon = '\0';
}

static int read_frame(const struct reader *reader, struct rfs_suppression_stack *stack)
{
	struct rfs_suppression_frame frame = {.part = RFS_PART_ANY_FRAMES};
	const char *text = reader->text;
	int error = 0;

	if (strcmp(text, "...") != 0) {
		if (suppressions_skip(&text, "fun:"))
			frame.part = RFS_PART_FUNCTION;
		else if (suppressions_skip(&text, "obj:"))
			frame.part = RFS_PART_MODULE;
		else if (suppressions_skip(&text, "src:"))
			frame.part = RFS_PART_FILE;
		else
			return refuse_text(reader, "",
					   " is none of fun:FUNCTION, obj:MODULE, src:FILE, var:VARIABLE, "
					   "with: and ...");
		error = take_glob(reader, text, &frame.glob);
	}
	if (!error && stack->n == FRAMES_MAX) {
		free(frame.glob);
		return suppressions_refuse(reader, reader->line,
					   "the block has too many frames; write ... for some of them");
	}
	if (error)
		return error;
	if (frame.part == RFS_PART_FILE)
		split_line(frame.glob, &frame.line);
	stack->frames = xreallocarray(stack->frames, stack->n + 1, sizeof(*stack->frames));
	stack->frames[stack->n++] = frame;
	return 0;
}

/* Reads a line between the kind and the end of the block. */
static int suppressions_read_part(const struct reader *reader, struct rfs_suppression *out)
{
	const char *text = reader->text;

	if (strcmp(text, "with:") == 0) {
		if (out->n_stacks == 2 || !out->stacks[0].n)
			return suppressions_refuse(
				reader, reader->line,
				"'with:' divides the frames of two threads; write it once, between them");
		out->n_stacks = 2;
		return 0;
	}
	if (suppressions_skip(&text, "var:"))
		return take_glob(reader, text, &out->variable);
	return read_frame(reader, &out->stacks[out->n_stacks - 1]);
}

/* Frames with which a stack of Valgrind begins, but none of rfsup: Valgrind's own versions of functions. */
static bool is_wrapper(const struct rfs_suppression_frame *frame)
{
	if (frame->part == RFS_PART_MODULE)
		return strstr(frame->glob, "vgpreload_") != NULL;
	return frame->part == RFS_PART_FUNCTION && (strstr(frame->glob, "_WRK") || strstr(frame->glob, "_intercept") ||
						    strncmp(frame->glob, "pthread_", 8) == 0);
}

/* Removes these frames, unless there is nothing else. */
static void drop_wrappers(struct rfs_suppression_stack *stack)
{
	size_t n = 0;

	while (n < stack->n && is_wrapper(&stack->frames[n]))
		n++;
	if (n == stack->n)
		return;
	for (size_t i = 0; i < n; i++)
		free(stack->frames[i].glob);
	stack->n -= n;
	memmove(stack->frames, stack->frames + n, stack->n * sizeof(*stack->frames));
}

static bool is_everything(const char *glob)
{
	return glob[strspn(glob, "*")] == '\0';
}

static bool matches_everything(const struct rfs_suppression *suppression)
{
	if (suppression->variable && !is_everything(suppression->variable))
		return false;
	if (suppression->word)
		return is_everything(suppression->word);
	for (size_t k = 0; k < suppression->n_stacks; k++)
		for (size_t i = 0; i < suppression->stacks[k].n; i++) {
			const struct rfs_suppression_frame *frame = &suppression->stacks[k].frames[i];

			if (frame->part != RFS_PART_ANY_FRAMES && !is_everything(frame->glob))
				return false;
		}
	return true;
}

static int end_block(const struct reader *reader, struct rfs_suppression *out)
{
	if (!out->stacks[out->n_stacks - 1].n)
		return suppressions_refuse(reader, reader->line,
					   "the block has no frames; add a line such as fun:main before '}'");
	for (size_t k = 0; k < out->n_stacks; k++)
		drop_wrappers(&out->stacks[k]);
	return 0;
}

static int block_cut(const struct reader *reader, unsigned begin)
{
	return suppressions_refuse(reader, begin, "the file ends inside the block that begins here; add its '}'");
}

static int suppressions_read_block(struct reader *reader)
{
	const unsigned begin = reader->line;
	struct rfs_suppression *made;
	bool ours = false;
	int found = next_line(reader), error = 0;

	if (found <= 0)
		return found < 0 ? found : block_cut(reader, begin);
	if (strcmp(reader->text, "}") == 0)
		return suppressions_refuse(reader, reader->line,
					   "the block has neither name nor kind; write both before '}'");
	made = suppression_new(reader, begin, reader->text);
	made->n_stacks = 1;
	found = next_line(reader);
	if (found > 0)
		error = suppressions_read_kind(reader, made, &ours);
	while (found > 0 && !error) {
		found = next_line(reader);
		if (found <= 0 || strcmp(reader->text, "}") == 0)
			break;
		if (strcmp(reader->text, "{") == 0)
			error = block_cut(reader, begin);
		else if (ours)
			error = suppressions_read_part(reader, made);
	}
	if (found <= 0 && !error)
		error = found < 0 ? found : block_cut(reader, begin);
	if (!error && ours)
		error = end_block(reader, made);
	if (error || !ours) {
		suppression_free(made);
		return error;
	}
	if (made->kinds && matches_everything(made))
		suppressions_note(reader, begin, "this block matches everything of its kind");
	suppressions_add(reader->out, made);
	return 0;
}

/* ---- lines of ThreadSanitizer ---- */

/* ThreadSanitizer's pattern matches any part of a text; '^' and '$' tie it to the ends. Caller frees. */
static char *suppressions_glob_of(const char *pattern)
{
	const bool from = *pattern == '^';
	size_t n = strlen(pattern + from);
	const bool to = n && pattern[from + n - 1] == '$';

	return xasprintf("%s%.*s%s", from ? "" : "*", (int)(n - to), pattern + from, to ? "" : "*");
}

static int suppressions_read_type(struct reader *reader)
{
	const char *colon = strchr(reader->text, ':');
	struct rfs_suppression *made;

	for (size_t i = 0; colon && i < sizeof(types) / sizeof(*types); i++) {
		if (strlen(types[i].name) != (size_t)(colon - reader->text) ||
		    strncmp(types[i].name, reader->text, strlen(types[i].name)) != 0)
			continue;
		if (!colon[1])
			return refuse_text(reader, "nothing follows ", "; write what it matches, such as race:counter");
		made = suppression_new(reader, reader->line, reader->text);
		made->form = types[i].form;
		made->kinds = types[i].kinds;
		made->only = types[i].only;
		made->word = suppressions_glob_of(colon + 1);
		if (!made->kinds)
			suppressions_note(reader, reader->line,
					  "rfsup reports nothing of this kind, so this suppresses nothing");
		else if (matches_everything(made))
			suppressions_note(reader, reader->line, "this line matches everything of its kind");
		suppressions_add(reader->out, made);
		return 0;
	}
	if (strcmp(reader->text, "}") == 0)
		return suppressions_refuse(reader, reader->line,
					   "'}' ends no block; begin the block with '{' on a line of its own");
	if (strncmp(reader->text, "fun:", 4) == 0 || strncmp(reader->text, "obj:", 4) == 0 ||
	    strncmp(reader->text, "src:", 4) == 0)
		return refuse_text(reader, "",
				   " is in no block; write '{', a name and a kind before it, and '}' after");
	return refuse_text(reader, "", " is neither '{' nor one of " TYPES " with ':' and a pattern");
}

/* ---- files ---- */

int rfs_suppressions_parse(const char *file, bool own, const char *data, size_t n, struct rfs_suppressions *out,
			   char *why, size_t why_n)
{
	struct reader reader = {
		.file = file, .own = own, .at = data, .end = data + n, .out = out, .why = why, .why_n = why_n};
	const size_t before = out->n;
	int found, error = 0;

	while (!error && (found = next_line(&reader)) != 0)
		error = found < 0			? found
			: strcmp(reader.text, "{") == 0 ? suppressions_read_block(&reader)
							: suppressions_read_type(&reader);
	free(reader.text);
	if (!error && out->n == before)
		suppressions_note(&reader, 0, "this file has no suppression that rfsup can use");
	return error;
}

void rfs_suppressions_release(struct rfs_suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->n; i++)
		suppression_free(suppressions->list[i]);
	for (size_t i = 0; i < suppressions->n_notes; i++)
		free(suppressions->notes[i]);
	free(suppressions->list);
	free(suppressions->notes);
	*suppressions = (struct rfs_suppressions){0};
}

const char *rfs_suppression_name(const struct rfs_suppression *suppression)
{
	return suppression->name;
}

const char *rfs_suppression_file(const struct rfs_suppression *suppression)
{
	return suppression->file;
}

unsigned rfs_suppression_line(const struct rfs_suppression *suppression)
{
	return suppression->line;
}

bool rfs_suppression_is_own(const struct rfs_suppression *suppression)
{
	return suppression->own;
}
