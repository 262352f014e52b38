/*
 * plan.c - cuts functions into runs, and runs into groups. A run is a sequence of instructions that control enters only
 * at the first one. plan.h says what a group is.
 */
#include "disasm/rewrite/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"

/* Padding is searched up to this many bytes after a function. */
#define PADDING_MAX 16

struct list {
	void *data;
	size_t n, room;
};

struct rfs_plan {
	struct list groups;	   /* struct rfs_plan_group; until plan_settle(), its pointers contain offsets */
	struct list records;	   /* struct rfs_plan_record */
	struct list traps;	   /* const struct rfs_code_site * */
	struct list lengths, code; /* uint8_t */
	struct list fixups;	   /* struct rfs_fixup */
};

/* An instruction of the function at hand, or of the padding after it. */
struct item {
	struct rfs_insn insn;
	const struct rfs_code_site *site; /* the site to plan; NULL: none */
	struct rfs_stub_call call;	  /* how a site with a callee is recorded */
	bool leader;
	bool barrier; /* the instruction must not be changed, or cannot be in a stub */
	bool taken;   /* a jump is there */
};

struct narrow {
	size_t start, end; /* items [start, end) of the function have too few bytes for a jump */
};

struct planner {
	struct rfs_plan *plan;
	const struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	const struct rfs_plan_request *request;
	const struct rfs_code_site *sites, *sites_end;
	const rfs_addr *targets;
	size_t n_targets;
	struct item *items; /* of the function at hand */
	size_t n, room;
	size_t body;	    /* how many items are in the function; padding follows them */
	bool backwards;	    /* the function sets the direction flag, so its string instructions may go downwards */
	struct list narrow; /* struct narrow: of the function at hand */
	struct rfs_stub stub;
};

/* Appends n elements. NULL: out of memory. */
static void *plan_append(struct list *list, const void *elements, size_t n, size_t size)
{
	char *to;

	if (list->n + n > list->room) {
		size_t room = 2 * list->room + n + 64;
		void *data = reallocarray(list->data, room, size);

		if (!data)
			return NULL;
		list->data = data;
		list->room = room;
	}
	to = (char *)list->data + list->n * size;
	memcpy(to, elements, n * size);
	list->n += n;
	return to;
}

/* The index of the first of n ascending addresses that is not below `from`. */
static size_t plan_first_from(const rfs_addr *addresses, size_t n, rfs_addr from)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addresses[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- a function's instructions ---- */

static bool is_endbr(const struct rfs_insn *insn)
{
	return insn->length == 4 && !memcmp(insn->bytes, "\xf3\x0f\x1e\xfa", 4);
}

/* Whether the instruction is one with which assemblers fill gaps. */
static bool is_padding(const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	return (opcode[0] == 0x90 && insn->length == insn->opcode_at + 1u) || opcode[0] == 0xcc ||
	       (opcode[0] == 0x0f && opcode[1] == 0x1f);
}

/* Whether the instruction is std, which sets the direction flag. */
static bool turns_backwards(const struct rfs_insn *insn)
{
	return insn->bytes[insn->opcode_at] == 0xfd;
}

static int add_item(struct planner *p, const struct rfs_insn *insn)
{
	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 1024;
		void *data = reallocarray(p->items, room, sizeof(*p->items));

		if (!data)
			return -ENOMEM;
		p->items = data;
		p->room = room;
	}
	p->items[p->n] = (struct item){.insn = *insn, .leader = is_endbr(insn), .barrier = !rfs_stub_can_hold(insn)};
	p->n++;
	p->backwards |= turns_backwards(insn);
	return 0;
}

/* Fills p->items with the instructions from f->start up to limit. Stops at the first one that cannot be decoded, and
 * after the function at the first one that is not padding. */
