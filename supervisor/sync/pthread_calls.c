/*
 * pthread_calls.c - the pthread layer: breakpoints at the entries of the C library's thread functions.
 *
 * Each row of the table `calls` names a function and the handler that runs at its entry. The handler parks the
 * thread. Most calls then run natively, because the policy picks a thread only if its call returns at once. rfsup
 * itself carries out condition waits, signals and barriers (pthread_cond.c, pthread_sync.c).
 *
 * The C library also calls these functions for itself. An internal call may have to wait, so it is modelled, but it is
 * no visible operation. The library's C11 functions, such as mtx_lock(), only call the POSIX functions. A call that
 * such a C11 function makes counts as the program's own.
 */
#include "supervisor/sync/pthread_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/rewrite/asan.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/heap.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/ocaml_lock.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/sync/annotations.h"
#include "supervisor/sync/before_main.h"
#include "supervisor/sync/internal_calls.h"
#include "supervisor/sync/library_state.h"
#include "supervisor/sync/openmp_calls.h"
#include "supervisor/sync/openmp_layer.h"
#include "supervisor/sync/pthread_cond.h"
#include "supervisor/sync/pthread_init.h"
#include "supervisor/sync/pthread_lock.h"
#include "supervisor/sync/pthread_sync.h"
#include "supervisor/sync/pthread_thread.h"
#include "supervisor/sync/tbb_calls.h"
#include "tracer/module.h"
#include "tracer/patch.h"
#include "tracer/tracer.h"

#define MUTEX RFS_LOCK_MUTEX
#define READ RFS_LOCK_READ
#define WRITE RFS_LOCK_WRITE
#define SPIN RFS_LOCK_SPIN
#define ALLOCATOR (RFS_CALL_INTERNAL | RFS_CALL_HEAP | RFS_CALL_ALLOCATES)

