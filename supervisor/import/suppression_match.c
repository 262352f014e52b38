/* suppression_match.c - compares suppressions with what a campaign found. */
#include <string.h>

#include "supervisor/base/path.h"
#include "supervisor/import/suppressions-priv.h"

bool rfs_suppression_glob(const char *glob, const char *text, bool one)
{
	const char *star = NULL, *again = NULL;

	while (*text) {
		if (*glob == '*') {
			star = glob++;
			again = text;
		} else if (*glob == *text || (one && *glob == '?')) {
			glob++;
			text++;
		} else if (star) {
			/* the last star takes one character more; an earlier star never has to */
			glob = star + 1;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}

static bool suppression_match_fits(const char *glob, const char *text, bool one)
{
	return text && rfs_suppression_glob(glob, text, one);
}

/* ---- blocks ---- */

static bool names_function(const char *glob, const struct rfs_suppressible_frame *frame, bool one)
{
	return suppression_match_fits(glob, frame->symbol, one) || suppression_match_fits(glob, frame->function, one) ||
	       suppression_match_fits(glob, frame->bare, one);
}

static bool names_file(const char *glob, const struct rfs_suppressible_frame *frame, bool one)
{
	return suppression_match_fits(glob, frame->file, one) ||
	       (frame->file && suppression_match_fits(glob, rfs_base_name(frame->file), one));
}

static bool frame_fits(const struct rfs_suppression_frame *pattern, const struct rfs_suppressible_frame *frame)
{
	switch (pattern->part) {
	case RFS_PART_FUNCTION:
		return names_function(pattern->glob, frame, true);
	case RFS_PART_MODULE:
		return suppression_match_fits(pattern->glob, frame->module, true);
	case RFS_PART_FILE:
		return names_file(pattern->glob, frame, true) && (!pattern->line || pattern->line == frame->line);
	case RFS_PART_ANY_FRAMES:
		break;
	}
	return false;
}

/* The next frame from i on; without inlined ones if `outer`. */
static size_t suppression_match_next(const struct rfs_suppressible_stack *stack, size_t i, bool outer)
{
	while (outer && i < stack->n && stack->frames[i].inlined)
		i++;
	return i;
}

/*
 * Whether the pattern matches the first frames of the stack. Valgrind shows inlined functions only if it is asked to,
 * so both views of a stack count. As a glob of frames: "..." is the star.
 */
static bool view_fits(const struct rfs_suppression_stack *pattern, const struct rfs_suppressible_stack *stack,
		      bool outer)
{
	size_t p = 0, f = suppression_match_next(stack, 0, outer), star = pattern->n, again = 0;

	while (p < pattern->n) {
		if (pattern->frames[p].part == RFS_PART_ANY_FRAMES) {
			star = p++;
			again = f;
		} else if (f < stack->n && frame_fits(&pattern->frames[p], &stack->frames[f])) {
			p++;
			f = suppression_match_next(stack, f + 1, outer);
		} else if (star < pattern->n && again < stack->n) {
			p = star + 1;
			f = again = suppression_match_next(stack, again + 1, outer);
		} else {
			return false;
		}
	}
	return true;
}

static bool stack_fits(const struct rfs_suppression_stack *pattern, const struct rfs_suppressible_stack *stack)
{
	return view_fits(pattern, stack, false) || view_fits(pattern, stack, true);
}

static bool block_fits(const struct rfs_suppression *suppression, const struct rfs_suppressible *what)
{
	for (size_t i = 0; i < what->n_stacks; i++) {
		if (!stack_fits(&suppression->stacks[0], &what->stacks[i]))
			continue;
		if (suppression->n_stacks < 2)
			return true;
		for (size_t k = 0; k < what->n_stacks; k++)
			if (k != i && stack_fits(&suppression->stacks[1], &what->stacks[k]))
				return true;
	}
	return false;
}

/* ---- lines ---- */

static bool word_fits(const char *word, const struct rfs_suppressible_frame *frame)
{
	return names_function(word, frame, false) || names_file(word, frame, false) ||
	       suppression_match_fits(word, frame->module, false);
}

static bool stack_has_word(const struct rfs_suppression *suppression, const struct rfs_suppressible_stack *stack)
{
	size_t n = suppression->form == RFS_SUPPRESSION_ANY ? stack->n : stack->n ? 1 : 0;

	if (suppression->form == RFS_SUPPRESSION_LIB)
		return stack->n && suppression_match_fits(suppression->word, stack->frames[0].module, false);
	for (size_t i = 0; i < n; i++)
		if (word_fits(suppression->word, &stack->frames[i]))
			return true;
	return false;
}

static bool line_fits(const struct rfs_suppression *suppression, const struct rfs_suppressible *what)
{
	if (suppression->form != RFS_SUPPRESSION_LIB &&
	    suppression_match_fits(suppression->word, what->variable, false))
		return true;
	for (size_t i = 0; i < what->n_stacks; i++)
		if (stack_has_word(suppression, &what->stacks[i]))
			return true;
	return false;
}

static bool is_about(const struct rfs_suppression *suppression, const struct rfs_suppressible *what)
{
	const char *found;
	size_t n;

	if (!(suppression->kinds >> what->kind & 1))
		return false;
	if (!suppression->only || what->kind != RFS_SUPPRESSIBLE_MISUSE || !what->misuse)
		return true;
	n = strlen(what->misuse);
	for (found = strstr(suppression->only, what->misuse); found; found = strstr(found + 1, what->misuse))
		if (found > suppression->only && found[-1] == ' ' && found[n] == ' ')
			return true;
	return false;
}

size_t rfs_suppressions_find(const struct rfs_suppressions *suppressions, const struct rfs_suppressible *what)
{
	size_t i;

	for (i = 0; i < suppressions->n; i++) {
		const struct rfs_suppression *suppression = suppressions->list[i];

		if (!is_about(suppression, what))
			continue;
		if (suppression->variable && !suppression_match_fits(suppression->variable, what->variable, true))
			continue;
		if (suppression->form == RFS_SUPPRESSION_BLOCK ? block_fits(suppression, what)
							       : line_fits(suppression, what))
			break;
	}
	return i;
}
