/* report_put.c - writes single parts of a report for people: places, stacks, statements. */
#include "supervisor/report/text/text_put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/short_name.h"
#include "supervisor/symbols/source.h"

/* Function names in a stack are padded to the longest one, but at most to this width. */
#define FUNCTION_WIDTH 32
/* How many frames of a stack are shown. */
#define STACK_FRAMES 12

void rfs_text_put(struct rfs_text *text, const char *format, ...)
{
	va_list ap;
	char *line;

	va_start(ap, format);
	if (vasprintf(&line, format, ap) < 0)
		die("out of memory while writing the report");
	va_end(ap);
	for (char *p = line; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7f)
			*p = '?';
	fputs(line, text->out);
	free(line);
}

void rfs_text_colour(struct rfs_text *text, const char *sequence)
{
	if (text->colour)
		fputs(sequence, text->out);
}

static const char *text_put_file_name(const struct rfs_text *text, const char *file)
{
	size_t n = text->folder ? strlen(text->folder) : 0;

	return n && strncmp(file, text->folder, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* "file.c:12:3", or "module+0x1234" if the line is not known. Caller frees. */
char *rfs_text_place(const struct rfs_text *text, const struct rfs_source_place *place)
{
	if (place->file && place->line && place->column)
		return xasprintf("%s:%u:%u", text_put_file_name(text, place->file), place->line, place->column);
	if (place->file && place->line)
		return xasprintf("%s:%u", text_put_file_name(text, place->file), place->line);
	if (!place->module)
		return xasprintf("0x%" PRIx64, place->offset);
	return xasprintf("%s+0x%" PRIx64, rfs_base_name(place->module), place->offset);
}

char *rfs_text_variable(const char *variable, const char *otherwise)
{
	/* other commas are of types: std::map<int, int> */
	const char *end = variable ? strstr(variable, ", allocated") : NULL;

	return end ? xstrndup(variable, (size_t)(end - variable)) : xstrdup(variable ? variable : otherwise);
}

char *rfs_text_line(const struct rfs_text *text, const struct rfs_source_place *place)
{
	char *where = rfs_text_place(text, place);

	if (place->file && place->line && place->column)
		*strrchr(where, ':') = '\0';
	return where;
}

char *rfs_text_who(const struct rfs_text *text, const struct rfs_source_place *place)
{
	/* a symbol that is only near may be the name of anything: a list shows it, and a sentence does not */
	bool named = place->function || (place->near && strncmp(place->near, "near ", strlen("near ")) != 0);
	char *where = rfs_text_line(text, place), *name = named ? rfs_short_place_name(place) : NULL, *out;

	out = name ? xasprintf("%s at %s", name, where) : xstrdup(where);
	free(where);
	free(name);
	return out;
}

/* One frame of a stack on a line. name: short name of its function; it is padded to `width`. */
static void text_put_frame(struct rfs_text *text, const struct rfs_source_place *frame, size_t number, const char *name,
			   size_t width, const char *indent)
{
	char *place = rfs_text_place(text, frame);

	rfs_text_put(text, "%s#%-2zu %-*s  %s", indent, number, (int)width, name, place);
	if (frame->file && frame->line && frame->module) {
		rfs_text_colour(text, RFS_TEXT_DIM);
		rfs_text_put(text, "  %s+0x%" PRIx64, rfs_base_name(frame->module), frame->offset);
		rfs_text_colour(text, RFS_TEXT_PLAIN);
	}
	rfs_text_put(text, "\n");
	free(place);
}

/* Writes some frames of a stack, with aligned places. numbers: the frames to write. */
static void text_put_frames(struct rfs_text *text, const struct rfs_source_stack *stack, const size_t *numbers,
			    size_t n, const char *indent)
{
	size_t width = 1;

	for (size_t i = 0; i < n; i++) {
		char *name = rfs_short_place_name(&stack->frames[numbers[i]]);
		size_t length = strlen(name);

		if (length > width)
			width = length < FUNCTION_WIDTH ? length : FUNCTION_WIDTH;
		free(name);
	}
	for (size_t i = 0; i < n; i++) {
		char *name = rfs_short_place_name(&stack->frames[numbers[i]]);

		text_put_frame(text, &stack->frames[numbers[i]], numbers[i], name, width, indent);
		free(name);
	}
}

void rfs_text_put_stack(struct rfs_text *text, const struct rfs_source_stack *stack, const char *indent)
{
	size_t first = rfs_source_stack_first_own(stack), numbers[STACK_FRAMES], shown = 0, n = 0;
	/* a stack without a frame in the user's code is shown as it is */
	bool all = stack->n_frames && rfs_source_place_is_foreign(&stack->frames[first]);

	for (size_t i = 0; i < stack->n_frames; i++) {
		if (!all && rfs_source_place_is_foreign(&stack->frames[i]))
			continue;
		if (shown < STACK_FRAMES)
			numbers[shown++] = i;
		n++;
	}
	text_put_frames(text, stack, numbers, shown, indent);
	if (shown < n)
		rfs_text_put(text, "%s    ... %zu more\n", indent, n - shown);
	if (first > 0) {
		const struct rfs_source_place *called = &stack->frames[first - 1];
		char *name = rfs_short_place_name(called), *place = rfs_text_place(text, called);

		if (called->function)
			rfs_text_put(text, "%s    inside %s at %s", indent, name, place);
		else
			rfs_text_put(text, "%s    inside %s", indent, place);
		if (first > 1)
			rfs_text_put(text, " (%zu frames of headers and libraries)", first);
		rfs_text_put(text, "\n");
		free(name);
		free(place);
	}
}

void rfs_text_put_locks(struct rfs_text *text, const struct rfs_report_strings *locks, const char *none)
{
	if (!locks->n_items)
		rfs_text_put(text, "%s", none);
	for (size_t i = 0; i < locks->n_items; i++)
		rfs_text_put(text, "%s%s", i ? ", " : "holding ", locks->items[i]);
}

/* The library that started the thread of this stack, if it is one whose threads do work for their users; or "". */
static const char *text_put_team_of(const struct rfs_source_stack *stack)
{
	static const struct {
		const char *module, *name;
	} teams[] = {
		{"libgomp.so", " (OpenMP)"}, {"libomp.so", " (OpenMP)"},    {"libiomp5.so", " (OpenMP)"},
		{"libtbb.so", " (TBB)"},     {"libglib-2.0.so", " (GLib)"},
	};

	/* the outermost frames, up to the first one of the user's code */
	for (size_t i = stack->n_frames; i-- > 0 && rfs_source_place_is_foreign(&stack->frames[i]);)
		for (size_t k = 0; k < sizeof(teams) / sizeof(*teams) && stack->frames[i].module; k++)
			if (strncmp(rfs_base_name(stack->frames[i].module), teams[k].module, strlen(teams[k].module)) ==
			    0)
				return teams[k].name;
	return "";
}

const char *rfs_text_created(struct rfs_text *text)
{
	const char *word = text->created ? "created" : "created (made to happen)";

	text->created = true;
	return word;
}

void rfs_text_put_process(struct rfs_text *text, unsigned process)
{
	if (process)
		rfs_text_put(text, " of process %u", process);
}

void rfs_text_put_statement(struct rfs_text *text, const struct rfs_report_statement *statement)
{
	const struct rfs_source_place *place = rfs_report_own_place(statement);
	char *where = rfs_text_place(text, place);
	char *source = place->file && place->line ? rfs_source_line(place->file, place->line) : NULL;

	if (statement->seen) {
		char *who = rfs_thread_text(statement->thread, statement->handler);

		rfs_text_put(text, "    %s", who);
		free(who);
		rfs_text_put_process(text, (unsigned)statement->process);
		if (statement->team_size)
			rfs_text_put(text, " (OpenMP thread %" PRIu64 " of %" PRIu64 ")", statement->team_number,
				     statement->team_size);
		else
			rfs_text_put(text, "%s", text_put_team_of(&statement->stack));
		if (statement->access & RFS_ACCESS_CALL)
			rfs_text_put(text, " calls %s", rfs_access_text(statement->access, RFS_ACCESS_NOUN));
		else if (statement->access & RFS_ACCESS_LIBRARY)
			rfs_text_put(text, " %s it", rfs_access_text(statement->access, RFS_ACCESS_VERB));
		else
			rfs_text_put(text, " %s %" PRIu64 " byte%s",
				     rfs_access_text(statement->access, RFS_ACCESS_VERB), statement->size,
				     rfs_plural(statement->size));
	} else {
		rfs_text_put(text, "    one thread %s", rfs_access_text(statement->access, RFS_ACCESS_VERB));
	}
	if (statement->access & RFS_ACCESS_RMW)
		rfs_text_put(text, " (%s half of a read-modify-write)",
			     statement->access & RFS_ACCESS_READ ? "first" : "second");
	rfs_text_put(text, " at ");
	rfs_text_colour(text, RFS_TEXT_BOLD);
	rfs_text_put(text, "%s", where);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	if (place->function || place->near) {
		char *name = rfs_short_place_name(place);

		rfs_text_put(text, " in %s", name);
		free(name);
	}
	if (statement->seen) {
		rfs_text_put(text, ", ");
		rfs_text_put_locks(text, &statement->locks, "holding no lock");
	}
	rfs_text_put(text, "\n");
	if (source) {
		rfs_text_put(text, "        | ");
		rfs_text_colour(text, RFS_TEXT_CYAN);
		rfs_text_put(text, "%s", source);
		rfs_text_colour(text, RFS_TEXT_PLAIN);
		rfs_text_put(text, "\n");
	}
	rfs_text_put_stack(text, &statement->stack, "        ");
	free(source);
	free(where);
}

static void put_replay(struct rfs_text *text, const char *record)
{
	char *word;

	if (!record)
		return;
	word = rfs_shell_word(record);
	rfs_text_put(text, "    see it again: ");
	rfs_text_colour(text, RFS_TEXT_BOLD);
	rfs_text_put(text, "rfsup --replay %s", word);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "\n");
	free(word);
}

/* Writes each of these lines after `before`. */
static void put_lines(struct rfs_text *text, const char *before, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		rfs_text_put(text, "%s%.*s\n", before, (int)n, lines);
		lines += n + (lines[n] == '\n');
	}
}