static int plan_decode(struct planner *p, const struct rfs_function *f, rfs_addr limit)
{
	size_t size = f->end - f->start, done = 0, wanted = limit - f->start;
	uint8_t *bytes = malloc(wanted);
	struct rfs_insn insn;
	int result = 0;

	if (!bytes)
		return -ENOMEM;
	wanted = rfs_elf_read(p->elf, f->start, bytes, wanted);
	p->n = 0;
	p->backwards = false;
	while (done < size && done < wanted && !result) {
		if (rfs_insn_decode(p->decoder, bytes + done, wanted - done, f->start + done, &insn))
			break;
		result = add_item(p, &insn);
		done += insn.length;
	}
	p->body = p->n;
	while (done >= size && done < wanted && !result) {
		if (rfs_insn_decode(p->decoder, bytes + done, wanted - done, f->start + done, &insn) ||
		    !is_padding(&insn))
			break;
		result = add_item(p, &insn);
		done += insn.length;
	}
	free(bytes);
	return result;
}

static struct item *item_at(struct planner *p, rfs_addr vaddr)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->items[middle].insn.vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n && p->items[low].insn.vaddr == vaddr ? &p->items[low] : NULL;
}

/* Marks the addresses that are in the function as leaders. False if one is inside an instruction. */
static bool mark_leaders(struct planner *p, const rfs_addr *addresses, size_t n, rfs_addr end)
{
	for (size_t i = plan_first_from(addresses, n, p->items[0].insn.vaddr); i < n && addresses[i] < end; i++) {
		struct item *item = item_at(p, addresses[i]);

		if (!item)
			return false;
		item->leader = true;
	}
	return true;
}

/* Code behind the function may have no symbol and begin like padding. An instruction there is no padding if one of the
 * addresses is in it. */
static void keep_padding(struct planner *p, const rfs_addr *addresses, size_t n)
{
	size_t at = p->body;

	for (size_t i = p->body < p->n ? plan_first_from(addresses, n, p->items[p->body].insn.vaddr) : n; i < n; i++) {
		while (at < p->n && p->items[at].insn.vaddr + p->items[at].insn.length <= addresses[i])
			at++;
		if (at == p->n)
			return;
		p->items[at].barrier = true;
	}
}

/* Marks leaders and barriers. False if one is inside an instruction, because the function's instructions then overlap.
 * */
static bool plan_mark(struct planner *p, rfs_addr end)
{
	const struct rfs_plan_request *request = p->request;
	bool clear = mark_leaders(p, p->targets, p->n_targets, end) &&
		     mark_leaders(p, request->leaders, request->n_leaders, end);

	p->items[0].leader = true;
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].insn.vaddr < request->start || p->items[i].insn.vaddr >= request->end)
			p->items[i].barrier = true;
	for (size_t i = plan_first_from(request->barriers, request->n_barriers, p->items[0].insn.vaddr);
	     i < request->n_barriers && request->barriers[i] < end; i++) {
		struct item *item = item_at(p, request->barriers[i]);

		if (item)
			item->barrier = true;
		else
			clear = false;
	}
	keep_padding(p, p->targets, p->n_targets);
	keep_padding(p, request->leaders, request->n_leaders);
	keep_padding(p, request->barriers, request->n_barriers);
	return clear;
}

static bool is_requested(const struct rfs_plan_request *request, rfs_addr vaddr)
{
	return vaddr >= request->start && vaddr < request->end &&
	       (!request->in_part || request->in_part(request->arg, vaddr));
}

/* Whether the plan is for one hot statement only. */
static bool is_for_one(const struct planner *p)
{
	return p->request->filter >= RFS_STUB_PASS;
}

/* Whether the site is to be recorded. If the site has a callee, sets *call to how. */
static bool plan_is_wanted(const struct planner *p, const struct rfs_code_site *site, struct rfs_stub_call *call)
{
	*call = (struct rfs_stub_call){0};
	if (!is_requested(p->request, site->vaddr) || (is_for_one(p) && site->vaddr != p->request->start))
		return false;
	if (site->callee)
		return p->request->call && p->request->call(site, call);
	return site->kind == RFS_CODE_ACCESS && !site->atomic && !site->atomic_move;
}

static bool can_log(const struct planner *p, const struct item *item, const struct rfs_stub_call *call)
{
	if (item->barrier)
		return false;
	if (p->request->filter >= RFS_STUB_COUNT)
		return true;
	return call->n || (rfs_stub_can_log(&item->insn) && !(item->insn.rep && p->backwards));
}

