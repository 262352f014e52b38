/* allocators_test.c - what stubs record at the entries and returns of functions that allocate and free. */
#include "supervisor/access/calls/allocators.h"

#include <criterion/criterion.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

TestSuite(allocators, .timeout = 20);

struct value {
	uint8_t kind;
	int8_t reg;
};

Test(allocators, recorded)
{
	static const struct {
		const char *function;
		uint8_t kind;
		bool tail;
		uint8_t n;
		struct value values[RFS_STUB_OPERANDS];
	} cases[] = {
		{"malloc",
		 RFS_CODE_ENTRY,
		 false,
		 3,
		 {{RFS_OPERAND_FRAME, RFS_RSP}, {RFS_OPERAND_CALLER, RFS_RSP}, {RFS_OPERAND_REQUESTED, RFS_RDI}}},
		{"calloc",
		 RFS_CODE_ENTRY,
		 false,
		 4,
		 {{RFS_OPERAND_FRAME, RFS_RSP},
		  {RFS_OPERAND_CALLER, RFS_RSP},
		  {RFS_OPERAND_TIMES, RFS_RDI},
		  {RFS_OPERAND_REQUESTED, RFS_RSI}}},
		{"realloc",
		 RFS_CODE_ENTRY,
		 false,
		 4,
		 {{RFS_OPERAND_FRAME, RFS_RSP},
		  {RFS_OPERAND_CALLER, RFS_RSP},
		  {RFS_OPERAND_OLD, RFS_RDI},
		  {RFS_OPERAND_REQUESTED, RFS_RSI}}},
		{"memalign",
		 RFS_CODE_ENTRY,
		 false,
		 3,
		 {{RFS_OPERAND_FRAME, RFS_RSP}, {RFS_OPERAND_CALLER, RFS_RSP}, {RFS_OPERAND_REQUESTED, RFS_RSI}}},
		{"free", RFS_CODE_ENTRY, false, 2, {{RFS_OPERAND_CALLER, RFS_RSP}, {RFS_OPERAND_FREED, RFS_RDI}}},
		{"malloc", RFS_CODE_EXIT, false, 2, {{RFS_OPERAND_FRAME, RFS_RSP}, {RFS_OPERAND_ALLOCATED, RFS_RAX}}},
		/* calloc() ends with a jump to memset(), whose first argument is the block */
		{"calloc", RFS_CODE_EXIT, true, 2, {{RFS_OPERAND_FRAME, RFS_RSP}, {RFS_OPERAND_ALLOCATED, RFS_RDI}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_code_site site = {
			.kind = cases[i].kind, .tail = cases[i].tail, .callee = cases[i].function};
		struct rfs_stub_call call;

		cr_assert(rfs_allocator_recorded(&site, &call), "%s", site.callee);
		cr_assert_eq(call.n, cases[i].n, "case %zu: %s", i, site.callee);
		cr_expect_eq(call.n_tests, 0, "it never stops");
		for (size_t k = 0; k < call.n; k++)
			cr_expect(call.argument[k].kind == cases[i].values[k].kind &&
					  call.argument[k].reg == cases[i].values[k].reg &&
					  call.argument[k].flags == RFS_MEM_WRITE,
				  "case %zu: %s: value %zu", i, site.callee, k);
	}
}

/* Functions that return a block are scanned for their returns. free() returns none. */
Test(allocators, scanned)
{
	const struct rfs_code_entry *entries;
	size_t n = rfs_allocators(&entries), frees = 0;

	for (size_t i = 0; i < n; i++) {
		const bool is_free = strcmp(entries[i].name, "free") == 0;

		frees += is_free;
		cr_expect_eq(entries[i].exits, !is_free, "%s", entries[i].name);
	}
	cr_expect_eq(frees, 1);
}