static void put_output(struct rfs_text *text, const char *output)
{
	if (!output)
		return;
	rfs_text_put(text, "    the program's last output\n");
	put_lines(text, "        > ", output);
}

static void put_faults(struct rfs_text *text, const struct rfs_report_shown *shown)
{
	if (!shown->faults)
		return;
	put_lines(text, "    fault: ", shown->faults);
	if (shown->without_faults == RFS_WITHOUT_PASSES)
		rfs_text_put(text, "    the same schedule without the fault passes\n");
	else if (shown->without_faults == RFS_WITHOUT_FAILS)
		rfs_text_put(text, "    the same schedule without the fault fails as well\n");
}

void rfs_text_put_shown(struct rfs_text *text, const struct rfs_report_shown *shown, const char *record)
{
	if (shown->block)
		rfs_text_put(text, "    %s\n", shown->block);
	if (shown->stack.n_frames) {
		rfs_text_put(text, "    where it failed\n");
		rfs_text_put_stack(text, &shown->stack, "        ");
	}
	put_faults(text, shown);
	put_output(text, shown->output);
	if (shown->differs)
		rfs_text_put(text, "    %s\n", shown->differs);
	if (shown->story) {
		rfs_text_put(text, "    the same with %" PRIu64 " switch%s", shown->story_switches,
			     shown->story_switches == 1 ? "" : "es");
		if (shown->story_cut)
			rfs_text_put(text, " (not fewest: stopped after %" PRIu64 " runs; rfsup --simplify goes on)",
				     shown->story_runs);
		rfs_text_put(text, "\n");
		put_lines(text, "        ", shown->story);
	} else if (shown->no_story) {
		rfs_text_put(text, "    no simplified run: %s\n", shown->no_story);
	}
	if (shown->needs_delays)
		rfs_text_put(text, "    the same schedule without delayed stores passes, so a fence may be missing\n");
	if (shown->page)
		rfs_text_put(text, "    as a picture: %s\n", shown->page);
	put_replay(text, record);
}