static int add_trap(struct planner *p, const struct rfs_code_site *site)
{
	if (p->request->filter >= RFS_STUB_COUNT)
		return 0; /* it is no site of the code */
	return plan_append(&p->plan->traps, &site, 1, sizeof(struct rfs_code_site *)) ? 0 : -ENOMEM;
}

/*
 * Attaches the function's sites to p->items, and moves p->sites past them. A site that cannot be in a stub gets a trap.
 * stubs: whether the function can have stubs at all.
 */
static int take_sites(struct planner *p, rfs_addr end, bool stubs)
{
	for (; p->sites < p->sites_end && p->sites->vaddr < end; p->sites++) {
		struct item *item = stubs ? item_at(p, p->sites->vaddr) : NULL;
		struct rfs_stub_call call;
		bool wanted = plan_is_wanted(p, p->sites, &call);
		int result = 0;

		if (item && wanted && can_log(p, item, &call)) {
			item->site = p->sites;
			item->call = call;
			continue;
		}
		if (item && (wanted || !is_for_one(p)))
			item->barrier = true;
		if (wanted)
			result = add_trap(p, p->sites);
		if (result)
			return result;
	}
	return 0;
}

/* ---- groups ---- */

static size_t plan_bytes_of(const struct planner *p, size_t start, size_t end)
{
	if (start >= end)
		return 0;
	return p->items[end - 1].insn.vaddr + p->items[end - 1].insn.length - p->items[start].insn.vaddr;
}

static bool falls_through(const struct rfs_insn *insn)
{
	return insn->flow == RFS_FLOW_NEXT || insn->flow == RFS_FLOW_BRANCH || insn->flow == RFS_FLOW_CALL ||
	       insn->flow == RFS_FLOW_CALL_INDIRECT;
}

/*
 * The end of the run that begins at `start`. A run ends before the next leader or barrier, and after a control transfer
 * that is not a branch.
 */
static size_t run_end(const struct planner *p, size_t start)
{
	size_t end = start;

	do {
		enum rfs_flow flow = p->items[end].insn.flow;

		if (p->items[end].barrier)
			return end;
		end++;
		if (flow != RFS_FLOW_NEXT && flow != RFS_FLOW_BRANCH)
			return end;
	} while (end < p->body && !p->items[end].leader);
	return end;
}

/* The end of the padding after a run. Padding counts only if it is never executed, because the run ends with a transfer
 * that does not return. */
static size_t padding_end(const struct planner *p, size_t end)
{
	if (!end || falls_through(&p->items[end - 1].insn))
		return end;
	while (end < p->n && !p->items[end].leader && !p->items[end].barrier && !p->items[end].site &&
	       is_padding(&p->items[end].insn))
		end++;
	return end;
}

static int trap_all(struct planner *p, size_t start, size_t end)
{
	int result = 0;

	for (size_t i = start; i < end && !result; i++)
		if (p->items[i].site)
			result = add_trap(p, p->items[i].site);
	return result;
}

