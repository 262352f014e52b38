/*
 * insn_table.c - which legacy instructions write their memory operand.
 *
 * Only the names of instructions come from Capstone. Its access flags are not used, because Capstone 4.0.2 has many
 * wrong ones: cmp and test written, pextrw read, conditional moves read and written, and more. An instruction that is
 * not listed here only reads.
 */
#include "disasm/insn/insn-priv.h"

#include <capstone/capstone.h>

/* Whether the instruction reads and writes its memory operand, if that is the destination. */
static bool modifies(unsigned id)
{
	switch (id) {
	case X86_INS_ADC:
	case X86_INS_ADD:
	case X86_INS_AND:
	case X86_INS_BTC:
	case X86_INS_BTR:
	case X86_INS_BTS:
	case X86_INS_DEC:
	case X86_INS_INC:
	case X86_INS_NEG:
	case X86_INS_NOT:
	case X86_INS_OR:
	case X86_INS_RCL:
	case X86_INS_RCR:
	case X86_INS_ROL:
	case X86_INS_ROR:
	case X86_INS_SAL:
	case X86_INS_SAR:
	case X86_INS_SBB:
	case X86_INS_SHL:
	case X86_INS_SHLD:
	case X86_INS_SHR:
	case X86_INS_SHRD:
	case X86_INS_SUB:
	case X86_INS_XADD:
	case X86_INS_XOR:
	case X86_INS_CMPXCHG: /* also writes if the comparison fails: the old value (SDM vol. 2, CMPXCHG) */
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		return true;
	default:
		return false;
	}
}

/* Whether the instruction only writes its memory operand, if that is the destination. */
static bool stores(unsigned id)
{
	switch (id) {
	case X86_INS_EXTRACTPS:
	case X86_INS_FBSTP:
	case X86_INS_FIST:
	case X86_INS_FISTP:
	case X86_INS_FISTTP:
	case X86_INS_FNSAVE:
	case X86_INS_FNSTCW:
	case X86_INS_FNSTENV:
	case X86_INS_FNSTSW:
	case X86_INS_FST:
	case X86_INS_FSTP:
	case X86_INS_FXSAVE:
	case X86_INS_FXSAVE64:
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVAPD:
	case X86_INS_MOVAPS:
	case X86_INS_MOVBE:
	case X86_INS_MOVD:
	case X86_INS_MOVDQA:
	case X86_INS_MOVDQU:
	case X86_INS_MOVHPD:
	case X86_INS_MOVHPS:
	case X86_INS_MOVLPD:
	case X86_INS_MOVLPS:
	case X86_INS_MOVNTDQ:
	case X86_INS_MOVNTI:
	case X86_INS_MOVNTPD:
	case X86_INS_MOVNTPS:
	case X86_INS_MOVNTQ:
	case X86_INS_MOVNTSD:
	case X86_INS_MOVNTSS:
	case X86_INS_MOVQ:
	case X86_INS_MOVSD:
	case X86_INS_MOVSS:
	case X86_INS_MOVUPD:
	case X86_INS_MOVUPS:
	case X86_INS_PEXTRB:
	case X86_INS_PEXTRD:
	case X86_INS_PEXTRQ:
	case X86_INS_PEXTRW:
	case X86_INS_POP:
	case X86_INS_SETA:
	case X86_INS_SETAE:
	case X86_INS_SETB:
	case X86_INS_SETBE:
	case X86_INS_SETE:
	case X86_INS_SETG:
	case X86_INS_SETGE:
	case X86_INS_SETL:
	case X86_INS_SETLE:
	case X86_INS_SETNE:
	case X86_INS_SETNO:
	case X86_INS_SETNP:
	case X86_INS_SETNS:
	case X86_INS_SETO:
	case X86_INS_SETP:
	case X86_INS_SETS:
	case X86_INS_SGDT:
	case X86_INS_SIDT:
	case X86_INS_SLDT:
	case X86_INS_SMSW:
	case X86_INS_STMXCSR:
	case X86_INS_STR:
		return true;
	default:
		return false;
	}
}

/* Whether the instruction has a memory operand but does not access it, or cannot in user mode. */
static bool accesses_nothing(unsigned id)
{
	switch (id) {
	case X86_INS_CLFLUSH:
	case X86_INS_CLFLUSHOPT:
	case X86_INS_CLWB:
	case X86_INS_INVEPT:
	case X86_INS_INVLPG:
	case X86_INS_INVPCID:
	case X86_INS_INVVPID:
	case X86_INS_LEA:
	case X86_INS_LGDT:
	case X86_INS_LIDT:
	case X86_INS_LLDT:
	case X86_INS_LMSW:
	case X86_INS_LTR:
	case X86_INS_NOP:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
	case X86_INS_PREFETCHW:
	case X86_INS_UD0:
	case X86_INS_UD2B:
	case X86_INS_VMCLEAR:
	case X86_INS_VMPTRLD:
	case X86_INS_VMPTRST:
	case X86_INS_VMXON:
	case X86_INS_XRSTORS:
	case X86_INS_XRSTORS64:
	case X86_INS_XSAVES:
	case X86_INS_XSAVES64:
		return true;
	default:
		return false;
	}
}

unsigned rfs_insn_mem_flags(unsigned id, bool mem_is_destination)
{
	if (accesses_nothing(id))
		return 0;
	if (id == X86_INS_XCHG) /* in Capstone's order, the register may be first */
		return RFS_MEM_READ | RFS_MEM_WRITE;
	if (mem_is_destination && modifies(id))
		return RFS_MEM_READ | RFS_MEM_WRITE;
	if (mem_is_destination && stores(id))
		return RFS_MEM_WRITE;
	return RFS_MEM_READ;
}
