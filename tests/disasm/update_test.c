/* What atomic instructions and plain moves leave in memory, against the Intel manual. Bytes are assembled by hand. */
#include <criterion/criterion.h>

#include "disasm/insn/insn.h"
#include "disasm/insn/insn_compare.h"

TestSuite(update, .timeout = 30);

Test(update, of_each_form)
{
	/* rax 5, rcx 0x1234567890, rdx 3; the operand is at (%rdi) */
	const struct user_regs_struct regs = {.rax = 5, .rcx = 0x1234567890, .rdx = 3, .rsi = 0x1f3};
	const struct {
		const char *what;
		uint8_t bytes[RFS_INSN_MAX];
		uint64_t old, new;
		bool known;
	} table[] = {
		{"lock cmpxchg %edx,(%rdi), equal", {0xf0, 0x0f, 0xb1, 0x17}, 5, 3, true},
		{"lock cmpxchg %edx,(%rdi), different", {0xf0, 0x0f, 0xb1, 0x17}, 6, 6, true},
		{"lock cmpxchg %dl,(%rdi)", {0xf0, 0x0f, 0xb0, 0x17}, 5, 3, true},
		{"xchg %ecx,(%rdi)", {0x87, 0x0f}, 7, 0x34567890, true},
		{"xchg %ch,(%rdi)", {0x86, 0x2f}, 7, 0x78, true},
		{"xchg %rcx,(%rdi)", {0x48, 0x87, 0x0f}, 7, 0x1234567890, true},
		{"lock xadd %edx,(%rdi)", {0xf0, 0x0f, 0xc1, 0x17}, 0xffffffff, 2, true},
		{"lock incl (%rdi)", {0xf0, 0xff, 0x07}, 9, 10, true},
		{"lock decq (%rdi)", {0xf0, 0x48, 0xff, 0x0f}, 0, UINT64_MAX, true},
		{"lock addl $-1,(%rdi)", {0xf0, 0x83, 0x07, 0xff}, 9, 8, true},
		{"lock subl $0x100,(%rdi)", {0xf0, 0x81, 0x2f, 0, 1, 0, 0}, 0x101, 1, true},
		{"lock orb $2,(%rdi)", {0xf0, 0x80, 0x0f, 0x02}, 1, 3, true},
		{"lock and %edx,(%rdi)", {0xf0, 0x21, 0x17}, 6, 2, true},
		{"lock btsl $3,(%rdi)", {0xf0, 0x0f, 0xba, 0x2f, 0x03}, 1, 9, true},
		{"lock btrl $0,(%rdi)", {0xf0, 0x0f, 0xba, 0x37, 0x00}, 1, 0, true},
		{"lock notl (%rdi)", {0xf0, 0xf7, 0x17}, 0, 0xffffffff, true},
		{"lock adcl $1,(%rdi)", {0xf0, 0x83, 0x17, 0x01}, 1, 0, false},
		{"lock cmpxchg16b (%rdi)", {0xf0, 0x48, 0x0f, 0xc7, 0x0f}, 1, 0, false},
		{"mov %ecx,(%rdi)", {0x89, 0x0f}, 7, 0x34567890, true},
		{"movb $0,(%rdi)", {0xc6, 0x07, 0x00}, 7, 0, true},
		{"movl $2,(%rdi)", {0xc7, 0x07, 0x02, 0, 0, 0}, 7, 2, true},
		{"movq $-1,(%rdi)", {0x48, 0xc7, 0x07, 0xff, 0xff, 0xff, 0xff}, 7, UINT64_MAX, true},
		{"mov (%rdi),%ecx, which stores nothing", {0x8b, 0x0f}, 7, 0, false},
		{"incw (%rdi)", {0x66, 0xff, 0x07}, 0xffff, 0, true},
		{"subl $1,(%rdi)", {0x83, 0x2f, 0x01}, 1, 0, true},
		{"andb $0xfe,(%rdi)", {0x80, 0x27, 0xfe}, 3, 2, true},
		{"shll (%rdi)", {0xd1, 0x27}, 1, 0, false},
		{"vmovd %xmm0,(%rdi)", {0xc5, 0xf9, 0x7e, 0x07}, 1, 0, false},
	};
	struct rfs_decoder *decoder;

	cr_assert_eq(rfs_decoder_new(&decoder), 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rfs_insn insn;
		uint64_t new = 0;

		cr_assert_eq(rfs_insn_decode(decoder, table[i].bytes, RFS_INSN_MAX, 0x1000, &insn), 0);
		cr_expect_eq(rfs_insn_update(&insn, &regs, table[i].old, &new), table[i].known, "%s", table[i].what);
		cr_expect(!table[i].known || new == table[i].new, "%s: %#lx", table[i].what, new);
	}
	rfs_decoder_free(decoder);
}