static int keep_records(struct planner *p, size_t start, size_t end)
{
	for (size_t i = start; i < end && !is_for_one(p); i++) {
		const struct rfs_insn *insn = &p->items[i].insn;
		struct rfs_stub_operand operands[RFS_STUB_OPERANDS];
		unsigned n = p->items[i].site ? rfs_stub_operands(insn, &p->items[i].call, operands) : 0;

		for (unsigned k = 0; k < n; k++) {
			const struct rfs_mem *mem = &operands[k].mem;
			const struct rfs_plan_record record = {
				.site = p->items[i].site,
				.size = mem->size,
				.flags = mem->flags,
				.kind = operands[k].kind,
				.fs = mem->segment == 1,
				.plain_move = insn->plain_move,
			};

			if (!plan_append(&p->plan->records, &record, 1, sizeof(record)))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Makes a group: the stub contains items [start, end), and the patch covers items [start, covered). */
static int plan_add_group(struct planner *p, size_t start, size_t end, size_t covered, int16_t ledge)
{
	struct rfs_plan *plan = p->plan;
	struct rfs_insn insns[RFS_STUB_INSNS];
	bool logged[RFS_STUB_INSNS];
	uint8_t lengths[RFS_PLAN_STARTS];
	struct rfs_plan_group group = {
		.vaddr = p->items[start].insn.vaddr,
		.length = (uint16_t)plan_bytes_of(p, start, covered),
		.ledge = ledge,
		.n_insns = (uint8_t)(end - start),
		.n_starts = (uint8_t)(covered - start),
		.lengths = (const uint8_t *)plan->lengths.n,
		.code = (const uint8_t *)plan->code.n,
		.fixups = (const struct rfs_fixup *)plan->fixups.n,
		.first_record = (uint32_t)plan->records.n,
		.filter = (uint8_t)p->request->filter,
	};

	for (size_t i = start; i < covered; i++) {
		lengths[i - start] = p->items[i].insn.length;
		p->items[i].taken = true;
		if (i < end) {
			insns[i - start] = p->items[i].insn;
			logged[i - start] = p->items[i].site != NULL;
			if (p->items[i].call.n && group.call.n)
				return trap_all(p, start, end);
			if (p->items[i].call.n) {
				group.call = p->items[i].call;
				group.call.insn = (uint8_t)(i - start);
			}
			group.logged |= (uint32_t)logged[i - start] << (i - start);
		}
	}
	if (rfs_stub_build(insns, end - start, logged, &group.call, p->request->filter, &p->stub))
		return trap_all(p, start, end);
	group.code_length = p->stub.length;
	group.n_fixups = p->stub.n_fixups;
	group.n_records = (uint32_t)p->stub.n_records;
	group.tests_end = p->stub.tests_end;
	group.stop_at = p->stub.stop_at;
	if (!plan_append(&plan->lengths, lengths, covered - start, 1) ||
	    !plan_append(&plan->code, p->stub.code, p->stub.length, 1) ||
	    !plan_append(&plan->fixups, p->stub.fixups, p->stub.n_fixups, sizeof(struct rfs_fixup)) ||
	    !plan_append(&plan->groups, &group, 1, sizeof(group)))
		return -ENOMEM;
	return keep_records(p, start, end);
}

static size_t records_of(const struct planner *p, size_t i)
{
	struct rfs_stub_operand operands[RFS_STUB_OPERANDS];

	return p->items[i].site && !is_for_one(p) ? rfs_stub_operands(&p->items[i].insn, &p->items[i].call, operands)
						  : 0;
}

/* The last site of the group whose first site is `first`. A group takes as many sites of the run as one stub can hold.
 * */
static size_t last_site(const struct planner *p, size_t start, size_t first, size_t end)
{
	size_t n_records = 0, n_calls = 0, last = first;

	for (size_t i = first; i < end && i - start < RFS_STUB_INSNS; i++) {
		n_records += records_of(p, i);
		n_calls += p->items[i].call.n > 0;
		if (n_records > RFS_STUB_RECORDS || n_calls > 1)
			break;
		if (p->items[i].site)
			last = i;
	}
	return last;
}

static bool is_call(const struct rfs_insn *insn)
{
	return insn->flow == RFS_FLOW_CALL || insn->flow == RFS_FLOW_CALL_INDIRECT;
}

/* ---- ledges ---- */

/* Notes items [start, end) for a group on a ledge, if that is possible. first: the first item with a site. */
static int plan_add_narrow(struct planner *p, size_t start, size_t first, size_t end)
{
	struct narrow narrow = {start, end};

	/* no instruction may begin at the second byte of the short jump, because that byte does not trap */
	while (narrow.start < first && p->items[narrow.start].insn.length < RFS_SHORT_JUMP_LENGTH)
		narrow.start++;
	if (!p->request->ledges || p->items[narrow.start].insn.length < RFS_SHORT_JUMP_LENGTH)
		return trap_all(p, start, end);
	return plan_append(&p->narrow, &narrow, 1, sizeof(narrow)) ? 0 : -ENOMEM;
}

/* Takes the nearest free padding that a short jump at item `from` can reach. Returns its distance; 0: there is none. */
static int16_t take_ledge(struct planner *p, size_t from)
{
	const rfs_addr vaddr = p->items[from].insn.vaddr;
	int64_t distance = 0;
	size_t i = from ? from : 1, best = 0;

	while (i > 1 && vaddr - p->items[i - 1].insn.vaddr <= RFS_LEDGE_REACH + PADDING_MAX)
		i--;
	for (; i < p->n && (int64_t)(p->items[i].insn.vaddr - vaddr) <= RFS_LEDGE_REACH; i++) {
		for (size_t end = padding_end(p, i); i < end; i++) {
			const int64_t d = (int64_t)(p->items[i].insn.vaddr - vaddr);

			/* the short jump has d - 1: from its end to the jump behind the first byte */
			if (p->items[i].taken || p->items[i].insn.length < RFS_LEDGE_LENGTH ||
			    d - 1 != (int8_t)(d - 1) || (best && llabs(d) >= llabs(distance)))
				continue;
			best = i;
			distance = d;
		}
	}
	p->items[best].taken |= best > 0;
	return (int16_t)distance;
}

static int plan_narrow_ones(struct planner *p)
{
	const struct narrow *narrow = p->narrow.data;
	int result = 0;

	for (size_t i = 0; i < p->narrow.n && !result; i++) {
		const int16_t ledge = take_ledge(p, narrow[i].start);

		result = ledge ? plan_add_group(p, narrow[i].start, narrow[i].end, narrow[i].end, ledge)
			       : trap_all(p, narrow[i].start, narrow[i].end);
	}
	p->narrow.n = 0;
	return result;
}

/* Makes groups for the items [from, end), which are one run. */
static int plan_run_it(struct planner *p, size_t from, size_t end)
{
	size_t padded = padding_end(p, end), lower = from;
	int result = 0;

	while (lower < end && !result) {
		size_t first = lower, start, stop, covered;

		while (first < end && !p->items[first].site)
			first++;
		if (first == end)
			break;
		start = first;
		/* if the first instruction has five bytes, no other begins inside the jump, so the stub can be anywhere
		 * in reach */
		if (p->items[first].insn.length < RFS_JUMP_LENGTH && first > lower &&
		    p->items[first - 1].insn.length >= RFS_JUMP_LENGTH)
			start--;
		stop = last_site(p, start, first, end) + 1;
		while (plan_bytes_of(p, start, stop) < RFS_JUMP_LENGTH && stop < end && !is_call(&p->items[stop].insn))
			stop++;
		while (plan_bytes_of(p, start, stop) < RFS_JUMP_LENGTH && start > lower)
			start--;
		if (plan_bytes_of(p, start, stop) < RFS_JUMP_LENGTH && stop < end)
			stop++; /* a call: the processor will mispredict its return, but a trap costs more */
		covered = stop;
		while (plan_bytes_of(p, start, covered) < RFS_JUMP_LENGTH && stop == end && covered < padded)
			covered++;
		if (plan_bytes_of(p, start, covered) >= RFS_JUMP_LENGTH)
			result = plan_add_group(p, start, stop, covered, 0);
		else
			result = plan_add_narrow(p, start, first, stop);
		lower = stop;
	}
	return result;
}

static int plan_function(struct planner *p, const struct rfs_function *f, rfs_addr next)
{
	rfs_addr limit = f->end + PADDING_MAX < next ? f->end + PADDING_MAX : next > f->end ? next : f->end;
	int result = plan_decode(p, f, limit);
	bool stubs;

	if (result)
		return result;
	stubs = p->body > 0 && rfs_elf_is_bounded(p->elf, f) && plan_mark(p, f->end);
	result = take_sites(p, f->end, stubs);
	for (size_t i = 0; stubs && i < p->body && !result;) {
		size_t end = run_end(p, i);

		result = plan_run_it(p, i, end);
		i = end > i ? end : i + 1;
	}
	return result ? result : plan_narrow_ones(p);
}

/* Whether the function has a requested site. This is asked first, because decoding the function takes much longer. */
static bool has_sites(const struct planner *p, const struct rfs_function *f)
{
	if (f->end <= p->request->start || f->start >= p->request->end)
		return false;
	for (const struct rfs_code_site *site = p->sites; site < p->sites_end && site->vaddr < f->end; site++)
		if (is_requested(p->request, site->vaddr))
			return true;
	return false;
}

/* Gives traps to the sites before vaddr, which belong to no function. */
static int skip_to(struct planner *p, rfs_addr vaddr)
{
	struct rfs_stub_call call;
	int result = 0;

	for (; p->sites < p->sites_end && p->sites->vaddr < vaddr && !result; p->sites++)
		if (plan_is_wanted(p, p->sites, &call))
			result = add_trap(p, p->sites);
	return result;
}

static int compare_traps(const void *a, const void *b)
{
	const struct rfs_code_site *const *x = a, *const *y = b;

	return (*x)->vaddr < (*y)->vaddr ? -1 : (*x)->vaddr > (*y)->vaddr;
}

static int compare_groups(const void *a, const void *b)
{
	const struct rfs_plan_group *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* Replaces the offsets in the groups by pointers, now that the lists no longer move. */
static void plan_settle(struct rfs_plan *plan)
{
	struct rfs_plan_group *groups = plan->groups.data;

	for (size_t i = 0; i < plan->groups.n; i++) {
		groups[i].lengths = (const uint8_t *)plan->lengths.data + (uintptr_t)groups[i].lengths;
		groups[i].code = (const uint8_t *)plan->code.data + (uintptr_t)groups[i].code;
		groups[i].fixups = (const struct rfs_fixup *)plan->fixups.data + (uintptr_t)groups[i].fixups;
	}
	if (plan->groups.n) /* those with a ledge are at the end of their function */
		qsort(groups, plan->groups.n, sizeof(*groups), compare_groups);
	if (plan->traps.n)
		qsort(plan->traps.data, plan->traps.n, sizeof(struct rfs_code_site *), compare_traps);
}

int rfs_plan_make(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code *code,
		  const struct rfs_plan_request *request, struct rfs_plan **out)
{
	struct rfs_plan *plan = calloc(1, sizeof(*plan));
	struct planner *p = calloc(1, sizeof(*p));
	const struct rfs_code_site counted = {.vaddr = request->start, .kind = RFS_CODE_ACCESS};
	const struct rfs_function *functions;
	size_t n = rfs_elf_functions(elf, &functions), n_sites;
	int result = plan && p ? 0 : -ENOMEM;

	if (result)
		goto out;
	*p = (struct planner){.plan = plan, .elf = elf, .decoder = decoder, .request = request, .stub.unmarked = true};
	n_sites = rfs_code_sites(code, &p->sites);
	p->sites_end = p->sites + n_sites;
	if (request->filter >= RFS_STUB_COUNT) {
		p->sites = &counted;
		p->sites_end = p->sites + 1;
	}
	p->n_targets = rfs_code_targets(code, &p->targets);
	for (size_t i = 0; i < n && !result; i++) {
		result = skip_to(p, functions[i].start);
		if (!result && has_sites(p, &functions[i]))
			result = plan_function(p, &functions[i], i + 1 < n ? functions[i + 1].start : functions[i].end);
		while (p->sites < p->sites_end && p->sites->vaddr < functions[i].end)
			p->sites++;
	}
	if (!result)
		result = skip_to(p, ~(rfs_addr)0);
out:
	free(p ? p->items : NULL);
	free(p ? p->narrow.data : NULL);
	free(p);
	if (result) {
		rfs_plan_free(plan);
		return result;
	}
	plan_settle(plan);
	*out = plan;
	return 0;
}

void rfs_plan_free(struct rfs_plan *plan)
{
	if (!plan)
		return;
	free(plan->groups.data);
	free(plan->records.data);
	free(plan->traps.data);
	free(plan->lengths.data);
	free(plan->code.data);
	free(plan->fixups.data);
	free(plan);
}

size_t rfs_plan_groups(const struct rfs_plan *plan, const struct rfs_plan_group **out)
{
	*out = plan->groups.data;
	return plan->groups.n;
}

size_t rfs_plan_records(const struct rfs_plan *plan, const struct rfs_plan_record **out)
{
	*out = plan->records.data;
	return plan->records.n;
}

size_t rfs_plan_traps(const struct rfs_plan *plan, const struct rfs_code_site *const **out)
{
	*out = plan->traps.data;
	return plan->traps.n;
}
