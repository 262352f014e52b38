/*
 * dwarf_lines.c - line tables (DWARF 5 section 6.2): makes disjoint ranges of addresses from the rows of all units.
 *
 * Rows come in sequences. Each sequence describes one piece of contiguous code. A row covers the code up to the next
 * row. If several rows have the same address, the last one counts. Statement flags (is_stmt) do not matter here,
 * because they only say where a debugger should stop. If the linker discarded code, its sequence stays in the table,
 * with addresses at which the module has no code.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

/* File numbers above this are damage; no real table lists so many files. */
#define FILES_MAX (1u << 20)

struct sequence {
	rfs_addr start, end;
	size_t first, n; /* its rows: n from `first` on in reader->rows */
};

/* A path that a line table has named, and its index in RFS_DWARF_FILES. */
struct rfs_dwarf_path {
	uint32_t path; /* a string offset */
	uint32_t file;
	UT_hash_handle hh;
};

static uint32_t dwarf_lines_file_of(struct rfs_dwarf_reader *reader, const char *path)
{
	uint32_t string = rfs_dwarf_intern(&reader->tables, path, strlen(path));
	struct rfs_dwarf_array *files = &reader->tables.table[RFS_DWARF_FILES];
	struct rfs_dwarf_path *known;
	struct rfs_dwarf_file *file;

	HASH_FIND(hh, reader->paths, &string, sizeof(string), known);
	if (known)
		return known->file;
	known = calloc(1, sizeof(*known));
	if (!known)
		_exit(RFS_DWARF_EXIT_MEMORY);
	known->path = string;
	known->file = (uint32_t)files->n;
	HASH_ADD(hh, reader->paths, path, sizeof(known->path), known);
	file = rfs_dwarf_array_add(files, sizeof(*file));
	file->path = string;
	return known->file;
}

/* Fills reader->unit.files. Directory 0 is the compilation directory: DWARF 5 lists it, earlier versions imply it. */
static int dwarf_lines_read_files(struct rfs_dwarf_reader *reader, Dwarf_Line_Context context, Dwarf_Unsigned version)
{
	Dwarf_Signed base, count, end, n_dirs;
	const char *comp_dir = NULL;

	if (dwarf_srclines_files_indexes(context, &base, &count, &end, NULL) != DW_DLV_OK ||
	    dwarf_srclines_include_dir_count(context, &n_dirs, NULL) != DW_DLV_OK)
		return -EBADMSG;
	if (base < 0 || end < base || end > FILES_MAX)
		return -EBADMSG;
	if (dwarf_srclines_comp_dir(context, &comp_dir, NULL) != DW_DLV_OK || !comp_dir)
		comp_dir = "";
	reader->unit.n_files = (size_t)end;
	reader->unit.files = malloc(((size_t)end + 1) * sizeof(*reader->unit.files));
	if (!reader->unit.files)
		_exit(RFS_DWARF_EXIT_MEMORY);
	memset(reader->unit.files, 0xff, ((size_t)end + 1) * sizeof(*reader->unit.files));
	for (Dwarf_Signed i = base; i < end; i++) {
		const char *name = NULL, *dir = NULL;
		Dwarf_Unsigned in, mtime, length;
		Dwarf_Form_Data16 *md5;
		char path[PATH_MAX];

		if (dwarf_srclines_files_data_b(context, i, &name, &in, &mtime, &length, &md5, NULL) != DW_DLV_OK)
			return -EBADMSG;
		if (!name || in > (Dwarf_Unsigned)n_dirs)
			continue;
		if ((version >= 5 || in) &&
		    dwarf_srclines_include_dir_data(context, (Dwarf_Signed)in, &dir, NULL) != DW_DLV_OK)
			dir = NULL;
		if (rfs_dwarf_path_join(comp_dir, dir ? dir : "", name, path, sizeof(path)))
			reader->unit.files[i] = dwarf_lines_file_of(reader, path);
	}
	return 0;
}

/* Keeps the rows from `first` on as a sequence that ends at `end`. Drops them if the module has no code there. */
static void end_sequence(struct rfs_dwarf_reader *reader, size_t first, rfs_addr end)
{
	struct rfs_dwarf_row *rows = (struct rfs_dwarf_row *)reader->rows.rows + first;
	size_t n = reader->rows.n - first, kept = 0;
	struct sequence *sequence;

	for (size_t i = 0; i < n; i++) {
		rows[i].end = i + 1 < n ? rows[i + 1].start : end;
		if (rows[i].end < rows[i].start) { /* damage: addresses within a sequence must ascend */
			n = 0;
			break;
		}
	}
	if (n &&
	    (!rfs_dwarf_range_holds(&reader->code, rows[0].start) || !rfs_dwarf_range_holds(&reader->code, end - 1)))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].start < rows[i].end && rows[i].line && rows[i].file != RFS_DWARF_NONE)
			rows[kept++] = rows[i];
	}
	reader->rows.n = first + kept;
	if (!kept)
		return;
	sequence = rfs_dwarf_array_add(&reader->sequences, sizeof(*sequence));
	sequence->start = rows[0].start;
	sequence->end = end;
	sequence->first = first;
	sequence->n = kept;
}

