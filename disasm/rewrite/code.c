/*
 * code.c - the sweep of a module: what every function accesses and calls, and whether its frame may be shared.
 *
 * An access to a frame is left out if no other code can know an address of that frame. The decision for a function
 * depends on all of its instructions, in whatever order they run:
 *
 *   - the frame escapes if rsp is an operand of an instruction that does not just move or compare it. Allowed are add,
 *     sub, and, lea, cmp, and mov to and from a frame pointer. The frame also escapes if lea puts an address based on
 *     rsp elsewhere;
 *   - rbp is a frame pointer if only rsp (mov, lea) or a saved value (pop, leave) is ever written to it. The same rule
 *     then applies to rbp. If rbp is also used otherwise, memory that it addresses counts as shared;
 *   - compilers move cold parts out of a function. A part that is reached by a jump shares its frame with the code that
 *     jumps to it, so such functions are judged together.
 */
#include "disasm/rewrite/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_compare.h"
#include "disasm/rewrite/code-priv.h"

/* A long sweep asks whether to give up each time it has read this many functions, which takes a few milliseconds. */
#define STOP_EVERY 64

enum {
	SAW_RSP_ESCAPE = 1,  /* an address based on rsp goes to a place that is not tracked */
	SAW_RBP_SET = 2,     /* rbp gets the value of rsp */
	SAW_RBP_WRITTEN = 4, /* rbp gets a value that is neither rsp nor popped */
	SAW_RBP_ESCAPE = 8,  /* rbp is used other than as a frame pointer */
	/* rsp gets a value based on rbp */
	SAW_RSP_FROM_RBP = 16,
};

/* How one function uses its frame. Functions that are judged together are a group. */
struct fact {
	unsigned saw;
	size_t group;	    /* index of the function that represents the group; at first, the function itself */
	size_t first, last; /* its candidates: [first, last) */
};

/* An instruction that may become a site, once it is known which frames escape. */
struct candidate {
	struct rfs_code_site site;
	bool on_fs;	     /* its operands are at constant offsets of fs: left out if no such address is taken */
	bool on_rsp, on_rbp; /* its operand is relative to rsp or to rbp: left out if the frame does not escape */
	/* of a cmpxchg: how many bytes before it rax is set to a constant; 0: another instruction, or rax may differ */
	uint8_t constant_at;
};

struct sweep {
	const struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	bool (*wanted)(const char *callee);
	const struct rfs_function *functions;
	size_t n_functions;
	bool bounds;   /* the file describes functions; otherwise each range of code counts as one */
	bool takes_fs; /* the module computes an address from the base of fs */
	struct fact *facts;
	struct candidate *candidates;
	size_t n, room;
	struct rfs_code *code;
};

static size_t find_group(struct fact *facts, size_t i)
{
	while (facts[i].group != i) {
		facts[i].group = facts[facts[i].group].group;
		i = facts[i].group;
	}
	return i;
}

static void join_groups(struct fact *facts, size_t a, size_t b)
{
	facts[find_group(facts, a)].group = find_group(facts, b);
}

/*
 * Whether a jump to the start of `to` is a tail call. Otherwise, control continues in another part of the same
 * function, for example in one that the compiler named ".cold".
 */
static bool is_tail_call(const struct sweep *sweep, const struct rfs_insn *insn, const struct rfs_function *to)
{
	const char *name;

	if (insn->target != to->start || insn->flow != RFS_FLOW_JUMP)
		return false;
	name = rfs_elf_entry_name(sweep->elf, to->start);
	return name && !strstr(name, ".cold");
}

static void note_jump(struct sweep *sweep, size_t from, const struct rfs_insn *insn)
{
	const struct rfs_function *to;

	if (insn->flow != RFS_FLOW_JUMP && insn->flow != RFS_FLOW_BRANCH)
		return;
	to = rfs_elf_function_at(sweep->elf, insn->target);
	if (!to || to == &sweep->functions[from] || is_tail_call(sweep, insn, to))
		return;
	if (rfs_elf_in_plt(sweep->elf, insn->target))
		return;
	join_groups(sweep->facts, from, (size_t)(to - sweep->functions));
}

