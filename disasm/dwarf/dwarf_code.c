/* dwarf_code.c - queries about code: the line and the frames of an address, and the code of a line. */
#include "disasm/dwarf/dwarf-priv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- one address ---- */

/* The index + 1 of the last row that starts at or before vaddr; 0 if there is none. Each row of these tables begins
 * with its start. */
static size_t last_before(const struct rfs_dwarf *dwarf, enum rfs_dwarf_table table, rfs_addr vaddr)
{
	size_t low = 0, high = dwarf->n[table], row_size = rfs_dwarf_row_size(table);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		rfs_addr start;

		memcpy(&start, (const char *)dwarf->table[table] + middle * row_size, sizeof(start));
		if (start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct rfs_dwarf_row *row_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	const struct rfs_dwarf_row *rows = dwarf->table[RFS_DWARF_ROWS];
	size_t i = last_before(dwarf, RFS_DWARF_ROWS, vaddr);

	return i && vaddr < rows[i - 1].end ? &rows[i - 1] : NULL;
}

const struct rfs_dwarf_span *rfs_dwarf_span_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	const struct rfs_dwarf_span *spans = dwarf->table[RFS_DWARF_SPANS];
	size_t i = last_before(dwarf, RFS_DWARF_SPANS, vaddr);

	return i && vaddr < spans[i - 1].end ? &spans[i - 1] : NULL;
}

const struct rfs_dwarf_variable *rfs_dwarf_variable_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	const struct rfs_dwarf_variable *variables = dwarf->table[RFS_DWARF_VARIABLES];
	size_t i = last_before(dwarf, RFS_DWARF_VARIABLES, vaddr);

	return i && vaddr - variables[i - 1].start < variables[i - 1].size ? &variables[i - 1] : NULL;
}

static const char *string_at(const struct rfs_dwarf *dwarf, uint32_t string)
{
	return (const char *)dwarf->table[RFS_DWARF_STRINGS] + string;
}

static const char *file_path(const struct rfs_dwarf *dwarf, uint32_t file)
{
	return string_at(dwarf, ((const struct rfs_dwarf_file *)dwarf->table[RFS_DWARF_FILES])[file].path);
}

bool rfs_dwarf_line(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_line *out)
{
	const struct rfs_dwarf_row *row = row_at(dwarf, vaddr);

	if (!row)
		return false;
	*out = (struct rfs_line){.file = file_path(dwarf, row->file), .line = row->line, .column = row->column};
	return true;
}

size_t rfs_dwarf_frames(const struct rfs_dwarf *dwarf, rfs_addr vaddr, struct rfs_frame *out, size_t max)
{
	const struct rfs_dwarf_frame *frames = dwarf->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_span *span = rfs_dwarf_span_at(dwarf, vaddr);
	size_t n = 0;

	for (uint32_t i = span ? span->frame : RFS_DWARF_NONE; i != RFS_DWARF_NONE && n < max; i = frames[i].parent) {
		struct rfs_frame *frame = &out[n];

		if (!*string_at(dwarf, frames[i].name)) /* its name is in a file that rfsup cannot read */
			continue;
		memset(frame, 0, sizeof(*frame));
		frame->function = string_at(dwarf, frames[i].name);
		frame->qualified = string_at(dwarf, frames[i].qualified);
		if (frames[i].parent != RFS_DWARF_NONE && frames[i].call_file != RFS_DWARF_NONE) {
			frame->call.file = file_path(dwarf, frames[i].call_file);
			frame->call.line = frames[i].call_line;
			frame->call.column = frames[i].call_column;
		}
		n++;
	}
	return n;
}

bool rfs_dwarf_in_atomic(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	const struct rfs_dwarf_frame *frames = dwarf->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_span *span = rfs_dwarf_span_at(dwarf, vaddr);

	if (span && frames[span->frame].atomic == RFS_DWARF_ATOMIC_ONLY)
		return true;
	for (uint32_t i = span ? span->frame : RFS_DWARF_NONE; i != RFS_DWARF_NONE; i = frames[i].parent) {
		if (frames[i].atomic == RFS_DWARF_ATOMIC)
			return true;
	}
	return false;
}

/* ---- one file ---- */

/* A rule for which files match a tail. */
struct selection {
	char tail[PATH_MAX];
	bool with_code; /* only files with code; if any of these match, the user means one of them */
	bool whole;	/* only the file whose whole path is tail, even if longer paths end like it */
};

static bool selects(const struct rfs_dwarf *dwarf, const struct selection *selection, size_t file)
{
	const struct rfs_dwarf_file *files = dwarf->table[RFS_DWARF_FILES];
	const char *path = string_at(dwarf, files[file].path);

	if (selection->with_code && !files[file].has_code)
		return false;
	return selection->whole ? !strcmp(path, selection->tail) : rfs_dwarf_path_ends(path, selection->tail);
}

