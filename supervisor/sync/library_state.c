/* library_state.c - the table of functions with the state of each, which is passed on as a touch. */
#include "supervisor/sync/library_state.h"

#include <string.h>
#include <sys/mman.h>

#include "disasm/elf/elf.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/shared_things.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

/* Which state, in the parameter of a row, beside the effect. */
enum {
	LOOKS = RFS_SHARED_LOOKS,
	CHANGES = RFS_SHARED_CHANGES,
	EFFECTS = 15,
	ENVIRONMENT = 1 << 4,
	RANDOM = 2 << 4,
	TOKENS = 3 << 4,
	TIME = 4 << 4,
	LOCALE = 5 << 4,
	BUFFERS = 6 << 4, /* of results, all together */
	HANDLERS = 7 << 4,
	LOADER = 8 << 4,
	KEYS = 9 << 4,
};

/* Where the descriptor is in a FILE of glibc (struct_FILE.h). */
#define FILE_DESCRIPTOR 112

static void library_state_note(struct rfs_run *run, const struct rfs_thread *thread, uint64_t detail,
			       enum rfs_shared_effect effect)
{
	rfs_shared_note(
		run, thread,
		&(struct rfs_shared_touch){.thing = RFS_SHARED_LIBRARY, .effect = effect, .detail = detail, .fd = -1});
}

static enum rfs_then library_state_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	library_state_note(run, thread, (unsigned)call->param & ~(unsigned)EFFECTS,
			   (enum rfs_shared_effect)(call->param & EFFECTS));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then library_state_enter_object(struct rfs_run *run, struct rfs_thread *thread,
						const struct rfs_call *call)
{
	(void)call;
	library_state_note(run, thread, rfs_task_regs(thread->task)->rdi, RFS_SHARED_CHANGES);
	return RFS_THEN_EXECUTE;
}

/* The parameter says which argument is the stream. In what order the lines of a standard stream are shows nowhere. */
static enum rfs_then library_state_enter_stream(struct rfs_run *run, struct rfs_thread *thread,
						const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const rfs_addr arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};
	const rfs_addr stream = arguments[call->param];
	int32_t fd = -1;

	if (!rfs_peek(run, stream + FILE_DESCRIPTOR, &fd, sizeof(fd)) || fd < 0 || fd > 2)
		library_state_note(run, thread, stream, RFS_SHARED_CHANGES);
	return RFS_THEN_EXECUTE;
}

/* Which memory threads use is not followed, so a change of the mappings may meet any thread. */
static enum rfs_then library_state_enter_mapping(struct rfs_run *run, struct rfs_thread *thread,
						 const struct rfs_call *call)
{
	if (!call->param || (rfs_task_regs(thread->task)->rcx & MAP_FIXED))
		run->result->shares_calls |= !rfs_shared_is_alone(run);
	return RFS_THEN_EXECUTE;
}

