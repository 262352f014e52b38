/* filter.c - writes the seccomp program from the lists of calls that stop. */
#include "tracer/stops/filter-priv.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Numbers with this bit are x32 calls (__X32_SYSCALL_BIT of asm/unistd.h). */
#define X32_BIT 0x40000000u

/* Instructions of each filter, without the lists: 3 for the architecture, 5 for the number, 1 at the end. */
#define FRAME 9
/* Instructions of emit_maps(). */
#define MAPS 13
/* And for clone. */
#define CLONES 4

static size_t length(const int *list)
{
	size_t n = 0;

	while (list && list[n] >= 0)
		n++;
	return n;
}

/* Adds two instructions for each number of the list, a comparison and a return. No jump is then too far for its eight
 * bits. */
static struct sock_filter *emit_list(struct sock_filter *at, const int *list, uint32_t action)
{
	for (size_t i = 0, n = length(list); i < n; i++) {
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)list[i], 0, 1);
		*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	return at;
}

/*
 * Traces mmap of memory that others may see, that is for code, or that may replace memory of a file. Its protection and
 * flags are arguments 2 and 3. Also traces other calls after which shared memory may be elsewhere.
 */
static struct sock_filter *emit_maps(struct sock_filter *at)
{
	const struct sock_filter maps[MAPS] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 11, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_shmdt, 10, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 10),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 7, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_FIXED | MAP_ANONYMOUS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_FIXED | MAP_ANONYMOUS, 4, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED_VALIDATE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | RFS_FILTER_NATIVE),
	};

	for (size_t i = 0; i < MAPS; i++)
		*at++ = maps[i];
	return at;
}

/*
 * clone of a task that nobody traces. The task would not be under control, and its traced calls would fail. This stops
 * at its entry, so that the caller can refuse it.
 */
static struct sock_filter *emit_clones(struct sock_filter *at)
{
	const struct sock_filter clones[CLONES] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_UNTRACED, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | RFS_FILTER_NATIVE),
	};

	for (size_t i = 0; i < CLONES; i++)
		*at++ = clones[i];
	return at;
}

int rfs_filter_build(const struct rfs_launch *launch, struct sock_fprog *out)
{
	const struct sock_filter arch[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | RFS_FILTER_FOREIGN),
	};
	/* -1 has the x32 bit too, but it is just an invalid number, which the kernel refuses without our help */
	const struct sock_filter number[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | RFS_FILTER_X32),
	};
	size_t n = FRAME + MAPS + CLONES + 2 * (length(launch->traced) + length(launch->also) + length(launch->enosys));
	struct sock_filter *filter, *at;

	if (n > BPF_MAXINSNS)
		return -E2BIG;
	filter = calloc(n, sizeof(*filter));
	if (!filter)
		return -ENOMEM;
	at = filter;
	for (size_t i = 0; i < sizeof(arch) / sizeof(arch[0]); i++)
		*at++ = arch[i];
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		*at++ = number[i];
	at = emit_list(at, launch->enosys, SECCOMP_RET_ERRNO | ENOSYS);
	at = emit_list(at, launch->traced, SECCOMP_RET_TRACE | RFS_FILTER_NATIVE);
	at = emit_list(at, launch->also, SECCOMP_RET_TRACE | RFS_FILTER_NATIVE);
	if (launch->special_maps)
		at = emit_maps(at);
	if (launch->untraced_clones)
		at = emit_clones(at);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	out->filter = filter;
	out->len = (unsigned short)(at - filter);
	return 0;
}