static size_t count_selected(const struct rfs_dwarf *dwarf, const struct selection *selection)
{
	size_t n = 0;

	for (size_t i = 0; i < dwarf->n[RFS_DWARF_FILES]; i++)
		n += selects(dwarf, selection, i);
	return n;
}

/* Finds the strictest rule that matches at least one file. Returns how many files match. */
static size_t select_files(const struct rfs_dwarf *dwarf, const char *file, struct selection *selection)
{
	static const struct selection kinds[] = {
		{.with_code = true, .whole = true}, {.with_code = true}, {.with_code = false}};
	char tail[PATH_MAX];
	const char *rest = tail;
	size_t n = 0;

	if (!rfs_dwarf_path_join("", "", file, tail, sizeof(tail)))
		return 0;
	while (!strncmp(rest, "../", 3)) /* ".." refers to an unknown directory, so only the rest is matched */
		rest += 3;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !n; i++) {
		*selection = kinds[i];
		memcpy(selection->tail, rest, strlen(rest) + 1);
		n = count_selected(dwarf, selection);
	}
	return n;
}

int rfs_dwarf_ranges(const struct rfs_dwarf *dwarf, const char *file, unsigned line,
		     void (*f)(void *arg, rfs_addr start, rfs_addr end), void *arg)
{
	const struct rfs_dwarf_row *rows = dwarf->table[RFS_DWARF_ROWS];
	struct selection selection;
	size_t n = select_files(dwarf, file, &selection), chosen = 0, n_rows = dwarf->n[RFS_DWARF_ROWS];
	int found = 0;

	if (n != 1)
		return n ? -EEXIST : -ENOENT;
	while (!selects(dwarf, &selection, chosen))
		chosen++;
	for (size_t i = 0; i < n_rows;) {
		rfs_addr start = rows[i].start, end = rows[i].end;

		if (rows[i].file != chosen || rows[i].line != line) {
			i++;
			continue;
		}
		/* Adjacent rows of one line, with different columns, are one range. */
		for (i++; i < n_rows && rows[i].file == chosen && rows[i].line == line && rows[i].start == end; i++)
			end = rows[i].end;
		f(arg, start, end);
		found++;
	}
	return found;
}

int rfs_dwarf_inlined(const struct rfs_dwarf *dwarf, const char *file, unsigned line,
		      void (*f)(void *arg, rfs_addr start, rfs_addr end), void *arg)
{
	const struct rfs_dwarf_frame *frames = dwarf->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_span *spans = dwarf->table[RFS_DWARF_SPANS];
	struct selection selection;
	size_t n = select_files(dwarf, file, &selection), chosen = 0;
	bool *called;
	int found = 0;

	if (n != 1)
		return n ? -EEXIST : -ENOENT;
	while (!selects(dwarf, &selection, chosen))
		chosen++;
	called = calloc(dwarf->n[RFS_DWARF_FRAMES] + 1, sizeof(*called));
	if (!called)
		return -ENOMEM;
	for (size_t i = 0; i < dwarf->n[RFS_DWARF_FRAMES]; i++)
		called[i] =
			frames[i].parent != RFS_DWARF_NONE &&
			(called[frames[i].parent] || (frames[i].call_file == chosen && frames[i].call_line == line));
	for (size_t i = 0; i < dwarf->n[RFS_DWARF_SPANS]; i++)
		if (called[spans[i].frame]) {
			f(arg, spans[i].start, spans[i].end);
			found++;
		}
	free(called);
	return found;
}

size_t rfs_dwarf_files(const struct rfs_dwarf *dwarf, const char *tail, void (*f)(void *arg, const char *file),
		       void *arg)
{
	struct selection selection;
	size_t n = select_files(dwarf, tail, &selection);

	for (size_t i = 0; n && i < dwarf->n[RFS_DWARF_FILES]; i++) {
		if (selects(dwarf, &selection, i))
			f(arg, file_path(dwarf, (uint32_t)i));
	}
	return n;
}

void rfs_dwarf_each_name(const struct rfs_dwarf *dwarf, void (*f)(void *arg, const char *name), void *arg)
{
	const char *pool = dwarf->table[RFS_DWARF_STRINGS];

	for (size_t i = 0; i < dwarf->n[RFS_DWARF_STRINGS]; i += strlen(pool + i) + 1)
		f(arg, pool + i);
}

void rfs_dwarf_each_file(const struct rfs_dwarf *dwarf, void (*f)(void *arg, const char *file), void *arg)
{
	for (size_t i = 0; i < dwarf->n[RFS_DWARF_FILES]; i++)
		f(arg, file_path(dwarf, (uint32_t)i));
}
