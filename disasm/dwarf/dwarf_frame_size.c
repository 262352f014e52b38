/*
 * dwarf_frame_size.c - how far below the canonical frame address the stack pointer is while a function runs.
 *
 * Clang describes the variables of functions without a frame pointer by their offsets from the stack pointer. It moves
 * only at the begin and the end of such a function and, for a moment, where a call has arguments on the stack. So the
 * distance that holds for most of the code is meant. .eh_frame tells it. A separate debug file has none.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

/* The most different distances that are counted in one function. It reaches the one of its body after a few pushes. */
#define DISTANCES_MAX 32
/* The most rows that are read of one function: more is damage. */
#define ROWS_MAX 65536
#define RSP 7 /* its number in DWARF */

struct distance {
	Dwarf_Signed bytes;
	uint64_t code;
};

/* Counts the code, in bytes, for which the distance holds. */
static void count(struct distance *distances, size_t *n, Dwarf_Signed bytes, uint64_t code)
{
	size_t i = 0;

	while (i < *n && distances[i].bytes != bytes)
		i++;
	if (i == DISTANCES_MAX)
		return;
	if (i == *n)
		distances[(*n)++] = (struct distance){.bytes = bytes};
	distances[i].code += code;
}

static Dwarf_Fde find_entry(struct rfs_dwarf_reader *reader, rfs_addr function, Dwarf_Addr *end)
{
	Dwarf_Cie *cies;
	Dwarf_Signed n_cies, n;
	Dwarf_Addr start;
	Dwarf_Fde entry;

	if (!reader->asked_frames) {
		reader->asked_frames = true;
		if (dwarf_get_fde_list_eh(reader->dbg, &cies, &n_cies, &reader->frames, &n, NULL) != DW_DLV_OK)
			reader->frames = NULL;
	}
	if (!reader->frames || dwarf_get_fde_at_pc(reader->frames, function, &entry, &start, end, NULL) != DW_DLV_OK ||
	    start != function)
		return NULL;
	return entry;
}

bool rfs_dwarf_frame_size(struct rfs_dwarf_reader *reader, rfs_addr function, uint64_t *size)
{
	struct distance distances[DISTANCES_MAX], *most = distances;
	Dwarf_Addr end = 0; /* the last byte */
	Dwarf_Fde entry = find_entry(reader, function, &end);
	Dwarf_Addr at = function, next;
	size_t n = 0;

	for (int i = 0; entry && i < ROWS_MAX; i++, at = next) {
		Dwarf_Signed has_offset, reg, bytes;
		Dwarf_Small kind;
		Dwarf_Addr row;
		Dwarf_Bool more;
		Dwarf_Ptr expression;

		if (dwarf_get_fde_info_for_cfa_reg3_b(entry, at, &kind, &has_offset, &reg, &bytes, &expression, &row,
						      &more, &next, NULL) != DW_DLV_OK)
			return false;
		if (!more || next <= at || next > end)
			next = end + 1;
		/* a function with a frame pointer, or one that aligns its stack */
		if (kind != DW_EXPR_OFFSET || !has_offset || reg != RSP || bytes < 0)
			return false;
		count(distances, &n, bytes, next - at);
		if (next > end)
			break;
	}
	for (size_t i = 1; i < n; i++)
		if (distances[i].code > most->code)
			most = &distances[i];
	if (n)
		*size = (uint64_t)most->bytes;
	return n != 0;
}
