/* fault_place.c - walks a stack outwards from the crash, past functions that are not at fault. */
#include "supervisor/campaign/failures/fault_place.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* The longest instruction. */
#define INSN_MAX 15
/* No function that only ends the program is longer. */
#define CODE_MAX 4096
/* How many functions are named at most. */
#define NAMES_MAX 6

static bool fault_place_is_own(const struct rfs_run_result *result, const struct rfs_place *place)
{
	for (size_t m = 0; m < result->n_modules && place->module; m++)
		if (result->modules[m].watched && strcmp(result->modules[m].path, place->module) == 0)
			return true;
	return false;
}

/* Whether code from start to end may return to its caller: by a return, or a jump out of it. */
static bool code_returns(struct rfs_decoder *decoder, const struct rfs_elf *elf, rfs_addr start, rfs_addr end)
{
	struct rfs_insn insn;
	uint8_t bytes[INSN_MAX];

	for (rfs_addr at = start; at < end; at += insn.length) {
		size_t n = rfs_elf_read(elf, at, bytes, sizeof(bytes));

		if (rfs_insn_decode(decoder, bytes, n, at, &insn) != 0 || !insn.length)
			return true;
		if (insn.flow == RFS_FLOW_RETURN || insn.flow == RFS_FLOW_JUMP_INDIRECT ||
		    (insn.flow == RFS_FLOW_JUMP && (insn.target < start || insn.target >= end)))
			return true;
	}
	return false;
}

/* Whether the function may return. True also if its code is not known. */
static bool returns(struct rfs_campaign *c, const struct rfs_place *place)
{
	const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, place->module);
	struct rfs_decoder *decoder = rfs_symbols_decoder(c->symbols);
	/* a call that never returns may be the last instruction, and its return address is then in the next function */
	const struct rfs_function *function = elf ? rfs_elf_function_at(elf, place->offset - 1) : NULL;

	if (!function || !decoder || !rfs_elf_is_bounded(elf, function) || function->end - function->start > CODE_MAX)
		return true;
	return code_returns(decoder, elf, function->start, function->end);
}

/* Whether assert() of the C library has ended the program. */
static bool is_assertion(struct rfs_campaign *c, const struct rfs_run_result *result, size_t own)
{
	struct rfs_source_place place = {0};
	bool is;

	if (!own)
		return false;
	rfs_symbols_place(c->symbols, &result->fault[own - 1], own > 1, &place);
	is = place.function && strstr(place.function, "assert") != NULL;
	rfs_source_place_release(&place);
	return is;
}

/* A list of functions, innermost first. */
struct names {
	char *text;
	size_t n;
};

static void fault_place_add_name(struct names *names, const char *function)
{
	char *longer;

	if (!function || names->n == NAMES_MAX)
		return;
	longer = names->n ? xasprintf("%s, called by %s", names->text, function) : xstrdup(function);
	free(names->text);
	names->text = longer;
	names->n++;
}

/*
 * Adds the functions of a frame: the innermost one, or also those into which it was inlined. foreign: also functions of
 * headers of the system or of a language, which the user did not write.
 */
static void add_frame(struct rfs_campaign *c, const struct rfs_run_result *result, size_t frame, bool whole,
		      bool foreign, struct names *names)
{
	struct rfs_source_stack stack = {0};
	/* the first place of a stack is an instruction, and the others are return addresses */
	const struct rfs_place places[2] = {result->fault[frame], result->fault[frame]};
	size_t first = 0;

	rfs_symbols_stack(c->symbols, frame ? places : &result->fault[0], frame ? 2 : 1, &stack);
	if (frame) {
		struct rfs_source_stack one = {0};

		rfs_symbols_stack(c->symbols, places, 1, &one);
		first = one.n_frames;
		rfs_source_stack_release(&one);
	}
	for (size_t i = first, n = names->n; i < stack.n_frames && (whole || names->n == n); i++)
		if (foreign || !rfs_source_place_is_foreign(&stack.frames[i]))
			fault_place_add_name(names, stack.frames[i].function);
		else if (names->n)
			break; /* what calls it is not the user's */
	rfs_source_stack_release(&stack);
}

char *rfs_fault_place(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	struct names names = {0};
	size_t at = 0, first;
	bool ended_itself;

	if (!result->n_fault)
		return NULL;
	while (at < result->n_fault && !fault_place_is_own(result, &result->fault[at]))
		at++;
	if (at == result->n_fault) {
		add_frame(c, result, 0, false, true, &names);
		return names.text;
	}
	first = at;
	ended_itself = at && result->detail == SIGABRT && !is_assertion(c, result, at);
	for (;; at++) {
		add_frame(c, result, at, ended_itself, false, &names);
		if (at + 1 == result->n_fault || !fault_place_is_own(result, &result->fault[at + 1]))
			break;
		if (names.n == 0 || !returns(c, &result->fault[at]))
			continue;
		if (ended_itself && names.n == 1)
			add_frame(c, result, at + 1, false, false, &names);
		break;
	}
	if (!names.n)
		add_frame(c, result, first, ended_itself, true, &names);
	return names.text;
}
