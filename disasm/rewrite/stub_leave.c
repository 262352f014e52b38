/*
 * stub_leave.c - takes a thread out of a stub, and puts it back in. The stub has a mark for each of its instructions.
 * The mark where the thread is says how registers and control block must change.
 */
#include "disasm/rewrite/stub.h"

#define RECORD_SIZE ((int)sizeof(struct rfs_stub_record))

static unsigned long long *stub_leave_extended(struct user_regs_struct *regs, unsigned reg)
{
	switch (reg) {
	case 8:
		return &regs->r8;
	case 9:
		return &regs->r9;
	case 10:
		return &regs->r10;
	case 11:
		return &regs->r11;
	case 12:
		return &regs->r12;
	case 13:
		return &regs->r13;
	case 14:
		return &regs->r14;
	default:
		return &regs->r15;
	}
}

static const struct rfs_stub_mark *mark_at(const struct rfs_stub *stub, rfs_addr offset)
{
	for (size_t i = 0; i < stub->n_marks; i++)
		if (stub->marks[i].at == offset)
			return &stub->marks[i];
	return NULL;
}

bool rfs_stub_leave(const struct rfs_stub *stub, rfs_addr stub_at, rfs_addr group_at, bool fault,
		    struct user_regs_struct *regs, struct rfs_stub_control *control)
{
	const struct rfs_stub_mark *here = mark_at(stub, regs->rip - stub_at);
	int own;

	if (!here)
		return false;
	if (!(here->copy && fault)) { /* the access was not made, so it is not dropped either */
		control->dropped -= here->dropped;
		control->sum -= here->summed ? *stub_leave_extended(regs, here->scratch[1]) : 0;
		if (here->passed)
			control->pass[here->passed - 1].left++;
	}
	if (here->rcx)
		regs->rcx = control->saved_rcx;
	/* the instruction's own records stay only if its copy was reached. If a repeated string instruction was
	 * interrupted, its rest is recorded again */
	own = here->copy && (fault || here->partly) ? here->own : 0;
	/* the key of an access may be in the filter's table, but its record is taken back */
	if (here->own > own)
		control->segment += RFS_FILTER_SEGMENT;
	if (!here->open || here->committed)
		control->next -= (uint64_t)(int64_t)((here->own - own) * RECORD_SIZE);
	else
		control->next = *stub_leave_extended(regs, here->scratch[0]) +
				(uint64_t)(int64_t)((here->kept + own) * RECORD_SIZE);
	if (here->open) {
		for (unsigned i = 0; i < 2; i++)
			*stub_leave_extended(regs, here->scratch[i]) = control->saved[i];
	}
	if (here->pushed)
		regs->rsp += 8;
	regs->rip = group_at + stub->insn_at[here->insn];
	return true;
}

void rfs_stub_enter(const struct rfs_stub *stub, rfs_addr stub_at, size_t insn, struct user_regs_struct *regs,
		    struct rfs_stub_control *control)
{
	const struct rfs_stub_mark *here = stub->marks;

	while (here->insn != insn)
		here++;
	if (here->open) {
		for (unsigned i = 0; i < 2; i++)
			control->saved[i] = *stub_leave_extended(regs, here->scratch[i]);
		*stub_leave_extended(regs, here->scratch[0]) =
			control->next - (uint64_t)(int64_t)(here->kept * RECORD_SIZE);
	}
	regs->rip = stub_at + here->at;
}