static const struct rfs_call calls[] = {
	{"pthread_mutex_init", rfs_enter_init, RFS_OBJECT_MUTEX, 0},
	{"pthread_mutex_lock", rfs_enter_lock, MUTEX, RFS_CALL_INTERNAL | RFS_CALL_LOOKS},
	{"pthread_mutex_trylock", rfs_enter_trylock, MUTEX, RFS_CALL_LOOKS},
	{"pthread_mutex_timedlock", rfs_enter_timedlock, MUTEX, RFS_CALL_LOOKS},
	{"pthread_mutex_clocklock", rfs_enter_timedlock, MUTEX, RFS_CALL_LOOKS},
	{"pthread_mutex_unlock", rfs_enter_unlock, MUTEX, 0},
	{"pthread_mutex_destroy", rfs_enter_destroy, RFS_OBJECT_MUTEX, 0},
	{"pthread_rwlock_init", rfs_enter_init, RFS_OBJECT_RWLOCK, 0},
	{"pthread_rwlock_rdlock", rfs_enter_lock, READ, RFS_CALL_INTERNAL | RFS_CALL_LOOKS},
	{"pthread_rwlock_wrlock", rfs_enter_lock, WRITE, RFS_CALL_INTERNAL | RFS_CALL_LOOKS},
	{"pthread_rwlock_tryrdlock", rfs_enter_trylock, READ, RFS_CALL_LOOKS},
	{"pthread_rwlock_trywrlock", rfs_enter_trylock, WRITE, RFS_CALL_LOOKS},
	{"pthread_rwlock_timedrdlock", rfs_enter_timedlock, READ, RFS_CALL_LOOKS},
	{"pthread_rwlock_timedwrlock", rfs_enter_timedlock, WRITE, RFS_CALL_LOOKS},
	{"pthread_rwlock_clockrdlock", rfs_enter_timedlock, READ, RFS_CALL_LOOKS},
	{"pthread_rwlock_clockwrlock", rfs_enter_timedlock, WRITE, RFS_CALL_LOOKS},
	{"pthread_rwlock_unlock", rfs_enter_unlock, READ, 0},
	{"pthread_rwlock_destroy", rfs_enter_destroy, RFS_OBJECT_RWLOCK, 0},
	{"pthread_spin_lock", rfs_enter_lock, SPIN, RFS_CALL_INTERNAL | RFS_CALL_LOOKS},
	{"pthread_spin_trylock", rfs_enter_trylock, SPIN, RFS_CALL_LOOKS},
	{"pthread_spin_unlock", rfs_enter_unlock, SPIN, 0},
	{"pthread_spin_destroy", rfs_enter_destroy, RFS_OBJECT_SPIN, 0},
	{"pthread_cond_init", rfs_enter_init, RFS_OBJECT_COND, 0},
	{"pthread_cond_wait", rfs_enter_cond_wait, 0, RFS_CALL_INTERNAL},
	{"pthread_cond_timedwait", rfs_enter_cond_wait, 1, RFS_CALL_INTERNAL},
	{"pthread_cond_clockwait", rfs_enter_cond_wait, 2, RFS_CALL_INTERNAL},
	{"pthread_cond_signal", rfs_enter_cond_signal, RFS_OP_COND_SIGNAL, RFS_CALL_INTERNAL},
	{"pthread_cond_broadcast", rfs_enter_cond_signal, RFS_OP_COND_BROADCAST, RFS_CALL_INTERNAL},
	{"pthread_cond_destroy", rfs_enter_destroy, RFS_OBJECT_COND, 0},
	{"pthread_barrier_init", rfs_enter_init, RFS_OBJECT_BARRIER, 0},
	{"pthread_barrier_wait", rfs_enter_barrier, 0, 0},
	{"pthread_barrier_destroy", rfs_enter_destroy, RFS_OBJECT_BARRIER, 0},
	{"pthread_once", rfs_enter_once, 0, RFS_CALL_INTERNAL},
	{"sem_init", rfs_enter_init, RFS_OBJECT_SEMAPHORE, 0},
	{"sem_destroy", rfs_enter_destroy, RFS_OBJECT_SEMAPHORE, 0},
	{"sem_wait", rfs_enter_sem_wait, 0, RFS_CALL_LOOKS},
	{"sem_timedwait", rfs_enter_sem_wait, 1, RFS_CALL_LOOKS},
	{"sem_clockwait", rfs_enter_sem_wait, 2, RFS_CALL_LOOKS},
	{"sem_trywait", rfs_enter_sem_wait, 3, RFS_CALL_LOOKS},
	{"sem_post", rfs_enter_sem_post, 0, 0},
	{"sem_getvalue", rfs_enter_sem_value, 0, 0},
	{"pthread_mutexattr_settype", rfs_enter_attribute, RFS_ATTRIBUTE_TYPE, 0},
	{"pthread_mutexattr_setpshared", rfs_enter_attribute, RFS_ATTRIBUTE_SHARED, 0},
	{"pthread_mutexattr_setprotocol", rfs_enter_attribute, RFS_ATTRIBUTE_PROTOCOL, 0},
	{"pthread_mutexattr_setrobust", rfs_enter_attribute, RFS_ATTRIBUTE_ROBUST, 0},
	{"pthread_mutexattr_setprioceiling", rfs_enter_attribute, RFS_ATTRIBUTE_CEILING, 0},
	{"pthread_rwlockattr_setpshared", rfs_enter_attribute, RFS_ATTRIBUTE_SHARED, 0},
	{"pthread_rwlockattr_setkind_np", rfs_enter_attribute, RFS_ATTRIBUTE_PREFERENCE, 0},
	{"pthread_condattr_setpshared", rfs_enter_attribute, RFS_ATTRIBUTE_SHARED, 0},
	{"pthread_barrierattr_setpshared", rfs_enter_attribute, RFS_ATTRIBUTE_SHARED, 0},
	{"longjmp", rfs_enter_jump, 0, RFS_CALL_INTERNAL | RFS_CALL_PREDICTS},
	{"__longjmp_chk", rfs_enter_jump, 0, RFS_CALL_INTERNAL | RFS_CALL_PREDICTS},
	{"pthread_create", rfs_enter_create, 0, 0},
	{"pthread_join", rfs_enter_join, 0, 0},
	{"pthread_tryjoin_np", rfs_enter_join, 1, 0},
	{"pthread_timedjoin_np", rfs_enter_join, 2, 0},
	{"pthread_clockjoin_np", rfs_enter_join, 3, 0},
	{"pthread_detach", rfs_enter_detach, 0, 0},
	{"thrd_create", rfs_enter_create, 1, 0},
	{"thrd_join", rfs_enter_join, 0, 0},
	{"thrd_detach", rfs_enter_detach, 0, 0},
	{"pthread_cancel", rfs_enter_cancel, 0, 0},
	{"pthread_setcancelstate", rfs_enter_cancel_state, 0, RFS_CALL_INTERNAL},
	{"__cxa_guard_acquire", rfs_enter_guard, 0, 0},
	{"__cxa_guard_release", rfs_enter_guard, 1, 0},
	{"__libc_start_main", rfs_enter_start_main, 0, RFS_CALL_INTERNAL},
	{"mmap", rfs_enter_mmap, 0, RFS_CALL_INTERNAL | RFS_CALL_MAPS},
};