/* Whether the instruction is a mov, lea or adjustment that keeps an address of the frame in rsp or rbp. */
static bool moves_within_frame(const struct rfs_insn_detail *detail, unsigned *saw)
{
	int8_t source = detail->source;

	switch (detail->form) {
	case RFS_FORM_MOVE:
		break;
	case RFS_FORM_LEA:
		source = detail->lea.base == RFS_RSP || detail->lea.base == RFS_RBP ? detail->lea.base : -1;
		if (detail->lea.index == RFS_RBP)
			return false;
		break;
	case RFS_FORM_ADJUST:
		return detail->destination == RFS_RSP && source < 0;
	case RFS_FORM_ENTER:
		*saw |= SAW_RBP_SET;
		return true;
	default:
		return false;
	}
	if (source < 0 || detail->destination < 0)
		return false;
	if (detail->destination == RFS_RBP)
		*saw |= source == RFS_RSP ? SAW_RBP_SET : SAW_RBP_WRITTEN;
	else if (source == RFS_RBP)
		*saw |= SAW_RSP_FROM_RBP;
	return true;
}

static void note_frame(const struct rfs_insn *insn, const struct rfs_insn_detail *detail, unsigned *saw)
{
	for (unsigned i = 0; i < insn->n_mem; i++)
		if (insn->mem[i].index == RFS_RBP)
			*saw |= SAW_RBP_ESCAPE;
	if (moves_within_frame(detail, saw))
		return;
	if (detail->lea.base == RFS_RSP)
		*saw |= SAW_RSP_ESCAPE;
	if (detail->lea.base == RFS_RBP || detail->lea.index == RFS_RBP)
		*saw |= SAW_RBP_ESCAPE;
	if (detail->form == RFS_FORM_COMPARE)
		return;
	if (detail->registers & 1 << RFS_RSP)
		*saw |= SAW_RSP_ESCAPE;
	if (!(detail->registers & 1 << RFS_RBP) || detail->form == RFS_FORM_PUSH || detail->form == RFS_FORM_POP)
		return;
	*saw |= detail->destination == RFS_RBP ? SAW_RBP_WRITTEN | SAW_RBP_ESCAPE : SAW_RBP_ESCAPE;
}

static int add_candidate(struct sweep *sweep, const struct candidate *candidate)
{
	if (sweep->n == sweep->room) {
		size_t room = sweep->room ? 2 * sweep->room : 1024;
		void *data = reallocarray(sweep->candidates, room, sizeof(*sweep->candidates));

		if (!data)
			return -ENOMEM;
		sweep->candidates = data;
		sweep->room = room;
	}
	sweep->candidates[sweep->n++] = *candidate;
	return 0;
}

/* Whether the operand is at a constant offset of fs: storage of the thread itself. */
static bool is_own_storage(const struct rfs_mem *mem)
{
	return mem->segment == 1 && mem->base < 0 && mem->index < 0;
}

/*
 * Whether the operand may be shared memory. If it is relative to rsp or rbp, sets *on_rsp or *on_rbp. It is then shared
 * only if the frame escapes.
 */
static bool may_be_shared(const struct rfs_insn *insn, const struct rfs_mem *mem, bool *on_fs, bool *on_rsp,
			  bool *on_rbp)
{
	if (mem->flags & RFS_MEM_STACK || !(mem->flags & (RFS_MEM_READ | RFS_MEM_WRITE)))
		return false;
	if (is_own_storage(mem)) {
		*on_fs = true;
		return mem->disp < 0; /* thread-local variables; above are the C library's own words */
	}
	if (mem->segment || insn->shape == RFS_SHAPE_GATHER || insn->shape == RFS_SHAPE_SCATTER)
		return true;
	*on_rsp = mem->base == RFS_RSP;
	*on_rbp = mem->base == RFS_RBP;
	return true;
}

