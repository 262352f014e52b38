/*
 * machine.h - runs single instructions on the real CPU, in a child under ptrace, with operands on guarded pages.
 *
 * Each area is one page of shared memory, mapped three times with a guard page on either side: readable and writable,
 * read-only, and not accessible at all. Which of them a register points to decides what the hardware will complain of,
 * so that no mapping ever changes. Everything lies below 4 GiB, for address-size prefixes.
 */
#ifndef RFS_TESTS_MACHINE_H
#define RFS_TESTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "disasm/insn/insn.h"

#define PAGE 4096u
#define XSTATE_MAX 16384u

enum area { AREA_RSI, AREA_RDI, AREA_STACK, AREA_CODE, AREAS };
enum view { VIEW_WRITABLE, VIEW_READABLE, VIEW_NONE, VIEWS };

/* The places of instructions: three, the last two near the first and almost 2 GiB away. */
enum place { PLACE_HOME, PLACE_NEAR, PLACE_FAR, PLACES };

struct machine {
	pid_t child;
	uint8_t *page[AREAS];	    /* our own mapping of each area's page */
	uint8_t *code[PLACES];	    /* and of the code pages */
	uint8_t xstate[XSTATE_MAX]; /* what an instruction starts with */
	size_t xstate_size;
};

/* What became of one instruction. */
enum outcome {
	DONE,	   /* it ended; the registers contain the place */
	FAULT,	   /* page fault at `address` */
	GP_FAULT,  /* general protection: misaligned, not canonical */
	UNDEFINED, /* the CPU does not have it */
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

/* The child's address of an area's page in a view; the guard pages are right before and after it. */
rfs_addr machine_page(enum area area, enum view view);
/* The address for code in a place. AREA_CODE is a page of data after PLACE_HOME, for RIP-relative operands. */
rfs_addr machine_place(enum place place);

/* Writes n bytes of code and an int3 after them, runs it from regs->rip (in that place) until it traps or faults. */
void machine_run(struct machine *machine, enum place place, const uint8_t *code, size_t n,
		 const struct user_regs_struct *regs, struct result *result);

/* For struct rfs_machine: vector and mask registers of the state that instructions start with; arg is the machine. */
int machine_vector(void *arg, int n, bool mask, void *out);
/* Reads the child's memory as it is now. 0 or -EFAULT. */
int machine_read(void *arg, rfs_addr address, void *buf, size_t n);
int machine_write(void *arg, rfs_addr address, const void *buf, size_t n);

#endif
