/*
 * dwarf_frames.c - makes frames of functions and inlined copies, and finds the innermost frame of each piece of code.
 *
 * The ranges of functions and of what is inlined into them are nested. They are made flat here: each piece of code
 * refers to its innermost frame. So a query is one binary search and a walk along the parents.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <libdwarf/dwarf.h>
#include <stdlib.h>
#include <unistd.h>

/* One range of code of one frame. */
struct interval {
	rfs_addr start, end;
	uint32_t frame, depth;
};

/* A frame on the stack of lay_out(): its range contains the current address. */
struct open {
	rfs_addr end;
	uint32_t frame;
};

static struct rfs_dwarf_frame *frame_row(const struct rfs_dwarf_reader *reader, uint32_t frame)
{
	return (struct rfs_dwarf_frame *)reader->tables.table[RFS_DWARF_FRAMES].rows + frame;
}

/* A function that is only nested in another one has no parent frame. */
uint32_t rfs_dwarf_parent_frame(const struct rfs_dwarf_reader *reader, const struct rfs_dwarf_node *node)
{
	while (node->tag != DW_TAG_subprogram && node->parent != RFS_DWARF_NONE) {
		node = rfs_dwarf_node(reader, node->parent);
		if (node->made && (node->tag == DW_TAG_subprogram || node->tag == DW_TAG_inlined_subroutine))
			return node->made - 1;
	}
	return RFS_DWARF_NONE;
}

/* Makes a frame for each function and inlined copy with code, and collects their ranges. */
static void make_frames(struct rfs_dwarf_reader *reader, struct rfs_dwarf_array *intervals)
{
	uint32_t *depths = calloc(reader->nodes.n + 1, sizeof(*depths));

	if (!depths)
		_exit(RFS_DWARF_EXIT_MEMORY);
	for (uint32_t i = 0; i < reader->nodes.n; i++) {
		struct rfs_dwarf_node *node = rfs_dwarf_node(reader, i);
		uint32_t index = (uint32_t)reader->tables.table[RFS_DWARF_FRAMES].n, qualified;
		struct rfs_dwarf_frame *frame;

		if (!node->n_ranges)
			continue;
		qualified = rfs_dwarf_qualified(reader, i);
		frame = rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_FRAMES], sizeof(*frame));
		frame->name = rfs_dwarf_display(reader, i);
		frame->qualified = qualified;
		frame->parent = rfs_dwarf_parent_frame(reader, node);
		frame->unit = node->unit;
		frame->call_file = node->call_file;
		frame->call_line = node->call_line;
		frame->call_column = node->call_column;
		frame->atomic = rfs_dwarf_atomic_name(rfs_dwarf_string(&reader->tables, qualified));
		node->made = index + 1;
		depths[index] = frame->parent == RFS_DWARF_NONE ? 0 : depths[frame->parent] + 1;
		for (uint32_t k = 0; k < node->n_ranges; k++) {
			struct rfs_dwarf_range *range = (struct rfs_dwarf_range *)reader->ranges.rows + node->range + k;
			struct interval *interval = rfs_dwarf_array_add(intervals, sizeof(*interval));

			interval->start = range->start;
			interval->end = range->end;
			interval->frame = index;
			interval->depth = depths[index];
		}
	}
	free(depths);
}

static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static void add_span(struct rfs_dwarf_reader *reader, rfs_addr start, rfs_addr end, uint32_t frame)
{
	struct rfs_dwarf_span *span;

	if (start >= end)
		return;
	span = rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_SPANS], sizeof(*span));
	span->start = start;
	span->end = end;
	span->frame = frame;
}

static bool stands_in(const struct rfs_dwarf_reader *reader, uint32_t frame, uint32_t outer)
{
	while (frame != RFS_DWARF_NONE && frame > outer)
		frame = frame_row(reader, frame)->parent;
	return frame == outer;
}

static void dwarf_frames_push(struct rfs_dwarf_array *stack, const struct interval *interval)
{
	struct open *open = rfs_dwarf_array_add(stack, sizeof(*open));

	open->frame = interval->frame;
	open->end = interval->end;
	if (stack->n > 1 && open[-1].end < open->end)
		open->end = open[-1].end;
}

/*
 * Goes through the intervals by their starts, with a stack of the open ones, and writes the spans. An interval that
 * begins inside an unrelated function is left out (the linker merged identical functions). An interval that ends after
 * its parent is cut.
 */
static void lay_out(struct rfs_dwarf_reader *reader, const struct interval *intervals, size_t n)
{
	struct rfs_dwarf_array stack = {.rows = NULL};
	rfs_addr at = 0; /* code before this address has its spans */

	for (size_t i = 0; i <= n; i++) {
		rfs_addr start = i < n ? intervals[i].start : UINT64_MAX;
		struct open *top = (struct open *)stack.rows + stack.n;

		for (; stack.n && top[-1].end <= start; top--, stack.n--) {
			add_span(reader, at, top[-1].end, top[-1].frame);
			at = top[-1].end;
		}
		if (i == n)
			break;
		if (stack.n && !stands_in(reader, intervals[i].frame, top[-1].frame))
			continue;
		if (stack.n)
			add_span(reader, at, start, top[-1].frame);
		at = start;
		dwarf_frames_push(&stack, &intervals[i]);
	}
	free(stack.rows);
}

void rfs_dwarf_make_frames(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_array intervals = {.rows = NULL};

	make_frames(reader, &intervals);
	if (intervals.n) {
		qsort(intervals.rows, intervals.n, sizeof(struct interval), compare_intervals);
		lay_out(reader, intervals.rows, intervals.n);
	}
	free(intervals.rows);
}