static int note_access(struct sweep *sweep, const struct rfs_insn *insn)
{
	struct candidate candidate = {.site = {.vaddr = insn->vaddr, .length = insn->length, .kind = RFS_CODE_ACCESS}};
	bool shared = false, private_fs = true, private_rsp = true, private_rbp = true;

	for (unsigned i = 0; i < insn->n_mem; i++) {
		bool on_fs = false, on_rsp = false, on_rbp = false;

		if (is_own_storage(&insn->mem[i]) && insn->mem[i].disp == 0)
			sweep->takes_fs = true;
		if (!may_be_shared(insn, &insn->mem[i], &on_fs, &on_rsp, &on_rbp))
			continue;
		shared = true;
		private_fs &= on_fs;
		private_rsp &= on_rsp;
		private_rbp &= on_rbp;
	}
	if (!shared)
		return 0;
	candidate.site.atomic = insn->atomic;
	candidate.on_fs = private_fs;
	candidate.on_rsp = private_rsp;
	candidate.on_rbp = private_rbp;
	return add_candidate(sweep, &candidate);
}

/* The name of the function that insn calls, or to which it jumps at the end of a function. NULL if that name is not
 * wanted. *local: the function is in the module itself. */
static const char *callee_of(const struct sweep *sweep, const struct rfs_insn *insn, bool *local)
{
	const char *name;

	if (!sweep->wanted)
		return NULL;
	switch (insn->flow) {
	case RFS_FLOW_CALL:
	case RFS_FLOW_JUMP:
		name = rfs_elf_plt_match(sweep->elf, insn->target, sweep->wanted);
		*local = !name;
		return name ? name : rfs_elf_entry_match(sweep->elf, insn->target, sweep->wanted);
	case RFS_FLOW_CALL_INDIRECT:
	case RFS_FLOW_JUMP_INDIRECT:
		if (!insn->n_mem || !insn->mem[0].rip_relative || insn->mem[0].segment)
			return NULL;
		return rfs_elf_slot_match(sweep->elf, (rfs_addr)insn->mem[0].disp, sweep->wanted);
	default:
		return NULL;
	}
}

static int note_insn(struct sweep *sweep, size_t function, const struct rfs_insn *insn,
		     const struct rfs_insn_detail *detail)
{
	struct candidate candidate = {.site = {.vaddr = insn->vaddr, .length = insn->length}};
	const char *callee;

	note_frame(insn, detail, &sweep->facts[function].saw);
	note_jump(sweep, function, insn);
	if (rfs_code_add_target(sweep->code, insn))
		return -ENOMEM;
	callee = callee_of(sweep, insn, &candidate.site.local);
	if (callee) {
		candidate.site.kind = RFS_CODE_CALL;
		candidate.site.tail = insn->flow == RFS_FLOW_JUMP || insn->flow == RFS_FLOW_JUMP_INDIRECT;
		candidate.site.callee = callee;
		return add_candidate(sweep, &candidate);
	}
	if (insn->pause || insn->rdtsc) {
		candidate.site.kind = insn->pause ? RFS_CODE_PAUSE : RFS_CODE_RDTSC;
		return add_candidate(sweep, &candidate);
	}
	/* Not a site: the call reads its target from a slot, which only the loader writes, once. */
	if (insn->flow == RFS_FLOW_CALL_INDIRECT || insn->flow == RFS_FLOW_JUMP_INDIRECT)
		if (insn->n_mem && insn->mem[0].rip_relative &&
		    rfs_elf_slot_name(sweep->elf, (rfs_addr)insn->mem[0].disp))
			return 0;
	return note_access(sweep, insn);
}

/*
 * Call it for the instructions of a function in ascending order. *from: the address of the instruction that has set rax
 * to a constant; 0: rax may have another value. select_sites() drops the constant if a jump leads between this
 * instruction and the cmpxchg.
 */