/* What code around an atomic instruction does with its registers. */
Test(update, registers_of_compare_exchange_and_exchange)
{
	const struct {
		uint8_t bytes[RFS_INSN_MAX];
		bool cmpxchg, sets_rax, compares_rax;
	} table[] = {
		{{0xf0, 0x0f, 0xb1, 0x17}, true, false, false},		    /* lock cmpxchg %edx, (%rdi) */
		{{0xf0, 0x0f, 0xb0, 0x17}, true, false, false},		    /* of one byte */
		{{0xf0, 0x0f, 0xc1, 0x17}, false, false, false},	    /* lock xadd */
		{{0x31, 0xc0}, false, true, false},			    /* xor %eax,%eax */
		{{0x33, 0xc0}, false, true, false},			    /* the other encoding */
		{{0xb8, 1, 0, 0, 0}, false, true, false},		    /* mov $1,%eax */
		{{0x48, 0xc7, 0xc0, 1, 0, 0, 0}, false, true, false},	    /* mov $1,%rax */
		{{0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0}, false, true, false}, /* movabs */
		{{0x31, 0xc1}, false, false, false},			    /* xor %eax,%ecx */
		{{0x45, 0x31, 0xc0}, false, false, false},		    /* xor %r8d,%r8d */
		{{0x41, 0xb8, 1, 0, 0, 0}, false, false, false},	    /* mov $1,%r8d */
		{{0x66, 0x31, 0xc0}, false, false, false},		    /* xor %ax,%ax */
		{{0x84, 0xc0}, false, false, true},			    /* test %al,%al */
		{{0x85, 0xc0}, false, false, true},			    /* test %eax,%eax */
		{{0x85, 0xc9}, false, false, false},			    /* test %ecx,%ecx */
		{{0x3c, 0x02}, false, false, true},			    /* cmp $2,%al */
		{{0x83, 0xf8, 0x02}, false, false, true},		    /* cmp $2,%eax */
		{{0x83, 0xc0, 0x02}, false, false, false},		    /* add $2,%eax */
		{{0x83, 0x38, 0x02}, false, false, false},		    /* cmp $2,(%rax) */
		{{0x39, 0xc8}, false, false, true},			    /* cmp %ecx,%eax */
		{{0x39, 0x07}, false, false, true},			    /* cmp %eax,(%rdi) */
		{{0xa8, 0x01}, false, false, true},			    /* test $1,%al */
		{{0xf6, 0xc1, 0x01}, false, false, false},		    /* test $1,%cl */
	};
	struct rfs_decoder *decoder;

	cr_assert_eq(rfs_decoder_new(&decoder), 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rfs_insn insn;

		cr_assert_eq(rfs_insn_decode(decoder, table[i].bytes, RFS_INSN_MAX, 0x1000, &insn), 0);
		cr_expect_eq(rfs_insn_is_cmpxchg(&insn), table[i].cmpxchg, "%zu", i);
		cr_expect_eq(rfs_insn_sets_rax(&insn), table[i].sets_rax, "%zu", i);
		cr_expect_eq(rfs_insn_compares_register(&insn, RFS_RAX), table[i].compares_rax, "%zu", i);
	}
	rfs_decoder_free(decoder);
}

Test(update, instructions_that_count_or_change_bits)
{
	const struct {
		uint8_t bytes[RFS_INSN_MAX];
		bool counts, changes_bits;
	} table[] = {
		{{0xf0, 0xff, 0x0f}, true, false},	       /* lock decl */
		{{0xf0, 0x83, 0x2f, 0x01}, true, false},       /* lock subl */
		{{0xf0, 0x83, 0x07, 0xff}, true, false},       /* lock addl */
		{{0xf0, 0x29, 0x17}, true, false},	       /* lock sub %edx */
		{{0xf0, 0x0f, 0xc1, 0x17}, true, false},       /* lock xadd */
		{{0xf0, 0x83, 0x27, 0x01}, false, true},       /* lock andl */
		{{0xf0, 0x83, 0x0f, 0x01}, false, true},       /* lock orl */
		{{0xf0, 0x83, 0x37, 0x01}, false, true},       /* lock xorl */
		{{0xf0, 0x80, 0x0f, 0x02}, false, true},       /* lock orb */
		{{0xf0, 0x09, 0x17}, false, true},	       /* lock or %edx */
		{{0xf0, 0x20, 0x17}, false, true},	       /* lock and %dl */
		{{0xf0, 0x0f, 0xba, 0x2f, 0x03}, false, true}, /* lock btsl */
		{{0xf0, 0x0f, 0xb3, 0x17}, false, true},       /* lock btr %edx */
		{{0x09, 0x17}, false, false},		       /* or %edx, not atomic */
		{{0xf0, 0x0f, 0xb1, 0x17}, false, false},      /* lock cmpxchg */
		{{0x87, 0x0f}, false, false},		       /* xchg */
		{{0xff, 0x0f}, false, false},		       /* decl, not atomic */
	};
	struct rfs_decoder *decoder;

	cr_assert_eq(rfs_decoder_new(&decoder), 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rfs_insn insn;

		cr_assert_eq(rfs_insn_decode(decoder, table[i].bytes, RFS_INSN_MAX, 0x1000, &insn), 0);
		cr_expect_eq(rfs_insn_counts(&insn), table[i].counts, "%zu", i);
		cr_expect_eq(rfs_insn_changes_bits(&insn), table[i].changes_bits, "%zu", i);
	}
	rfs_decoder_free(decoder);
}
