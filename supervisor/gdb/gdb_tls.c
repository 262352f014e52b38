/*
 * gdb_tls.c - finds the address of a thread-local variable (ELF Handling For Thread-Local Storage, sections 3 and 4,
 * variant II).
 *
 * Each module has a block of thread-local variables in each thread. gdb gives the offset of the variable in the block,
 * and the address of the module's struct link_map. struct link_map contains the number of the module. If all threads
 * have the block at the same distance from the thread pointer, struct link_map also contains this distance.
 *
 * The layout of these structs differs between versions of glibc. glibc describes it in variables for libthread_db
 * (nptl_db/db_info.c), which this file reads. Each variable describes one field: its bits, its count, and its offset
 * in bytes.
 */
#include <errno.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"

/*
 * Two values of l_tls_offset mean that the module's block is not at a fixed distance from the thread pointer
 * (NO_TLS_OFFSET and FORCED_DYNAMIC_TLS_OFFSET of glibc).
 */
#define NO_PLACE 0
#define NEVER_A_PLACE UINT64_MAX
/* The value of dtv[i].pointer.val if the thread has not used the block yet (TLS_DTV_UNALLOCATED). */
#define UNALLOCATED UINT64_MAX

struct descriptor {
	uint32_t bits, count, offset;
};

static bool gdb_tls_describe(const struct rfs_run *run, const char *name, struct descriptor *out)
{
	rfs_addr vaddr;

	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *m = run->modules[i];

		if (!m->gone && m->elf && (m->libc || m->program) && rfs_elf_symbol(m->elf, name, &vaddr, NULL))
			return rfs_peek(run, m->bias + vaddr, out, sizeof(*out));
	}
	return false;
}

static bool field(const struct rfs_run *run, rfs_addr object, const char *name, uint64_t *out)
{
	struct descriptor d;

	*out = 0;
	return gdb_tls_describe(run, name, &d) && d.bits <= 64 && rfs_peek(run, object + d.offset, out, d.bits / 8);
}

int rfs_gdb_tls(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr map, uint64_t offset,
		rfs_addr *out)
{
	struct descriptor dtv, value;
	uint64_t module, place, vector, block;

	if (!thread->tls || !map || !field(run, map, "_thread_db_link_map_l_tls_modid", &module) || module == 0)
		return -ENOENT;
	/*
	 * the program, and libraries that are loaded at its start, have their blocks at a fixed distance from the
	 * thread pointer
	 */
	if (field(run, map, "_thread_db_link_map_l_tls_offset", &place) && place != NO_PLACE &&
	    place != NEVER_A_PLACE) {
		*out = thread->tls - place + offset;
		return 0;
	}
	if (!field(run, thread->tls, "_thread_db_pthread_dtvp", &vector) ||
	    !gdb_tls_describe(run, "_thread_db_dtv_dtv", &dtv) ||
	    !gdb_tls_describe(run, "_thread_db_dtv_t_pointer_val", &value) ||
	    !rfs_peek(run, vector + module * (dtv.bits / 8) + value.offset, &block, sizeof(block)))
		return -ENOENT;
	if (block == UNALLOCATED || block == 0)
		return -ENODATA;
	*out = block + offset;
	return 0;
}