static void note_constant(struct sweep *sweep, const struct rfs_insn *insn, const struct rfs_insn_detail *detail,
			  rfs_addr *from)
{
	struct candidate *last = sweep->n ? &sweep->candidates[sweep->n - 1] : NULL;

	if (*from && rfs_insn_is_cmpxchg(insn) && last && last->site.vaddr == insn->vaddr &&
	    insn->vaddr - *from <= UINT8_MAX)
		last->constant_at = (uint8_t)(insn->vaddr - *from);
	if (rfs_insn_sets_rax(insn))
		*from = insn->vaddr;
	else if ((insn->flow != RFS_FLOW_NEXT && insn->flow != RFS_FLOW_BRANCH) || detail->result != RFS_RESULT_KEPT)
		*from = 0;
}

/* The places in [0, size), as offsets from start, at which control may continue after insn. Returns how many. */
static unsigned successors(const struct rfs_insn *insn, rfs_addr start, size_t size, size_t out[2])
{
	bool on = insn->flow != RFS_FLOW_JUMP && insn->flow != RFS_FLOW_JUMP_INDIRECT &&
		  insn->flow != RFS_FLOW_RETURN && insn->flow != RFS_FLOW_TRAP;
	size_t next = insn->vaddr + insn->length - start;
	unsigned n = 0;

	if (on && next < size)
		out[n++] = next;
	if ((insn->flow == RFS_FLOW_JUMP || insn->flow == RFS_FLOW_BRANCH) && insn->target - start < size)
		out[n++] = insn->target - start;
	return n;
}

/*
 * Sweeps a function whose end is unknown. Data may follow it, and data decodes as well as code does. Therefore only
 * instructions that can be reached from its start count. Its frame counts as escaped.
 */
static int sweep_reachable(struct sweep *sweep, size_t i, const uint8_t *bytes, size_t size)
{
	const rfs_addr start = sweep->functions[i].start;
	size_t *pending = calloc(size + 1, sizeof(*pending)), n = 1;
	bool *reached = calloc(size + 1, sizeof(*reached));
	struct rfs_insn_detail detail;
	struct rfs_insn insn;
	int result = pending && reached ? 0 : -ENOMEM;

	if (!result)
		reached[0] = true; /* pending[0] is 0 already */
	while (n > 0 && !result) {
		size_t at = pending[--n], next[2];
		unsigned n_next = 0;

		if (!rfs_insn_decode(sweep->decoder, bytes + at, size - at, start + at, &insn))
			n_next = successors(&insn, start, size, next);
		for (unsigned k = 0; k < n_next; k++) {
			if (!reached[next[k]])
				pending[n++] = next[k];
			reached[next[k]] = true;
		}
	}
	sweep->facts[i].saw |= SAW_RSP_ESCAPE | SAW_RBP_ESCAPE;
	for (size_t at = 0; at < size && !result; at++)
		if (reached[at] &&
		    !rfs_insn_decode_detail(sweep->decoder, bytes + at, size - at, start + at, &insn, &detail))
			result = note_insn(sweep, i, &insn, &detail);
	free(pending);
	free(reached);
	return result;
}

