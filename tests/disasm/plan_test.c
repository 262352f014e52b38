/*
 * plan_test.c - which groups rfs_plan_make() plans. Small functions have known groups. In Debian's binaries, the rules
 * that hold for every plan are checked.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/rewrite/plan.h"
#include "source.h"

TestSuite(plan, .timeout = 120);

/*
 * One row for each function. `groups` has "INSTRUCTIONS.RECORDS" for each group, in order. A p after it means that
 * padding gives the room, and an l that the jump is on a ledge. At the end, each t is a site that needs a trap.
 */
struct row {
	const char *name, *body, *groups;
};
static const struct row rows[] = {
	{"nothing", "lea 8(%rdi),%rax; ret", ""},
	{"five_bytes", "mov counter(%rip),%eax; ret", "1.1"},
	{"several", "mov (%rdi),%eax; add $1,%eax; mov %eax,8(%rdi); ret", "3.2"},
	{"to_the_last_site", "mov 8(%rdi),%rax; mov 16(%rax),%rcx; mov %rcx,%rdx; mov %rdx,%rsi; ret", "2.2"},
	{"one_more_behind", "mov 8(%rdi),%rax; mov %rax,%rcx; ret", "2.1"},
	{"with_branch", "mov 8(%rdi),%eax; jne 1f; nop; 1: ret", "2.1"},
	{"behind_a_branch", "test %rdi,%rdi; je 1f; mov 8(%rdi),%eax; 1: ret", "2.1"},
	{"around_branches", "cmpl $1,8(%rdi); je 1f; mov 4(%rdi),%eax; jne 1f; mov %eax,(%rsi); 1: ret", "5.3"},
	{"with_return", "mov 8(%rdi),%eax; ret; .p2align 4,0x90", "2.1p"},
	{"with_nothing_behind", "mov 8(%rdi),%eax; ret", "t"},
	{"with_call", "mov (%rdi),%edi; call other; ret", "2.1"},
	{"call_of_memory", "mov (%rdi),%rax; call *8(%rax); ret", "2.2"},
	{"jump_of_memory", "mov (%rdi),%rax; jmp *8(%rax)", "2.2"},
	{"long_one_in_front", "mov $1,%edx; mov (%rdi),%eax; mov (%rsi),%ecx; ret", "3.2"},
	{"backwards", "mov %rdi,%rdx; mov %rsi,%rcx; mov (%rdi),%eax; jmp 1f; 1: nop; jne 1b; ret", "3.1"},
	{"loop", "mov $3,%ecx; 0: mov (%rdi),%eax; mov %eax,(%rsi); dec %ecx; jne 0b; ret", "3.2"},
	{"loop_at_the_site",
	 "mov 8(%rdi),%rax; mov 8(%rdi),%rax; 0: mov (%rdi),%al; jmp 1f; 1: test %al,%al; jne 0b; ret", "2.2t"},
	{"repeated", "rep stosb; mov (%rdi),%eax; mov (%rsi),%ecx; ret", "3.4"},
	{"repeated_downwards", "std; rep stosb; cld; mov (%rdi),%eax; mov 8(%rsi),%ecx; ret", "2.2t"},
	{"repeated_until", "repe cmpsb; mov (%rdi),%eax; mov 8(%rsi),%ecx; ret", "2.2t"},
	{"atomic", "lock incl (%rdi); mov (%rsi),%eax; mov (%rax),%eax; mov %eax,(%rsi); ret", "3.3"},
	{"pause", "0: pause; mov 8(%rdi),%rax; cmp %rax,%rcx; jne 0b; ret", "2.1"},
	{"overlapping", "mov 8(%rdi),%rax; mov 8(%rdi),%rax; je 1f+1; 1: .byte 0xf0; incl (%rdi); ret", "tt"},
	{"other", "ret", ""},
};

/* Makes C source: the text `shared`, then the functions of the rows. Caller frees. */
static char *source_of(const char *shared, const struct row *functions, size_t n)
{
	char *source = NULL;
	size_t size;
	FILE *out = open_memstream(&source, &size);

	fputs(shared, out);
	for (size_t i = 0; i < n; i++)
		source_function(out, functions[i].name, functions[i].body);
	fclose(out);
	return source;
}

