/* result_used_test.c - whether a caller looks at the result of a call: decides whether a refused call is a misuse. */
#include "supervisor/sync/result_used.h"

#include <criterion/criterion.h>
#include <dlfcn.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"

TestSuite(result_used, .timeout = 20);

/* What callers do behind a call. None of it is executed. */
__asm__(".pushsection .text\n"
	".globl rfs_test_callers\n"
	"rfs_test_callers:\n"
	"rfs_test_tests: test %eax, %eax; ret\n"
	"rfs_test_forgets: mov $1, %eax; ret\n"
	"rfs_test_forgets_later: add $1, %ecx; cmp $2, %ecx; xor %eax, %eax; ret\n"
	"rfs_test_stores: mov %eax, (%rdi); xor %eax, %eax; ret\n"
	"rfs_test_either: cmp $2, %ecx; je 1f; xor %eax, %eax; ret; 1: test %eax, %eax; ret\n"
	"rfs_test_neither: cmp $2, %ecx; je 2f; xor %eax, %eax; ret; 2: mov $3, %eax; ret\n"
	"rfs_test_jumps: jmp 3f; test %eax, %eax; 3: xor %eax, %eax; ret\n"
	"rfs_test_loops: 4: add $1, %ecx; jmp 4b\n"
	".popsection\n");
extern const char rfs_test_callers[], rfs_test_tests[], rfs_test_forgets[], rfs_test_forgets_later[], rfs_test_stores[],
	rfs_test_either[], rfs_test_neither[], rfs_test_jumps[], rfs_test_loops[];

Test(result_used, on_any_path)
{
	const struct {
		const char *back;
		bool used;
	} cases[] = {
		{rfs_test_tests, true},	  {rfs_test_forgets, false}, {rfs_test_forgets_later, false},
		{rfs_test_stores, true},  {rfs_test_either, true},   {rfs_test_neither, false},
		{rfs_test_jumps, false},  {rfs_test_loops, true}, /* nobody knows */
		{(const char *)16, true},			  /* no code */
	};
	struct rfs_module_info module = {0}, *modules[] = {&module};
	struct rfs_run run = {.modules = modules, .n_modules = 1};
	struct rfs_elf *elf;
	char why[256];
	Dl_info info;

	cr_assert(dladdr(rfs_test_callers, &info));
	cr_assert_eq(rfs_elf_open("/proc/self/exe", &elf, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_decoder_new(&run.decoder), 0);
	module.elf = elf;
	module.bias = module.start = (rfs_addr)info.dli_fbase;
	module.end = module.start + (64u << 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_result_used(&run, (rfs_addr)cases[i].back), cases[i].used, "case %zu", i);
	rfs_decoder_free(run.decoder);
	rfs_elf_free(elf);
}