static int sweep_function(struct sweep *sweep, size_t i)
{
	const struct rfs_function *f = &sweep->functions[i];
	size_t size = f->end - f->start, done = 0;
	rfs_addr constant = 0;
	struct rfs_insn_detail detail;
	struct rfs_insn insn;
	uint8_t *bytes;
	int result = 0;

	sweep->facts[i].first = sweep->n;
	sweep->facts[i].last = sweep->n;
	if (rfs_elf_in_plt(sweep->elf, f->start))
		return 0;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	size = rfs_elf_read(sweep->elf, f->start, bytes, size);
	if (sweep->bounds && !rfs_elf_is_bounded(sweep->elf, f)) {
		result = sweep_reachable(sweep, i, bytes, size);
		done = size;
	}
	while (done < size && !result) {
		if (rfs_insn_decode_detail(sweep->decoder, bytes + done, size - done, f->start + done, &insn,
					   &detail)) {
			/* code that cannot be decoded may do anything with the frame */
			sweep->facts[i].saw |= SAW_RSP_ESCAPE | SAW_RBP_ESCAPE;
			sweep->code->unknown++;
			break;
		}
		result = note_insn(sweep, i, &insn, &detail);
		note_constant(sweep, &insn, &detail, &constant);
		done += insn.length;
	}
	free(bytes);
	sweep->facts[i].last = sweep->n;
	return result;
}

int rfs_code_add_site(struct rfs_code *code, const struct rfs_code_site *site)
{
	if (code->n == code->room) {
		size_t room = code->room ? 2 * code->room : 64;
		void *data = reallocarray(code->sites, room, sizeof(*code->sites));

		if (!data)
			return -ENOMEM;
		code->sites = data;
		code->room = room;
	}
	code->sites[code->n++] = *site;
	return 0;
}

int rfs_code_add_target(struct rfs_code *code, const struct rfs_insn *insn)
{
	if (insn->flow != RFS_FLOW_JUMP && insn->flow != RFS_FLOW_BRANCH && insn->flow != RFS_FLOW_CALL)
		return 0;
	if (code->n_targets == code->targets_room) {
		size_t room = code->targets_room ? 2 * code->targets_room : 64;
		void *data = reallocarray(code->targets, room, sizeof(*code->targets));

		if (!data)
			return -ENOMEM;
		code->targets = data;
		code->targets_room = room;
	}
	code->targets[code->n_targets++] = insn->target;
	return 0;
}

/* Whether a jump or call leads into (first, last]. The targets are sorted. */
static bool is_entered(const struct rfs_code *code, rfs_addr first, rfs_addr last)
{
	size_t low = 0, high = code->n_targets;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->targets[middle] <= first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < code->n_targets && code->targets[low] <= last;
}

/* Makes sites of the candidates, except those that are left out. This needs the facts about all functions, and sorted
 * targets. Sites ascend because functions do. */
static int select_sites(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_functions; i++)
		sweep->facts[find_group(sweep->facts, i)].saw |= sweep->facts[i].saw;
	for (size_t i = 0; i < sweep->n_functions; i++) {
		const struct fact *fact = &sweep->facts[i];
		unsigned saw = sweep->facts[find_group(sweep->facts, i)].saw;
		bool pointer = saw & SAW_RBP_SET && !(saw & SAW_RBP_WRITTEN);
		bool escapes = saw & (SAW_RSP_ESCAPE | (pointer ? SAW_RBP_ESCAPE : SAW_RBP_SET | SAW_RSP_FROM_RBP));

		for (size_t k = fact->first; k < fact->last; k++) {
			struct candidate *c = &sweep->candidates[k];
			int result;

			if (c->on_fs && !sweep->takes_fs)
				continue;
			if (!escapes && (c->on_rsp || (c->on_rbp && pointer)))
				continue;
			c->site.expects_constant =
				c->constant_at &&
				!is_entered(sweep->code, c->site.vaddr - c->constant_at, c->site.vaddr);
			result = rfs_code_add_site(sweep->code, &c->site);
			if (result)
				return result;
		}
	}
	return 0;
}

