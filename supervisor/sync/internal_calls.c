/* internal_calls.c - tells the calls that the C library makes for itself from those of the program. */
#include "supervisor/sync/internal_calls.h"
#include "supervisor/base/memory_name.h"

#include <stddef.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/state/core/modules.h"

/*
 * Prefixes of C11 functions that only call the POSIX function of the same purpose. thrd_create() and thrd_join() are
 * not listed, because they have rows in the table: their inner call would be a second operation.
 */
static const char *const shells[] = {"mtx_", "cnd_", "call_once"};

/*
 * Names of functions that belong to the C library. In a static program, only its name shows that a function belongs to
 * the C library.
 */
static const char *const static_internals[] = {
	"_dl_",		"__libc_",	   "_IO_",	     "__pthread_",    "__nptl_",	 "_nl_",
	"__gconv",	"__run_exit",	   "__cxa_finalize", "__tunable",     "pthread_mutex",	 "pthread_rwlock",
	"pthread_cond", "pthread_barrier", "pthread_spin_",  "pthread_attr_", "pthread_getattr", "pthread_setattr",
};
/* A function of the program may begin with the same letters, so these are whole names. */
static const char *const static_names[] = {
	"exit",
	"pthread_create",
	"pthread_join",
	"pthread_tryjoin_np",
	"pthread_timedjoin_np",
	"pthread_clockjoin_np",
	"pthread_exit",
	"pthread_once",
	"pthread_cancel",
	"pthread_detach",
	"pthread_testcancel",
	"pthread_setcancelstate",
	"pthread_setcanceltype",
	"pthread_kill",
	"pthread_sigqueue",
	"pthread_key_create",
	"pthread_key_delete",
	"pthread_setspecific",
	"pthread_getspecific",
	"pthread_atfork",
};

/* The same for its variables. These prefixes are reserved, so no variable of the program has them. */
static const char *const static_objects[] = {"_dl_", "_nl_", "__libc_", "__gconv_", "__timer_"};

static bool starts_with_any(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_of_static_library(const char *name)
{
	for (size_t i = 0; i < sizeof(static_names) / sizeof(*static_names); i++)
		if (strcmp(name, static_names[i]) == 0)
			return true;
	return starts_with_any(name, static_internals, sizeof(static_internals) / sizeof(*static_internals));
}

/*
 * Whether the call instruction before `back` contains the address of the called function (call rel32), or calls through
 * a pointer at a fixed address (call *disp(%rip), in the loader). The C library calls its own functions with such
 * instructions.
 *
 * The library calls functions of the program through a register or a table. If such a function ends with a jump to a
 * thread function, the return address on the stack is in the library. The jump still counts as a call by the program.
 *
 * The code is read from the file, which has the same bytes as memory.
 */
static bool called_directly(const struct rfs_module_info *m, rfs_addr back)
{
	unsigned char code[6] = {0};

	if (rfs_elf_read(m->elf, back - m->bias - sizeof(code), code, sizeof(code)) != sizeof(code))
		return false;
	return code[1] == 0xe8 || (code[0] == 0xff && code[1] == 0x15);
}

bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back)
{
	const struct rfs_module_info *m = rfs_info_at(run, back);
	const struct rfs_function *f;

	if (!m)
		return false;
	if (!m->libc && rfs_elf_interpreter(m->elf) == NULL && m->program) {
		f = rfs_elf_function_at(m->elf, back - m->bias);
		return f && f->name && is_of_static_library(f->name);
	}
	if (!m->libc || !called_directly(m, back))
		return false;
	f = rfs_elf_function_at(m->elf, back - m->bias);
	return !(f && f->name && starts_with_any(f->name, shells, sizeof(shells) / sizeof(*shells)));
}

bool rfs_object_is_internal(const struct rfs_run *run, rfs_addr object)
{
	const struct rfs_module_info *m;
	const char *name;
	uint64_t offset;

	object = rfs_memory_address(object);
	m = rfs_info_at(run, object);
	if (!m || m->libc)
		return m;
	if (!m->program || rfs_elf_interpreter(m->elf))
		return false;
	name = rfs_elf_object_at(m->elf, object - m->bias, &offset);
	return name && starts_with_any(name, static_objects, sizeof(static_objects) / sizeof(*static_objects));
}