static char *library_source(void)
{
	return source_of("__attribute__((visibility(\"hidden\"))) int counter;\n", rows, sizeof(rows) / sizeof(*rows));
}

struct planned {
	char *path;
	struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	struct rfs_code *code;
	struct rfs_plan *plan;
};

static const struct rfs_plan_request everything = {.end = ~(rfs_addr)0};

static void plan_file(struct planned *planned, const char *path, const struct rfs_plan_request *request)
{
	char why[256];

	*planned = (struct planned){0};
	cr_assert(rfs_elf_open(path, &planned->elf, why, sizeof(why)) == 0, "%s", why);
	cr_assert(rfs_decoder_new(&planned->decoder) == 0);
	cr_assert(rfs_code_scan(planned->elf, planned->decoder, NULL, &planned->code) == 0);
	cr_assert(rfs_plan_make(planned->elf, planned->decoder, planned->code, request, &planned->plan) == 0);
}

static void plan_again(struct planned *planned, const struct rfs_plan_request *request)
{
	rfs_plan_free(planned->plan);
	cr_assert(rfs_plan_make(planned->elf, planned->decoder, planned->code, request, &planned->plan) == 0);
}

static void release(struct planned *planned)
{
	rfs_plan_free(planned->plan);
	rfs_code_free(planned->code);
	rfs_decoder_free(planned->decoder);
	rfs_elf_free(planned->elf);
	if (planned->path)
		source_remove(planned->path);
}

static void plan_source(struct planned *planned, const char *source)
{
	char *path = source_build(source, "-shared -nostdlib -fPIC -Wl,--no-relax");

	plan_file(planned, path, &everything);
	planned->path = path;
}

/* Writes the groups and traps in [start, end) to `out`, in the form of the rows. */
static void describe(const struct planned *planned, rfs_addr start, rfs_addr end, char *out, size_t n)
{
	const struct rfs_plan_group *groups;
	const struct rfs_code_site *const *traps;
	size_t n_groups = rfs_plan_groups(planned->plan, &groups), n_traps = rfs_plan_traps(planned->plan, &traps);
	FILE *text = fmemopen(out, n, "w");

	memset(out, 0, n);
	for (size_t i = 0; i < n_groups; i++)
		if (groups[i].vaddr >= start && groups[i].vaddr < end)
			fprintf(text, "%u.%" PRIu32 "%s ", groups[i].n_insns, groups[i].n_records,
				groups[i].ledge				 ? "l"
				: groups[i].n_starts > groups[i].n_insns ? "p"
									 : "");
	for (size_t i = 0; i < n_traps; i++)
		if (traps[i]->vaddr >= start && traps[i]->vaddr < end)
			fputs("t", text);
	fclose(text);
	/* remove blanks at the end and before traps */
	for (char *blank = strstr(out, " t"); blank; blank = NULL)
		memmove(blank, blank + 1, strlen(blank));
	if (*out && out[strlen(out) - 1] == ' ')
		out[strlen(out) - 1] = '\0';
}

static void expect_groups(const struct planned *planned, const struct row *functions, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char got[64];
		rfs_addr start;
		uint64_t size;

		cr_assert(rfs_elf_symbol(planned->elf, functions[i].name, &start, &size));
		describe(planned, start, start + size, got, sizeof(got));
		cr_expect(!strcmp(got, functions[i].groups), "%s: '%s', not '%s'", functions[i].name, got,
			  functions[i].groups);
	}
}