static int code_by_start(const void *a, const void *b)
{
	const struct rfs_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* For a file that describes no function at all: makes one function of each range of code. */
static int whole_ranges(struct sweep *sweep, struct rfs_function **out)
{
	const struct rfs_code_range *ranges;
	size_t n = rfs_elf_code(sweep->elf, &ranges);
	struct rfs_function *functions = calloc(n + 1, sizeof(*functions));

	if (!functions)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		functions[i] = (struct rfs_function){ranges[i].start, ranges[i].end, NULL};
	qsort(functions, n, sizeof(*functions), code_by_start);
	sweep->functions = functions;
	sweep->n_functions = n;
	*out = functions;
	return 0;
}

static int code_by_address(const void *a, const void *b)
{
	const rfs_addr *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void rfs_code_settle(struct rfs_code *code)
{
	size_t kept = 0;

	if (code->n_targets)
		qsort(code->targets, code->n_targets, sizeof(*code->targets), code_by_address);
	for (size_t i = 0; i < code->n_targets; i++)
		if (!kept || code->targets[kept - 1] != code->targets[i])
			code->targets[kept++] = code->targets[i];
	code->n_targets = kept;
}

bool rfs_code_mark_moves(struct rfs_code *code, const rfs_addr *vaddrs, size_t n)
{
	bool changed = false;

	for (size_t i = 0, k = 0; i < code->n; i++) {
		struct rfs_code_site *site = &code->sites[i];
		bool is_move;

		while (k < n && vaddrs[k] < site->vaddr)
			k++;
		is_move = k < n && vaddrs[k] == site->vaddr && site->kind == RFS_CODE_ACCESS;
		if (is_move == site->atomic_move)
			continue; /* a job that writes gets a copy of the page, which it shares with the campaign */
		site->atomic_move = is_move;
		changed = true;
	}
	return changed;
}

int rfs_code_scan(const struct rfs_elf *elf, struct rfs_decoder *decoder, bool (*wanted)(const char *callee),
		  struct rfs_code **out)
{
	return rfs_code_scan_until(elf, decoder, wanted, NULL, out);
}

int rfs_code_scan_until(const struct rfs_elf *elf, struct rfs_decoder *decoder, bool (*wanted)(const char *callee),
			const struct rfs_code_stop *stop, struct rfs_code **out)
{
	struct sweep sweep = {.elf = elf, .decoder = decoder, .wanted = wanted};
	struct rfs_function *ranges = NULL;
	struct rfs_code *code = calloc(1, sizeof(*code));
	int result = 0;

	if (!code)
		return -ENOMEM;
	sweep.code = code;
	sweep.n_functions = rfs_elf_functions(elf, &sweep.functions);
	sweep.bounds = sweep.n_functions > 0;
	if (!sweep.n_functions)
		result = whole_ranges(&sweep, &ranges);
	if (result)
		goto out;
	sweep.facts = calloc(sweep.n_functions + 1, sizeof(*sweep.facts));
	if (!sweep.facts)
		result = -ENOMEM;
	for (size_t i = 0; i < sweep.n_functions && !result; i++) {
		sweep.facts[i].group = i;
		if (ranges)
			sweep.facts[i].saw = SAW_RSP_ESCAPE;
	}
	for (size_t i = 0; i < sweep.n_functions && !result; i++)
		result = stop && i % STOP_EVERY == 0 && stop->asks(stop->arg) ? -ECANCELED : sweep_function(&sweep, i);
	rfs_code_settle(code);
	if (!result)
		result = select_sites(&sweep);
out:
	free(ranges);
	free(sweep.facts);
	free(sweep.candidates);
	if (result)
		rfs_code_free(code);
	else
		*out = code;
	return result;
}

void rfs_code_free(struct rfs_code *code)
{
	if (!code)
		return;
	free(code->sites);
	free(code->targets);
	free(code);
}

size_t rfs_code_sites(const struct rfs_code *code, const struct rfs_code_site **out)
{
	*out = code->sites;
	return code->n;
}

size_t rfs_code_sites_from(const struct rfs_code_site *sites, size_t n, rfs_addr vaddr)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (sites[middle].vaddr < vaddr)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

size_t rfs_code_targets(const struct rfs_code *code, const rfs_addr **out)
{
	*out = code->targets;
	return code->n_targets;
}

size_t rfs_code_unknown(const struct rfs_code *code)
{
	return code->unknown;
}
