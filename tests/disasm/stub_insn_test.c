/* stub_insn_test.c - which instructions no stub can hold or record. */
#include <criterion/criterion.h>
#include <errno.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub.h"

TestSuite(stub_insn, .timeout = 60);

#define GROUP(name, text)                                                                                              \
	__asm__(".pushsection .rodata\n" #name "_start:\n" text "\n" #name "_end:\n.popsection");                      \
	extern const uint8_t name##_start[], name##_end[]
#define ROW(name)                                                                                                      \
	{                                                                                                              \
#name, name##_start, name##_end                                                                        \
	}

GROUP(refused_syscall, "syscall");
GROUP(refused_trap, "int3");
GROUP(refused_loop, "loop . + 8");
GROUP(refused_gs, "mov %gs:8,%eax");
GROUP(refused_pause, "pause");
GROUP(refused_rdtsc, "rdtsc");
GROUP(refused_call_on_stack, "call *8(%rsp)");
GROUP(refused_far, "lret");
GROUP(refused_transfer_inside, "jmp . + 8; nop");
GROUP(refused_until, "repe cmpsb");
GROUP(refused_short_count, "addr32 rep stosb");
GROUP(refused_gather, "vpgatherdd %ymm2,(%rbx,%ymm1,4),%ymm0");
GROUP(refused_bit, "bt %rax,(%rbx)");
GROUP(refused_pop, "pop 8(%rsp)");

Test(stub_insn, what_cannot_be_done_is_refused)
{
	static const struct {
		const char *name;
		const uint8_t *start, *end;
	} refused[] = {
		ROW(refused_syscall),
		ROW(refused_trap),
		ROW(refused_loop),
		ROW(refused_gs),
		ROW(refused_pause),
		ROW(refused_rdtsc),
		ROW(refused_until),
		ROW(refused_call_on_stack),
		ROW(refused_short_count),
		ROW(refused_far),
		ROW(refused_transfer_inside),
		ROW(refused_gather),
		ROW(refused_bit),
		ROW(refused_pop),
	};
	struct rfs_decoder *decoder;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		static struct rfs_stub stub;
		struct rfs_insn insns[RFS_STUB_INSNS];
		bool logged[RFS_STUB_INSNS];
		size_t n = 0;

		for (const uint8_t *at = refused[i].start; at < refused[i].end; at += insns[n++].length) {
			const rfs_addr vaddr = 0x1000 + (rfs_addr)(at - refused[i].start);

			cr_assert(rfs_insn_decode(decoder, at, (size_t)(refused[i].end - at), vaddr, &insns[n]) == 0);
			logged[n] = insns[n].n_mem > 0;
		}
		for (unsigned filter = RFS_FILTER_NONE; filter <= RFS_FILTER_PLACES; filter++)
			cr_expect(rfs_stub_build(insns, n, logged, NULL, (enum rfs_stub_filter)filter, &stub) ==
					  -ENOTSUP,
				  "%s", refused[i].name);
	}
	rfs_decoder_free(decoder);
}