/* Behind the first function is code without a symbol. If another one jumps there, it is no padding. */
Test(plan, code_behind_a_function)
{
	static const char *const jumps[] = {"ret", "jne 1b; ret", "jne 1b+1; ret"};

	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++) {
		const struct row first = {"first", NULL, i ? "t" : "2.1p"};
		struct planned planned;
		char source[512];

		snprintf(source, sizeof(source),
			 "__asm__(\".text\\n.globl first\\n.hidden first\\n.type first,@function\\n"
			 "first: mov 8(%%rdi),%%eax; ret\\n.size first,.-first\\n"
			 "1: xchg %%ax,%%ax; nop; nop; nop; ret\\n"
			 ".type second,@function\\nsecond: %s\\n.size second,.-second\\n\");\n",
			 jumps[i]);
		plan_source(&planned, source);
		expect_groups(&planned, &first, 1);
		release(&planned);
	}
}

Test(plan, groups_of_known_functions)
{
	char *source = library_source();
	struct planned planned;

	plan_source(&planned, source);
	expect_groups(&planned, rows, sizeof(rows) / sizeof(*rows));
	release(&planned);
	free(source);
}

/* Padding of at least six bytes that is one instruction and never executed. */
Test(plan, ledges)
{
	static const struct row functions[] = {
		{"before_it", "jmp 0f; .nops 8; 0: mov (%rdi),%al; 1: test %al,%al; jne 0b; jmp 1b", "1.1l"},
		{"behind_it", "0: mov (%rdi),%al; 1: test %al,%al; jne 0b; jmp 1b; .nops 6", "1.1l"},
		{"too_small", "0: mov (%rdi),%al; 1: test %al,%al; jne 0b; jmp 1b; .nops 5", "t"},
		{"small_ones", "0: mov (%rdi),%al; 1: test %al,%al; jne 0b; jmp 1b; nop; nop; nop; nop; nop; nop", "t"},
		{"executed", "0: mov (%rdi),%al; 1: test %al,%al; jne 0b; jne 1b; .nops 8; jmp other", "t"},
		{"a_leader", "0: mov (%rdi),%al; 1: test %al,%al; jne 0b; je 2f; jmp 1b; 2: .nops 8; jmp other", "t"},
		{"two", "0: mov (%rdi),%al; 1: mov (%rsi),%cl; 2: jne 0b; jne 1b; jmp 2b; .nops 8; jmp other; .nops 8",
		 "1.1l 1.1l"},
		{"one_for_two", "0: mov (%rdi),%al; 1: mov (%rsi),%cl; 2: jne 0b; jne 1b; jmp 2b; .nops 8", "1.1lt"},
		{"padding_of_its_own", "0: mov (%rdi),%al; 1: jne 0b; jne 1b; je 2f; 2: mov (%rdi),%al; ret; .nops 8",
		 "2.1pt"},
		{"in_reach", "0: mov (%rdi),%al; 1: jne 0b; jne 1b; .skip 121,0x90; ret; .nops 8", "1.1l"},
		{"out_of_reach", "0: mov (%rdi),%al; 1: jne 0b; jne 1b; .skip 122,0x90; ret; .nops 8", "t"},
		{"a_push_before", "0: push %rbx; mov (%rdi),%al; 1: pop %rbx; jne 0b; jmp 1b; .nops 8", "1.1l"},
		{"of_one_byte", "0: lodsb; 1: test %al,%al; jne 0b; jmp 1b; .nops 8", "t"},
		{"other", "ret", ""},
	};
	const size_t n = sizeof(functions) / sizeof(*functions);
	struct rfs_plan_request request = everything;
	char *source = source_of("", functions, n);
	struct planned planned;
	const struct rfs_plan_group *groups;
	size_t n_groups;

	plan_source(&planned, source);
	n_groups = rfs_plan_groups(planned.plan, &groups);
	for (size_t i = 0; i < n_groups; i++)
		cr_expect_eq(groups[i].ledge, 0);
	request.ledges = true;
	plan_again(&planned, &request);
	expect_groups(&planned, functions, n);
	n_groups = rfs_plan_groups(planned.plan, &groups);
	for (size_t i = 1; i < n_groups; i++)
		cr_expect_lt(groups[i - 1].vaddr, groups[i].vaddr);
	release(&planned);
	free(source);
}

static bool is_range_call(const char *callee)
{
	return !strcmp(callee, "copies") || !strcmp(callee, "measures");
}

