/* op.c - names and properties of kinds of operations. What depends on what is in dependence.c. */
#include "policy/core/op.h"

#include "policy/policy.h"

const char *rfs_op_name(enum rfs_op_kind kind)
{
	static const char *const names[RFS_OP_COUNT] = {
		[RFS_OP_NONE] = "none",
		[RFS_OP_START] = "start",
		[RFS_OP_CREATE] = "create",
		[RFS_OP_EXIT] = "exit",
		[RFS_OP_JOIN] = "join",
		[RFS_OP_KILL] = "kill",
		[RFS_OP_LOCK] = "lock",
		[RFS_OP_RDLOCK] = "rdlock",
		[RFS_OP_WRLOCK] = "wrlock",
		[RFS_OP_TRYLOCK] = "trylock",
		[RFS_OP_UNLOCK] = "unlock",
		[RFS_OP_COND_WAIT] = "cond-wait",
		[RFS_OP_COND_WAKE] = "cond-wake",
		[RFS_OP_COND_SIGNAL] = "cond-signal",
		[RFS_OP_COND_BROADCAST] = "cond-broadcast",
		[RFS_OP_SEM_WAIT] = "sem-wait",
		[RFS_OP_SEM_TRYWAIT] = "sem-trywait",
		[RFS_OP_SEM_POST] = "sem-post",
		[RFS_OP_SEM_VALUE] = "sem-getvalue",
		[RFS_OP_BARRIER_WAIT] = "barrier-wait",
		[RFS_OP_BARRIER_ARRIVE] = "barrier-arrive",
		[RFS_OP_BARRIER_LEAVE] = "barrier-leave",
		[RFS_OP_ONCE] = "once",
		[RFS_OP_DESTROY] = "destroy",
		[RFS_OP_FUTEX_WAIT] = "futex-wait",
		[RFS_OP_FUTEX_SLEEP] = "futex-sleep",
		[RFS_OP_FUTEX_WAKE] = "futex-wake",
		[RFS_OP_YIELD] = "yield",
		[RFS_OP_SLEEP] = "sleep",
		[RFS_OP_ACCESS] = "access",
		[RFS_OP_SPIN_READ] = "spin-read",
		[RFS_OP_SYSCALL] = "syscall",
		[RFS_OP_KERNEL] = "kernel",
		[RFS_OP_POINT] = "point",
	};

	/* The compiler may make the enum signed or unsigned. The cast catches negative values too. */
	if ((unsigned)kind >= RFS_OP_COUNT)
		return "?";
	return names[kind];
}

bool rfs_is_store_buffer(const struct rfs_thread_view *thread)
{
	return thread->thread >= RFS_STORE_BUFFER && (thread->next.access & RFS_ACCESS_FLUSH);
}

bool rfs_op_is_access(enum rfs_op_kind kind)
{
	return kind == RFS_OP_ACCESS || kind == RFS_OP_SPIN_READ;
}

bool rfs_op_is_instruction(enum rfs_op_kind kind)
{
	return rfs_op_is_access(kind) || kind == RFS_OP_YIELD;
}

static bool op_is_write(const struct rfs_op *op)
{
	return op->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
}

bool rfs_ops_race(const struct rfs_op *a, const struct rfs_op *b)
{
	bool pair = ((a->statements & 1) && (b->statements & 2)) || ((a->statements & 2) && (b->statements & 1));
	bool atomic = a->access & b->access & RFS_ACCESS_ATOMIC;
	/* The differences wrap around, so the result is also right for a range that ends at the top of memory. */
	bool overlap = a->object - b->object < b->size || b->object - a->object < a->size;

	return rfs_op_is_access(a->kind) && rfs_op_is_access(b->kind) && pair && overlap && !atomic &&
	       (op_is_write(a) || op_is_write(b));
}