/* The heap: of the C library, or of a library that replaces it. */
static const struct rfs_call heap_calls[] = {
	{"malloc", rfs_enter_allocate, 0, ALLOCATOR},
	{"calloc", rfs_enter_allocate, 1, ALLOCATOR},
	{"realloc", rfs_enter_allocate, 2, ALLOCATOR},
	{"aligned_alloc", rfs_enter_allocate, 3, ALLOCATOR},
	{"memalign", rfs_enter_allocate, 3, ALLOCATOR},
	{"posix_memalign", rfs_enter_allocate, 4, ALLOCATOR},
	{"valloc", rfs_enter_allocate, 0, ALLOCATOR},
	{"pvalloc", rfs_enter_allocate, 0, ALLOCATOR},
	{"free", rfs_enter_free, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
};

/*
 * GLib's GMutex is a word with a futex; 0: free (glib/gthread-posix.c). access/word_locks.c cannot recognise it,
 * because GLib is not watched. GLib's other locks use locks of the C library.
 */
static const struct rfs_call glib_calls[] = {
	{"g_mutex_lock", rfs_enter_lock, RFS_LOCK_WORD, RFS_CALL_LOOKS},
	{"g_mutex_trylock", rfs_enter_trylock, RFS_LOCK_WORD, RFS_CALL_LOOKS},
	{"g_mutex_unlock", rfs_enter_unlock, RFS_LOCK_WORD, 0},
};

/*
 * The lock of a stream. In a static program, these functions are code of the program, in which access/word_locks.c
 * recognises the lock.
 */
static const struct rfs_call stream_calls[] = {
	{"flockfile", rfs_enter_lock, RFS_LOCK_STREAM, RFS_CALL_LOOKS},
	{"ftrylockfile", rfs_enter_trylock, RFS_LOCK_STREAM, RFS_CALL_LOOKS},
	{"funlockfile", rfs_enter_unlock, RFS_LOCK_STREAM, 0},
};

/* Functions of the library that unwinds stacks for exceptions. It may be a part of any module. */
static const struct rfs_call unwind_calls[] = {
	{"_Unwind_RaiseException", rfs_enter_jump, 0, RFS_CALL_INTERNAL | RFS_CALL_PREDICTS},
	{"_Unwind_Resume_or_Rethrow", rfs_enter_jump, 0, RFS_CALL_INTERNAL | RFS_CALL_PREDICTS},
	{"_Unwind_ForcedUnwind", rfs_enter_thread_unwind, 0, RFS_CALL_INTERNAL},
};

/* Allocators of C++ in a sanitizer's runtime, which do not call malloc. Those of the C++ library do. */
static const struct rfs_call sanitizer_calls[] = {
	{"_Znwm", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
	{"_Znam", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
	{"_ZnwmRKSt9nothrow_t", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
	{"_ZnamRKSt9nothrow_t", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
	{"_ZnwmSt11align_val_t", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
	{"_ZnamSt11align_val_t", rfs_enter_allocate, 0, RFS_CALL_INTERNAL | RFS_CALL_HEAP},
};

/* OpenMP, and what threads share in the C library, are followed in the program alone. */
static bool is_followed_in_processes(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_call *call)
{
	if (call->flags & RFS_CALL_OPENMP)
		rfs_family_uses_openmp(run, thread);
	return !(call->flags & (RFS_CALL_OPENMP | RFS_CALL_SHARES | RFS_CALL_HANDLERS));
}

enum rfs_then rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	bool internal = false;

	if (thread->process && !is_followed_in_processes(run, thread, call))
		return RFS_THEN_EXECUTE;
	rfs_target_memory_prefetch(run, thread, call->flags & RFS_CALL_LOOKS);
	if (!(call->flags & RFS_CALL_INTERNAL) && rfs_call_is_internal(run, rfs_call_back(run, thread)))
		internal = true;
	if ((call->flags & RFS_CALL_OPENMP) && rfs_openmp_calls_itself(run, thread))
		internal = true;
	if (internal || thread->state == RFS_STATE_EMBRYO)
		return RFS_THEN_EXECUTE;
	return call->enter(run, thread, call);
}

static void pthread_calls_remember(const struct rfs_module *module, const char *name, rfs_addr *out)
{
	rfs_addr vaddr;

	if (*out == 0 && rfs_elf_symbol(module->elf, name, &vaddr, NULL))
		*out = vaddr + module->bias;
}

/* A function of the table in this module. */
struct place {
	rfs_addr address;
	const struct rfs_call *call;
};

static int pthread_calls_compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	/* if a function has several names, its first row in the table counts */
	return left->call < right->call ? -1 : left->call > right->call;
}

/* Whether this run needs the function. */
static bool pthread_calls_is_wanted(const struct rfs_run *run, const struct rfs_call *row)
{
	if (row->flags & RFS_CALL_PREDICTS)
		return run->spec->detector;
	if ((row->flags & RFS_CALL_HANDLERS) && rfs_unsafe_calls_noted(run))
		return true;
	if (row->flags & (RFS_CALL_SHARES | RFS_CALL_HANDLERS))
		return (row->flags & RFS_CALL_SHARES) && rfs_shared_noted(run->spec);
	if (row->flags & RFS_CALL_MAPS)
		return rfs_faults_possible(run, RFS_FAULT_MMAP);
	if ((row->flags & RFS_CALL_ALLOCATES) && rfs_faults_possible(run, RFS_FAULT_MALLOC))
		return true;
	return !(row->flags & RFS_CALL_HEAP) || run->heap.tracked;
}

/* Sets breakpoints at the functions of the module that these rows name. */
static void watch_calls_of(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_elf *elf, uint64_t bias,
			   const struct rfs_call *rows, size_t n_rows)
{
	struct place *places = xcalloc(n_rows, sizeof(*places));
	rfs_addr *addresses = xcalloc(n_rows, sizeof(*addresses));
	struct rfs_hook **hooks;
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		rfs_addr vaddr;

		if (!pthread_calls_is_wanted(run, &rows[i]))
			continue;
		if (!rfs_elf_symbol(elf, rows[i].name, &vaddr, NULL))
			continue;
		if (!rfs_recorded_calls_claim(run, vaddr + bias, &rows[i]))
			places[n++] = (struct place){vaddr + bias, &rows[i]};
	}
	if (n)
		qsort(places, n, sizeof(*places), pthread_calls_compare_places);
	for (size_t i = 0; i < n; i++)
		addresses[i] = places[i].address;
	hooks = rfs_hooks_at(run, thread->task, addresses, n);
	for (size_t i = 0; i < n; i++) {
		if (hooks[i] && !hooks[i]->call)
			hooks[i]->call = places[i].call;
		else if (!hooks[i]) /* no breakpoint could be set at this function, so its stub must not trap either */
			rfs_patches_remove(rfs_task_space(thread->task), addresses[i], addresses[i] + 1);
	}
	free(hooks);
	free(addresses);
	free(places);
}

static void watch_calls(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module,
			const struct rfs_call *rows, size_t n_rows)
{
	watch_calls_of(run, thread, module->elf, module->bias, rows, n_rows);
}

/* A sanitizer's runtime has its own heap. */
static void watch_heap(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module,
		       const struct rfs_call *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct rfs_hook *hook;
		rfs_addr vaddr;

		if (!(list[i].flags & RFS_CALL_HEAP) || !rfs_elf_symbol(module->elf, list[i].name, &vaddr, NULL))
			continue;
		hook = rfs_hook_at(run, thread->task, vaddr + module->bias);
		if (hook && !hook->call)
			hook->call = &list[i];
	}
}

bool rfs_pthread_is_libc(const char *path)
{
	const char *name = rfs_base_name(path);

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-2", 6) == 0 ||
	       strncmp(name, "libpthread", 10) == 0;
}

/* Whether the library has a malloc() and a free() of its own, which take the place of those of the C library. */
static bool replaces_heap(const struct rfs_elf *elf)
{
	return rfs_elf_symbol(elf, "malloc", NULL, NULL) && rfs_elf_symbol(elf, "free", NULL, NULL);
}

void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module)
{
	const char *name = rfs_base_name(module->path);
	struct rfs_module_info *info = module->data;
	bool program = info->program;
	const struct rfs_call *rows;
	size_t n_rows;

	info->interpreter = module->is_interpreter;
	info->libc = module->is_interpreter || rfs_pthread_is_libc(module->path) || strncmp(name, "ld-", 3) == 0;
	rfs_ocaml_lock_find(run, module);
	if (!info->libc) {
		rfs_annotations_add_module(run, thread, module);
		watch_calls(run, thread, module, unwind_calls, sizeof(unwind_calls) / sizeof(*unwind_calls));
	}
	if (run->heap.tracked && (rfs_sanitizer_runtime_in(module->elf) || strcmp(name, "rfsup-guard.so") == 0)) {
		watch_heap(run, thread, module, heap_calls, sizeof(heap_calls) / sizeof(*heap_calls));
		watch_heap(run, thread, module, sanitizer_calls, sizeof(sanitizer_calls) / sizeof(*sanitizer_calls));
	} else if (run->heap.tracked && !info->libc && !program && replaces_heap(module->elf)) {
		info->allocates = true;
		rfs_stubs_add_allocators(run, thread, module);
		watch_calls(run, thread, module, heap_calls, sizeof(heap_calls) / sizeof(*heap_calls));
	}
	/*
	 * If a dynamically linked program has functions with these names, they are its own and not the C library's, so
	 * ignore them. A static program contains the C library's functions.
	 */
	if (module->is_interpreter || (program && rfs_elf_interpreter(module->elf)))
		return;
	if (info->openmp || info->libc)
		rfs_openmp_add_module(run, thread, module);
	if (info->openmp) {
		n_rows = rfs_openmp_calls(&rows);
		watch_calls(run, thread, module, rows, n_rows);
		return;
	}
	if (program || strncmp(name, "libglib-2.0", 11) == 0)
		watch_calls(run, thread, module, glib_calls, sizeof(glib_calls) / sizeof(*glib_calls));
	if (run->spec->detector && strncmp(name, "libtbb.so", 9) == 0) {
		n_rows = rfs_tbb_calls(&rows);
		watch_calls(run, thread, module, rows, n_rows);
	}
	if (!info->libc && !program && strncmp(name, "libstdc++", 9) != 0)
		return;
	rfs_stubs_add_allocators(run, thread, module);
	rfs_stubs_add_locks(run, thread, module);
	watch_calls(run, thread, module, calls, sizeof(calls) / sizeof(*calls));
	watch_calls(run, thread, module, heap_calls, sizeof(heap_calls) / sizeof(*heap_calls));
	if (info->libc)
		watch_calls(run, thread, module, stream_calls, sizeof(stream_calls) / sizeof(*stream_calls));
	n_rows = rfs_library_state_calls(&rows);
	watch_calls(run, thread, module, rows, n_rows);
	if (program && !run->main_reached && !rfs_elf_symbol(module->elf, "__libc_start_main", &(rfs_addr){0}, NULL))
		rfs_seed_counts(run);
	if (info->libc || program) {
		if (!run->pthread)
			run->pthread = xcalloc(1, sizeof(*run->pthread));
		pthread_calls_remember(module, "pthread_mutex_lock", &run->pthread->lock);
		pthread_calls_remember(module, "pthread_mutex_unlock", &run->pthread->unlock);
		pthread_calls_remember(module, "pthread_testcancel", &run->pthread->testcancel);
	}
}

void rfs_pthread_watch_handlers(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_call *rows;
	size_t n_rows = rfs_library_state_calls(&rows);

	rfs_unsafe_calls_begin(run);
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];
		const bool whole = info->program && !rfs_elf_interpreter(info->elf);

		if (!info->gone && !info->interpreter && (info->libc || whole || rfs_is_cxx_library(info)))
			watch_calls_of(run, thread, info->elf, info->bias, rows, n_rows);
	}
}

void rfs_pthread_copy(const struct rfs_run *from, struct rfs_run *to)
{
	if (!from->pthread)
		return;
	to->pthread = xcalloc(1, sizeof(*to->pthread));
	*to->pthread = *from->pthread;
}

void rfs_pthread_release(struct rfs_run *run)
{
	free(run->pthread);
	run->pthread = NULL;
	rfs_openmp_release(run);
}