static bool record_call(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	*out = (struct rfs_stub_call){.n = 3,
				      .argument = {{RFS_OPERAND_COUNT, 0, RFS_RDX},
						   {RFS_OPERAND_RANGE, RFS_MEM_READ, RFS_RSI},
						   {RFS_OPERAND_RANGE, RFS_MEM_WRITE, RFS_RDI}}};
	return !strcmp(site->callee, "copies");
}

/* A call is planned like an access if the plan request says how its arguments are recorded (`call`). */
Test(plan, calls)
{
	static const struct row callers[] = {
		{"calls_it", "mov (%rdi),%rdx; call copies; mov 8(%rax),%rax; nop; ret", "2.4 2.1"},
		{"calls_it_at_a_label", "1: call copies; jmp 1b", "1.3"},
		{"ends_with_it", "mov 4(%rdi),%edx; jmp copies", "2.4"},
		{"calls_another", "mov 8(%rdi),%rdi; mov 8(%rdi),%rdx; call measures; nop; call copies; ret",
		 "2.2 1.3"},
		{"copies", "ret", ""},
		{"measures", "ret", ""},
	};
	struct rfs_plan_request request = everything;
	const struct rfs_plan_record *records;
	const struct rfs_plan_group *groups;
	struct planned planned;
	const size_t n = sizeof(callers) / sizeof(*callers);
	char *source = source_of("", callers, n);

	plan_source(&planned, source);
	rfs_code_free(planned.code);
	cr_assert(rfs_code_scan(planned.elf, planned.decoder, is_range_call, &planned.code) == 0);
	request.call = record_call;
	plan_again(&planned, &request);
	expect_groups(&planned, callers, n);
	cr_assert(rfs_plan_groups(planned.plan, &groups) > 0 && rfs_plan_records(planned.plan, &records) > 4);
	records += groups[0].first_record;
	cr_expect(groups[0].call.n == 3 && records[0].kind == RFS_OPERAND_MEMORY && records[0].size == 8);
	cr_expect(records[1].kind == RFS_OPERAND_COUNT && records[1].size == 1 && records[1].site != records[0].site);
	cr_expect(records[2].kind == RFS_OPERAND_RANGE && records[2].flags == RFS_MEM_READ);
	cr_expect(records[3].kind == RFS_OPERAND_RANGE && records[3].flags == RFS_MEM_WRITE);
	release(&planned);
	free(source);
}

/* Whether the address is *arg or higher. */
static bool is_in_half(const void *arg, rfs_addr vaddr)
{
	return vaddr >= *(const rfs_addr *)arg;
}

/* The plan of a part of a module has exactly the groups that the plan of the whole module has in this part. */
Test(plan, a_part_of_a_module)
{
	char *source = library_source();
	const struct rfs_plan_group *groups, *of_part;
	struct rfs_plan_request request = everything;
	struct planned planned;
	rfs_addr from, *whole;
	size_t n, n_part;

	plan_source(&planned, source);
	n = rfs_plan_groups(planned.plan, &groups);
	cr_assert_gt(n, 4);
	whole = calloc(n, sizeof(*whole));
	for (size_t i = 0; i < n; i++)
		whole[i] = groups[i].vaddr;
	from = rfs_elf_function_at(planned.elf, whole[n / 2])->start;
	request.in_part = is_in_half;
	request.arg = &from;
	plan_again(&planned, &request);
	n_part = rfs_plan_groups(planned.plan, &of_part);
	cr_assert(n_part > 0 && n_part < n);
	for (size_t i = 0; i < n_part; i++)
		cr_expect_eq(of_part[i].vaddr, whole[n - n_part + i]);
	cr_expect_lt(whole[n - n_part - 1], from);
	free(whole);
	release(&planned);
	free(source);
}

static bool record_entry(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	const bool leaves = site->kind == RFS_CODE_EXIT;

	*out = (struct rfs_stub_call){
		.n = 1, .argument = {{leaves ? RFS_OPERAND_ALLOCATED : RFS_OPERAND_REQUESTED, 0, RFS_RDI}}};
	return true;
}