static const struct rfs_call calls[] = {
	{"getenv", library_state_enter, ENVIRONMENT | LOOKS, RFS_CALL_SHARES},
	{"secure_getenv", library_state_enter, ENVIRONMENT | LOOKS, RFS_CALL_SHARES},
	{"setenv", library_state_enter, ENVIRONMENT | CHANGES, RFS_CALL_SHARES},
	{"unsetenv", library_state_enter, ENVIRONMENT | CHANGES, RFS_CALL_SHARES},
	{"putenv", library_state_enter, ENVIRONMENT | CHANGES, RFS_CALL_SHARES},
	{"clearenv", library_state_enter, ENVIRONMENT | CHANGES, RFS_CALL_SHARES},
	{"rand", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"srand", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"random", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"srandom", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"initstate", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"setstate", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"drand48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"lrand48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"mrand48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"srand48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"seed48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"lcong48", library_state_enter, RANDOM | CHANGES, RFS_CALL_SHARES},
	{"strtok", library_state_enter, TOKENS | CHANGES, RFS_CALL_SHARES},
	{"gmtime", library_state_enter, TIME | CHANGES, RFS_CALL_SHARES},
	{"localtime", library_state_enter, TIME | CHANGES, RFS_CALL_SHARES},
	{"asctime", library_state_enter, TIME | CHANGES, RFS_CALL_SHARES},
	{"ctime", library_state_enter, TIME | CHANGES, RFS_CALL_SHARES},
	{"setlocale", library_state_enter, LOCALE | CHANGES, RFS_CALL_SHARES},
	{"localeconv", library_state_enter, LOCALE | LOOKS, RFS_CALL_SHARES},
	{"nl_langinfo", library_state_enter, LOCALE | LOOKS, RFS_CALL_SHARES},
	{"getpwnam", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getpwuid", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getpwent", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"setpwent", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getgrnam", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getgrgid", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getgrent", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"setgrent", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"gethostbyname", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"gethostbyaddr", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getservbyname", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getservbyport", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getprotobyname", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getlogin", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"ttyname", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"ptsname", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"crypt", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"ecvt", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"fcvt", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"l64a", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"hcreate", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"hdestroy", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"hsearch", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"tmpnam", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getopt", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getopt_long", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getopt_long_only", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"mblen", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"mbtowc", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"wctomb", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"getmntent", library_state_enter, BUFFERS | CHANGES, RFS_CALL_SHARES},
	{"at_quick_exit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"on_exit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"__cxa_atexit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"pthread_atfork", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"pthread_key_create", library_state_enter, KEYS | CHANGES, RFS_CALL_SHARES},
	{"tss_create", library_state_enter, KEYS | CHANGES, RFS_CALL_SHARES},
	{"dlopen", library_state_enter, LOADER | CHANGES, RFS_CALL_SHARES},
	{"dlclose", library_state_enter, LOADER | CHANGES, RFS_CALL_SHARES},
	{"dlsym", library_state_enter, LOADER | LOOKS, RFS_CALL_SHARES},
	{"dlvsym", library_state_enter, LOADER | LOOKS, RFS_CALL_SHARES},
	{"dl_iterate_phdr", library_state_enter, LOADER | LOOKS, RFS_CALL_SHARES},
	{"fprintf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"vfprintf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"__fprintf_chk", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"__vfprintf_chk", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fscanf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"__isoc99_fscanf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"__isoc23_fscanf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"vfscanf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fgetc", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"getc", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"_IO_getc", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fgetc_unlocked", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"getc_unlocked", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fclose", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fflush", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fflush_unlocked", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fseek", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fseeko", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"ftell", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"ftello", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"rewind", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fgetpos", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fsetpos", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"setvbuf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"setbuf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"setlinebuf", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"feof", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"ferror", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"clearerr", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"feof_unlocked", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fgetwc", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"getwc", library_state_enter_stream, 0, RFS_CALL_SHARES},
	{"fputs", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fputs_unlocked", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fputc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"putc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"_IO_putc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fputc_unlocked", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"putc_unlocked", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"ungetc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fputws", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fputwc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"putwc", library_state_enter_stream, 1, RFS_CALL_SHARES},
	{"fgets", library_state_enter_stream, 2, RFS_CALL_SHARES},
	{"fgets_unlocked", library_state_enter_stream, 2, RFS_CALL_SHARES},
	{"getline", library_state_enter_stream, 2, RFS_CALL_SHARES},
	{"freopen", library_state_enter_stream, 2, RFS_CALL_SHARES},
	{"fwrite", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"fread", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"fwrite_unlocked", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"fread_unlocked", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"getdelim", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"__getdelim", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"__fgets_chk", library_state_enter_stream, 3, RFS_CALL_SHARES},
	{"readdir", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"readdir64", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"rewinddir", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"seekdir", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"telldir", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"closedir", library_state_enter_object, 0, RFS_CALL_SHARES},
	{"munmap", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"mprotect", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"pkey_mprotect", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"mremap", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"madvise", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"posix_madvise", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"remap_file_pages", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"mincore", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"brk", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"sbrk", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"process_vm_readv", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"process_vm_writev", library_state_enter_mapping, 0, RFS_CALL_SHARES},
	{"mmap", library_state_enter_mapping, 1, RFS_CALL_SHARES},
	{"mmap64", library_state_enter_mapping, 1, RFS_CALL_SHARES},
};

size_t rfs_library_state_calls(const struct rfs_call **out)
{
	*out = calls;
	return sizeof(calls) / sizeof(*calls);
}

bool rfs_library_makes_call(const struct rfs_run *run, rfs_addr at)
{
	const struct rfs_module_info *m = rfs_info_at(run, at);
	const struct rfs_function *f = m ? rfs_elf_function_at(m->elf, at - m->bias) : NULL;

	/* in a static program, the functions of the library cannot be told apart */
	return m && f && f->name && strcmp(f->name, "syscall") != 0 && (m->libc || !rfs_elf_interpreter(m->elf));
}
