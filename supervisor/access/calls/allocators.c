/* allocators.c - what stubs record at the entries and returns of the C library's allocators. */
#include "supervisor/access/calls/allocators.h"

#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

/* posix_memalign is not listed, because it does not return the block: it stores the address in memory. */
static const struct rfs_code_entry allocators[] = {
	{"malloc", true, NULL},	       {"calloc", true, "memset"}, {"realloc", true, NULL},
	{"aligned_alloc", true, NULL}, {"memalign", true, NULL},   {"free", false, NULL},
};

size_t rfs_allocators(const struct rfs_code_entry **out)
{
	*out = allocators;
	return sizeof(allocators) / sizeof(*allocators);
}

static void allocators_add_value(struct rfs_stub_call *out, enum rfs_operand_kind kind, int8_t reg)
{
	out->argument[out->n].kind = (uint8_t)kind;
	out->argument[out->n].flags = RFS_MEM_WRITE; /* an allocation or a free changes memory */
	out->argument[out->n++].reg = reg;
}

bool rfs_allocator_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	*out = (struct rfs_stub_call){0};
	if (site->kind == RFS_CODE_EXIT) {
		allocators_add_value(out, RFS_OPERAND_FRAME, RFS_RSP);
		/* calloc may end in a jump to memset, which gets the block as its first argument and returns it */
		allocators_add_value(out, RFS_OPERAND_ALLOCATED, site->tail ? RFS_RDI : RFS_RAX);
	} else if (strcmp(site->callee, "free") == 0) {
		allocators_add_value(out, RFS_OPERAND_CALLER, RFS_RSP);
		allocators_add_value(out, RFS_OPERAND_FREED, RFS_RDI);
	} else { /* malloc has the size as its first argument, the others as their second */
		allocators_add_value(out, RFS_OPERAND_FRAME, RFS_RSP);
		allocators_add_value(out, RFS_OPERAND_CALLER, RFS_RSP);
		if (strcmp(site->callee, "realloc") == 0)
			allocators_add_value(out, RFS_OPERAND_OLD, RFS_RDI);
		if (strcmp(site->callee, "calloc") == 0)
			allocators_add_value(out, RFS_OPERAND_TIMES, RFS_RDI);
		allocators_add_value(out, RFS_OPERAND_REQUESTED,
				     strcmp(site->callee, "malloc") == 0 ? RFS_RDI : RFS_RSI);
	}
	return true;
}