/* Reads n rows. first_files is the result of rfs_dwarf_first_files(); empty if file numbers need no correction. */
static int read_rows(struct rfs_dwarf_reader *reader, const struct rfs_dwarf_array *first_files, Dwarf_Line *lines,
		     Dwarf_Signed n)
{
	size_t first = reader->rows.n, sequence = 0;

	for (Dwarf_Signed i = 0; i < n; i++) {
		Dwarf_Unsigned line, file, column;
		Dwarf_Addr address;
		Dwarf_Bool ends;
		struct rfs_dwarf_row *row;

		if (dwarf_lineaddr(lines[i], &address, NULL) != DW_DLV_OK ||
		    dwarf_lineendsequence(lines[i], &ends, NULL) != DW_DLV_OK)
			goto damaged;
		if (ends) {
			end_sequence(reader, first, address);
			first = reader->rows.n;
			sequence++;
			continue;
		}
		if (dwarf_lineno(lines[i], &line, NULL) != DW_DLV_OK ||
		    dwarf_line_srcfileno(lines[i], &file, NULL) != DW_DLV_OK)
			goto damaged;
		if (dwarf_lineoff_b(lines[i], &column, NULL) != DW_DLV_OK)
			column = 0;
		if (file == 0 && sequence < first_files->n &&
		    reader->rows.n - first < ((const uint32_t *)first_files->rows)[sequence])
			file = 1;
		row = rfs_dwarf_array_add(&reader->rows, sizeof(*row));
		row->start = address;
		row->file = file < reader->unit.n_files ? reader->unit.files[file] : RFS_DWARF_NONE;
		row->line = line <= UINT32_MAX ? (uint32_t)line : 0;
		row->column = column <= UINT32_MAX ? (uint32_t)column : 0;
	}
	reader->rows.n = first; /* drops rows after the last end of a sequence */
	return 0;
damaged:
	reader->rows.n = first;
	return -EBADMSG;
}

int rfs_dwarf_read_lines(struct rfs_dwarf_reader *reader, Dwarf_Die die)
{
	struct rfs_dwarf_array first_files = {0};
	Dwarf_Line_Context context = NULL;
	Dwarf_Line *lines = NULL;
	Dwarf_Signed n = 0;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Error error = NULL;
	int rc;

	rc = dwarf_srclines_b(die, &version, &tables, &context, &error);
	if (rc == DW_DLV_NO_ENTRY)
		return 0;
	if (rc != DW_DLV_OK)
		return -EBADMSG;
	rc = dwarf_lines_read_files(reader, context, version);
	if (version == 5 && !rfs_dwarf_first_files(reader, die, &first_files))
		first_files.n = 0;
	if (!rc && tables) {
		rc = dwarf_srclines_from_linecontext(context, &lines, &n, &error);
		if (rc == DW_DLV_OK)
			rc = read_rows(reader, &first_files, lines, n);
		else
			rc = rc == DW_DLV_NO_ENTRY ? 0 : -EBADMSG;
	}
	dwarf_srclines_dealloc_b(context);
	free(first_files.rows);
	return rc;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* If sequences overlap, because the linker merged identical functions, only the one that begins first is kept. */
void rfs_dwarf_make_rows(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_file *files = reader->tables.table[RFS_DWARF_FILES].rows;
	struct sequence *sequences = reader->sequences.rows;
	const struct rfs_dwarf_row *rows = reader->rows.rows;
	rfs_addr end = 0;

	if (reader->sequences.n)
		qsort(sequences, reader->sequences.n, sizeof(*sequences), compare_sequences);
	for (size_t i = 0; i < reader->sequences.n; i++) {
		if (sequences[i].start < end)
			continue;
		end = sequences[i].end;
		for (size_t k = 0; k < sequences[i].n; k++) {
			const struct rfs_dwarf_row *row = &rows[sequences[i].first + k];

			*(struct rfs_dwarf_row *)rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_ROWS],
								     sizeof(*row)) = *row;
			files[row->file].has_code = 1;
		}
	}
}