/*
 * With rfs_code_scan_entries(), entries and returns of chosen functions are sites. An entry is the first instruction of
 * a group, and a return is the last one.
 */
Test(plan, entries_and_returns)
{
	static const struct row functions[] = {
		{"begins", "push %rbx; mov %rdi,%rbx; lea 1(%rbx),%rax; lea 8(%rax),%rax; pop %rbx; ret", "3.1 3.1"},
		{"branches", "test %rdi,%rdi; je 1f; lea 8(%rdi),%rax; ret; 1: lea 16(%rsi),%rax; ret", "2.1 2.1 2.1"},
		{"goes_on", "add $16,%rdi; nop; jmp begins", "2.1"},
		{"leaves", "add $16,%rdi; nop; jmp other", ""},
		{"computed", "add $16,%rdi; nop; jmp *%rax", ""},
		{"goes_where_it_leaves", "add $16,%rdi; nop; jmp leaves", ""},
		{"leaves_by_branch", "cmp $1,%edi; jne other; lea 8(%rsi),%rax; ret", ""},
		{"fills", "test %rdi,%rdi; je 1f; add $16,%rdi; jmp fill@plt; 1: lea 8(%rsi),%rax; ret", "2.1 1.1 2.1"},
		{"ends_in_another", "test %rdi,%rdi; je 1f; jmp another@plt; 1: ret", ""},
		{"too_short", "xor %eax,%eax; ret", "tt"},
		{"nothing", "ret", ""},
		{"enters_only", "test %rdi,%rdi; je 1f; jmp *%rax; 1: ret", "2.1"},
		{"other", "lea 8(%rdi),%rax; ret", ""},
	};
	struct rfs_code_entry entries[sizeof(functions) / sizeof(*functions)];
	struct rfs_plan_request request = everything;
	const size_t n = sizeof(functions) / sizeof(*functions);
	char *source = source_of("", functions, n);
	struct planned planned;

	plan_source(&planned, source);
	for (size_t i = 0; i + 1 < n; i++)
		entries[i] = (struct rfs_code_entry){functions[i].name, strcmp(functions[i].name, "enters_only") != 0,
						     "fill"};
	entries[n - 1] = (struct rfs_code_entry){"not_there", true, NULL};
	rfs_code_free(planned.code);
	cr_assert(rfs_code_scan_entries(planned.elf, planned.decoder, entries, n, &planned.code) == 0);
	request.call = record_entry;
	plan_again(&planned, &request);
	expect_groups(&planned, functions, n);
	release(&planned);
	free(source);
}

/* If a function has no size, data may follow it directly, so no group is made. */
Test(plan, function_without_bounds)
{
	struct planned planned;
	const struct rfs_plan_group *groups;
	const struct rfs_code_site *const *traps;

	plan_source(&planned, "__asm__(\".globl bare\\nbare: mov 8(%rdi),%rax; mov 8(%rax),%rcx; ret\\n"
			      ".long 1,2,3,4\\n\");");
	cr_expect(rfs_plan_groups(planned.plan, &groups) == 0);
	cr_expect(rfs_plan_traps(planned.plan, &traps) >= 2);
	release(&planned);
}

/*
 * Facts that are learned during a run: control reaches the middle of a group (leaders), or a breakpoint is inside
 * (barriers).
 */
