/*
 * The gate page: the one page of our own code that every program gets before its first instruction.
 *
 *         +0    0f 05        syscall
 *         +2    cc           int3: the injected call is done
 *         +64   cc           trampoline 0
 *         +80   cc           trampoline 1 …
 *         +512               the loop of forker.c
 */
#include "tracer/places/trampoline-priv.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/inject-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tracer.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define TRAMPOLINE_OFFSET 64
#define TRAMPOLINE_STEP 16
static const unsigned char gate_code[RFS_GATE_END] = {0x0f, 0x05, 0xcc};

/*
 * Addresses to try for the gate page, in this order. They are below the lowest position-independent program (2/3 of the
 * address space, 0x555555554000), and above anything that a non-PIE program reaches. Address sanitizers leave these
 * ranges to the application.
 */
static const rfs_addr gates[] = {0x550000000000, 0x550010000000, 0x540000000000, 0x530000000000};

/* Maps the page by a system call of the target. That call needs a gate too, so a temporary one is written over the
 * program's first instructions. This is safe because no task runs yet. */
static rfs_addr map_gate(struct rfs_task *task)
{
	struct rfs_space *space = task->space;
	rfs_addr start = rfs_task_regs(task)->rip, found = 0;
	unsigned char saved[sizeof(gate_code)];

	if (rfs_space_peek(space, start, saved, sizeof(saved)) ||
	    rfs_space_poke(space, start, gate_code, sizeof(gate_code)))
		return 0;
	space->gate = start;
	for (size_t i = 0; !found && i < sizeof(gates) / sizeof(gates[0]); i++) {
		const unsigned long args[6] = {gates[i],
					       RFS_PAGE,
					       PROT_READ | PROT_EXEC,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
					       (unsigned long)-1,
					       0};
		long result;

		if (rfs_task_inject(task, SYS_mmap, args, &result))
			break;
		/* kernels before 4.17 ignore MAP_FIXED_NOREPLACE and may choose another address */
		if (result > 0 && (rfs_addr)result == gates[i])
			found = gates[i];
	}
	space->gate = 0;
	return rfs_space_poke(space, start, saved, sizeof(saved)) ? 0 : found;
}

void rfs_trampoline_open(struct rfs_task *task)
{
	unsigned char page[TRAMPOLINE_OFFSET + RFS_TRAMPOLINES * TRAMPOLINE_STEP];
	struct rfs_space *space = task->space;
	rfs_addr gate = map_gate(task);

	if (!gate)
		return;
	memset(page, 0xcc, sizeof(page));
	memcpy(page, gate_code, sizeof(gate_code));
	if (rfs_space_poke(space, gate, page, sizeof(page)))
		return;
	space->gate = gate;
	space->places->trampolines = gate + TRAMPOLINE_OFFSET;
}

rfs_addr rfs_space_trampoline(struct rfs_task *task, int i)
{
	if (!task->space->places->trampolines || i < 0 || i >= RFS_TRAMPOLINES)
		return 0;
	return task->space->places->trampolines + (rfs_addr)i * TRAMPOLINE_STEP;
}

bool rfs_is_trampoline(const struct rfs_space *space, rfs_addr address)
{
	rfs_addr distance = address - space->places->trampolines;

	return space->places->trampolines && distance < (rfs_addr)RFS_TRAMPOLINES * TRAMPOLINE_STEP &&
	       distance % TRAMPOLINE_STEP == 0;
}
