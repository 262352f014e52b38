/* once.c - pthread_once and the guards of C++ static locals. Each is one word in memory. */
#include "supervisor/model/once.h"

#include "disasm/addr.h"
#include "supervisor/model/memory.h"

/* From glibc's nptl/pthread_onceP.h. The bits above these count forks. */
#define ONCE_IN_PROGRESS 1
#define ONCE_DONE 2

/*
 * Bits of a guard of the Itanium C++ ABI, as libstdc++ lays it out on Linux. Byte 0: the initialisation is done; byte
 * 1: it is in progress.
 */
#define GUARD_DONE 1
#define GUARD_PENDING 0x100

enum rfs_once_state rfs_once_look(const struct rfs_model_memory *memory, rfs_addr once)
{
	int word = 0;

	if (!rfs_model_read(memory, once, &word, sizeof(word)))
		return RFS_ONCE_OPEN;
	if (word & ONCE_IN_PROGRESS)
		return RFS_ONCE_IN_PROGRESS;
	return word & ONCE_DONE ? RFS_ONCE_DONE : RFS_ONCE_OPEN;
}

enum rfs_once_state rfs_guard_look(const struct rfs_model_memory *memory, rfs_addr guard)
{
	int word = 0;

	if (!rfs_model_read(memory, guard, &word, sizeof(word)))
		return RFS_ONCE_OPEN;
	if (word & GUARD_DONE)
		return RFS_ONCE_DONE;
	return word & GUARD_PENDING ? RFS_ONCE_IN_PROGRESS : RFS_ONCE_OPEN;
}