Test(plan, leaders_and_barriers)
{
	struct planned planned;
	struct rfs_plan_request request = everything;
	char got[64];
	rfs_addr start, inside;
	uint64_t size;

	plan_source(&planned, "__asm__(\".globl f\\n.type f,@function\\nf: mov 8(%rdi),%rax; mov 8(%rax),%rcx;"
			      "mov 8(%rcx),%rdx; mov 8(%rdx),%rsi; ret\\n.size f,.-f\\n\");");
	cr_assert(rfs_elf_symbol(planned.elf, "f", &start, &size));
	describe(&planned, start, start + size, got, sizeof(got));
	cr_expect_str_eq(got, "4.4");
	inside = start + 8;
	request.leaders = &inside;
	request.n_leaders = 1;
	plan_again(&planned, &request);
	describe(&planned, start, start + size, got, sizeof(got));
	cr_expect_str_eq(got, "2.2 2.2");
	inside = start + 4;
	plan_again(&planned, &request);
	describe(&planned, start, start + size, got, sizeof(got));
	cr_expect_str_eq(got, "3.3t", "one instruction of four bytes is left in front");
	request = everything;
	request.barriers = &inside;
	request.n_barriers = 1;
	plan_again(&planned, &request);
	describe(&planned, start, start + size, got, sizeof(got));
	cr_expect_str_eq(got, "2.2tt");
	request = everything;
	request.start = start + 4;
	request.end = start + 12;
	plan_again(&planned, &request);
	describe(&planned, start, start + size, got, sizeof(got));
	cr_expect_str_eq(got, "2.2", "nothing outside is touched");
	release(&planned);
}

static void check_group(const struct planned *planned, const struct rfs_plan_group *group, const char *path)
{
	const struct rfs_function *function = rfs_elf_function_at(planned->elf, group->vaddr);
	const rfs_addr *targets;
	size_t n = rfs_code_targets(planned->code, &targets), low = 0, high = n, length = 0;

	for (unsigned i = 0; i < group->n_starts; i++)
		length += group->lengths[i];
	cr_assert(length == group->length && length >= RFS_JUMP_LENGTH, "%s", path);
	cr_assert(function && group->vaddr + group->lengths[0] <= function->end, "%s", path);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (targets[middle] <= group->vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	cr_assert(low == n || targets[low] >= group->vaddr + group->length, "%s: %#" PRIx64 " jumps into %#" PRIx64,
		  path, targets[low], group->vaddr);
}

Test(plan, binaries_of_debian)
{
	static const char *const paths[] = {"/usr/bin/xz", "/usr/bin/pigz", "/usr/bin/zstd",
					    "/lib/x86_64-linux-gnu/liblzma.so.5", "/lib/x86_64-linux-gnu/libc.so.6"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct rfs_code_site *sites, *const *traps;
		const struct rfs_plan_record *records;
		const struct rfs_plan_group *groups;
		size_t n_sites, n_groups, n_records, n_traps, plain = 0, recorded = 0;
		struct planned planned;
		uint8_t *seen;

		if (access(paths[i], R_OK) != 0) {
			fprintf(stderr, "plan: %s is not installed\n", paths[i]);
			continue;
		}
		plan_file(&planned, paths[i], &everything);
		n_sites = rfs_code_sites(planned.code, &sites);
		n_groups = rfs_plan_groups(planned.plan, &groups);
		n_records = rfs_plan_records(planned.plan, &records);
		n_traps = rfs_plan_traps(planned.plan, &traps);
		seen = calloc(n_sites + 1, 1);
		for (size_t k = 0; k < n_groups; k++) {
			cr_assert(k == 0 || groups[k - 1].vaddr + groups[k - 1].length <= groups[k].vaddr, "%s",
				  paths[i]);
			check_group(&planned, &groups[k], paths[i]);
		}
		for (size_t k = 0; k < n_records; k++) {
			recorded += !seen[records[k].site - sites];
			seen[records[k].site - sites] |= 1;
		}
		for (size_t k = 0; k < n_traps; k++) {
			cr_assert(!seen[traps[k] - sites], "%s: %#" PRIx64 " twice", paths[i], traps[k]->vaddr);
			seen[traps[k] - sites] |= 2;
		}
		for (size_t k = 0; k < n_sites; k++) {
			bool wanted = sites[k].kind == RFS_CODE_ACCESS && !sites[k].atomic;

			plain += wanted;
			cr_assert(wanted == (seen[k] != 0), "%s: %#" PRIx64, paths[i], sites[k].vaddr);
		}
		cr_expect(recorded * 100 >= plain * 95, "%s: %zu of %zu sites", paths[i], recorded, plain);
		free(seen);
		release(&planned);
	}
}
