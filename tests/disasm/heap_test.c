/* heap_test.c - a long campaign opens thousands of files: what is read of one is freed with it. */
#include "tests/heap.h"

#include <criterion/criterion.h>

#include "disasm/elf/elf.h"
#include "disasm/rewrite/code.h"

TestSuite(heap, .timeout = 60);

static void open_code(void)
{
	struct rfs_decoder *decoder;
	struct rfs_code *code;
	struct rfs_elf *elf;
	char why[256];

	cr_assert_eq(rfs_elf_open("/bin/true", &elf, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_decoder_new(&decoder), 0);
	cr_assert_eq(rfs_code_scan(elf, decoder, NULL, &code), 0);
	rfs_code_free(code);
	rfs_decoder_free(decoder);
	rfs_elf_free(elf);
}

Test(heap, of_code)
{
	cr_expect_lt(heap_growth(open_code), 24);
}
