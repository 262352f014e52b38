/*
 * machine.h - runs single instructions on the real CPU, in a child under ptrace, with operands on guarded pages.
 *
 * Each area is one page of shared memory. It is mapped three times, each time between two guard pages: readable and
 * writable, read-only, and inaccessible. A test points a register to one of these mappings to decide what faults, so
 * mappings never change. Everything is below 4 GiB, for address-size prefixes.
 */
#ifndef RFS_TESTS_MACHINE_H
#define RFS_TESTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub_control.h"

#define PAGE 4096u
#define XSTATE_MAX 16384u
#define MACHINE_TABLE (16 * RFS_FILTER_SLOTS)

enum area { AREA_RSI, AREA_RDI, AREA_STACK, AREA_CODE, AREAS };
enum view { VIEW_WRITABLE, VIEW_READABLE, VIEW_NONE, VIEWS };

/* Where instructions can be: HOME, NEAR it, and FAR, almost 2 GiB away. */
enum place { PLACE_HOME, PLACE_NEAR, PLACE_FAR, PLACES };

struct machine {
	pid_t child;
	uint8_t *page[AREAS];	    /* the test's mapping of each area's page */
	uint8_t *code[PLACES];	    /* the test's mapping of each code page */
	uint8_t *table;		    /* MACHINE_TABLE bytes, writable for both, at the same address */
	uint8_t xstate[XSTATE_MAX]; /* the registers that every run starts with */
	size_t xstate_size;
};

/* How one instruction ended. */
enum outcome {
	DONE,	   /* completed; the registers are as it left them, with rip behind the int3 */
	FAULT,	   /* page fault at `address` */
	GP_FAULT,  /* general protection fault: misaligned or not canonical */
	UNDEFINED, /* this CPU does not have the instruction */
	OTHER,
};

struct result {
	enum outcome outcome;
	rfs_addr address;
	struct user_regs_struct regs;
	uint8_t xstate[XSTATE_MAX];
};

void machine_start(struct machine *machine);
void machine_stop(struct machine *machine);

/* The child's address of an area's page in one view. Guard pages are right before and after it. */
rfs_addr machine_page(enum area area, enum view view);
/* The address for code at a place. AREA_CODE is a page of data after PLACE_HOME, for RIP-relative operands. */
rfs_addr machine_place(enum place place);

/* Writes n bytes of code and an int3 to `place`, and runs from regs->rip until the child traps or faults. */
void machine_run(struct machine *machine, enum place place, const uint8_t *code, size_t n,
		 const struct user_regs_struct *regs, struct result *result);

/* For struct rfs_machine: reads the vector and mask registers of `xstate`. arg is the struct machine. */
int machine_vector(void *arg, int n, bool mask, void *out);
/* Reads the child's memory as it is now. Returns 0 or -EFAULT. */
int machine_read(void *arg, rfs_addr address, void *buf, size_t n);
int machine_write(void *arg, rfs_addr address, const void *buf, size_t n);

#endif
