/* library_state.c - the table of functions with the state of each, which is passed on as a touch. */
#include "supervisor/sync/library_state.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/unsafe_calls.h"
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
	/* these matter to signal handlers only, because a lock protects them from other threads */
	HEAP = 10 << 4,
	LOG = 11 << 4,
};

/* Where the descriptor is in a FILE of glibc (struct_FILE.h). The flags come first. */
#define FILE_DESCRIPTOR 112
#define FILE_UNBUFFERED 2

static void library_state_note(struct rfs_run *run, const struct rfs_thread *thread, uint64_t detail,
			       enum rfs_shared_effect effect)
{
	rfs_shared_note(
		run, thread,
		&(struct rfs_shared_touch){.thing = RFS_SHARED_LIBRARY, .effect = effect, .detail = detail, .fd = -1});
}

/* Each function that returns a buffer of its own has other data. */
static uint64_t data_of(const struct rfs_thread *thread, const struct rfs_call *call)
{
	const unsigned which = (unsigned)call->param & ~(unsigned)EFFECTS;

	return which == HEAP ? RFS_LIBRARY_HEAP : which == BUFFERS ? rfs_task_regs(thread->task)->rip : which;
}

/*
 * A handler that interrupts the function must not use the same data.
 */
static void library_state_interrupts(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call,
				     uint64_t data, bool changes)
{
	if (rfs_unsafe_calls_noted(run) && (call->flags & RFS_CALL_HANDLERS))
		rfs_unsafe_call(run, thread, call->name, data, changes, rfs_call_back(run, thread), false);
}

static enum rfs_then library_state_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (call->flags & RFS_CALL_SHARES)
		library_state_note(run, thread, (unsigned)call->param & ~(unsigned)EFFECTS,
				   (enum rfs_shared_effect)(call->param & EFFECTS));
	library_state_interrupts(run, thread, call, data_of(thread, call), (call->param & EFFECTS) == CHANGES);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then library_state_enter_object(struct rfs_run *run, struct rfs_thread *thread,
						const struct rfs_call *call)
{
	const rfs_addr object = rfs_task_regs(thread->task)->rdi;

	library_state_note(run, thread, object, RFS_SHARED_CHANGES);
	library_state_interrupts(run, thread, call, object, true);
	return RFS_THEN_EXECUTE;
}

/*
 * A stream without a buffer has no data that a call leaves half changed. When the program ends, exit() takes the buffer
 * away, but a handler could have come before.
 */
static void stream_interrupts(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call,
			      rfs_addr stream)
{
	uint32_t flags;

	if (rfs_unsafe_calls_noted(run) && rfs_peek(run, stream, &flags, sizeof(flags)) &&
	    (thread->handler.on || !(flags & FILE_UNBUFFERED)))
		library_state_interrupts(run, thread, call, stream, true);
}

/* In what order the lines of standard output and of standard error are shows nowhere. */
static void stream_used(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call, rfs_addr stream)
{
	int32_t fd = -1;

	if ((call->flags & RFS_CALL_SHARES) &&
	    (!rfs_peek(run, stream + FILE_DESCRIPTOR, &fd, sizeof(fd)) || (fd != STDOUT_FILENO && fd != STDERR_FILENO)))
		library_state_note(run, thread, stream, RFS_SHARED_CHANGES);
	stream_interrupts(run, thread, call, stream);
}

/* The parameter says which argument is the stream. */
static enum rfs_then library_state_enter_stream(struct rfs_run *run, struct rfs_thread *thread,
						const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const rfs_addr arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};

	stream_used(run, thread, call, arguments[call->param]);
	return RFS_THEN_EXECUTE;
}

/* A standard stream of the C library in which the call is; 0: the library has no such name. */
static rfs_addr standard_stream(struct rfs_run *run, const struct rfs_thread *thread, const char *name)
{
	const struct rfs_module_info *info = rfs_info_at(run, rfs_task_regs(thread->task)->rip);
	rfs_addr vaddr;

	return info && rfs_elf_symbol(info->elf, name, &vaddr, NULL) ? vaddr + info->bias : 0;
}

static enum rfs_then library_state_enter_input(struct rfs_run *run, struct rfs_thread *thread,
					       const struct rfs_call *call)
{
	const rfs_addr stream = standard_stream(run, thread, "_IO_2_1_stdin_");

	if (stream)
		stream_used(run, thread, call, stream);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then library_state_enter_output(struct rfs_run *run, struct rfs_thread *thread,
						const struct rfs_call *call)
{
	const rfs_addr stream = standard_stream(run, thread, "_IO_2_1_stdout_");

	/* a program that ends may still be in exit() when a signal comes, but its other data are no longer used */
	if (stream && (!call->param || thread->handler.on))
		stream_interrupts(run, thread, call, stream);
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

/*
 * The C library sends no signal to a thread that is at its end (pthread_kill.c of glibc). In other schedules the signal
 * comes earlier, and its handler runs.
 */
static enum rfs_then library_state_enter_kill(struct rfs_run *run, struct rfs_thread *thread,
					      const struct rfs_call *call)
{
	const struct rfs_thread *peer = rfs_thread_by_tls(run, rfs_task_regs(thread->task)->rdi);

	(void)call;
	if (rfs_shared_noted(run->spec) && (!peer || peer->state == RFS_STATE_ENDED || peer->next.kind == RFS_OP_EXIT))
		run->result->shares_calls = true;
	return RFS_THEN_EXECUTE;
}

#define BOTH (RFS_CALL_SHARES | RFS_CALL_HANDLERS)

static const struct rfs_call calls[] = {
	{"getenv", library_state_enter, ENVIRONMENT | LOOKS, BOTH},
	{"secure_getenv", library_state_enter, ENVIRONMENT | LOOKS, BOTH},
	{"setenv", library_state_enter, ENVIRONMENT | CHANGES, BOTH},
	{"unsetenv", library_state_enter, ENVIRONMENT | CHANGES, BOTH},
	{"putenv", library_state_enter, ENVIRONMENT | CHANGES, BOTH},
	{"clearenv", library_state_enter, ENVIRONMENT | CHANGES, BOTH},
	{"rand", library_state_enter, RANDOM | CHANGES, BOTH},
	{"srand", library_state_enter, RANDOM | CHANGES, BOTH},
	{"random", library_state_enter, RANDOM | CHANGES, BOTH},
	{"srandom", library_state_enter, RANDOM | CHANGES, BOTH},
	{"initstate", library_state_enter, RANDOM | CHANGES, BOTH},
	{"setstate", library_state_enter, RANDOM | CHANGES, BOTH},
	{"drand48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"lrand48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"mrand48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"erand48", library_state_enter, RANDOM | LOOKS, RFS_CALL_SHARES},
	{"nrand48", library_state_enter, RANDOM | LOOKS, RFS_CALL_SHARES},
	{"jrand48", library_state_enter, RANDOM | LOOKS, RFS_CALL_SHARES},
	{"srand48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"seed48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"lcong48", library_state_enter, RANDOM | CHANGES, BOTH},
	{"strtok", library_state_enter, TOKENS | CHANGES, BOTH},
	{"gmtime", library_state_enter, TIME | CHANGES, BOTH},
	{"localtime", library_state_enter, TIME | CHANGES, BOTH},
	{"asctime", library_state_enter, TIME | CHANGES, BOTH},
	{"ctime", library_state_enter, TIME | CHANGES, BOTH},
	{"setlocale", library_state_enter, LOCALE | CHANGES, BOTH},
	{"localeconv", library_state_enter, LOCALE | LOOKS, BOTH},
	{"nl_langinfo", library_state_enter, LOCALE | LOOKS, BOTH},
	{"getpwnam", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getpwuid", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getpwent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"setpwent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"endpwent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getgrnam", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getgrgid", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getgrent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"setgrent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"endgrent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getspnam", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getspent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"gethostbyname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"gethostbyname2", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"gethostbyaddr", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"gethostent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getservbyname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getservbyport", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getservent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getprotobyname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getprotobynumber", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getprotoent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getnetbyname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getnetent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getutxent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"setutxent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"endutxent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getutxid", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getutxline", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"pututxline", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getlogin", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"ttyname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"ptsname", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"crypt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"encrypt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"setkey", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"ether_ntoa", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getdate", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"ecvt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"fcvt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"qecvt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"qfcvt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"l64a", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"hcreate", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"hdestroy", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"hsearch", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"tmpnam", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getopt", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getopt_long", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getopt_long_only", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"mblen", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"mbtowc", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"wctomb", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"getmntent", library_state_enter, BUFFERS | CHANGES, BOTH},
	{"at_quick_exit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"on_exit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"__cxa_atexit", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"pthread_atfork", library_state_enter, HANDLERS | CHANGES, RFS_CALL_SHARES},
	{"pthread_key_create", library_state_enter, KEYS | CHANGES, RFS_CALL_SHARES},
	{"tss_create", library_state_enter, KEYS | CHANGES, RFS_CALL_SHARES},
	{"dlopen", library_state_enter, LOADER | CHANGES, BOTH},
	{"dlclose", library_state_enter, LOADER | CHANGES, BOTH},
	{"dlsym", library_state_enter, LOADER | LOOKS, BOTH},
	{"dlvsym", library_state_enter, LOADER | LOOKS, BOTH},
	{"dl_iterate_phdr", library_state_enter, LOADER | LOOKS, BOTH},
	{"fprintf", library_state_enter_stream, 0, BOTH},
	{"vfprintf", library_state_enter_stream, 0, BOTH},
	{"__fprintf_chk", library_state_enter_stream, 0, BOTH},
	{"__vfprintf_chk", library_state_enter_stream, 0, BOTH},
	{"fscanf", library_state_enter_stream, 0, BOTH},
	{"__isoc99_fscanf", library_state_enter_stream, 0, BOTH},
	{"__isoc23_fscanf", library_state_enter_stream, 0, BOTH},
	{"vfscanf", library_state_enter_stream, 0, BOTH},
	{"__isoc99_vfscanf", library_state_enter_stream, 0, BOTH},
	{"__isoc23_vfscanf", library_state_enter_stream, 0, BOTH},
	{"scanf", library_state_enter_input, 0, BOTH},
	{"__isoc99_scanf", library_state_enter_input, 0, BOTH},
	{"__isoc23_scanf", library_state_enter_input, 0, BOTH},
	{"vscanf", library_state_enter_input, 0, BOTH},
	{"__isoc99_vscanf", library_state_enter_input, 0, BOTH},
	{"__isoc23_vscanf", library_state_enter_input, 0, BOTH},
	{"getchar", library_state_enter_input, 0, BOTH},
	{"getchar_unlocked", library_state_enter_input, 0, BOTH},
	{"getwchar", library_state_enter_input, 0, BOTH},
	{"gets", library_state_enter_input, 0, BOTH},
	{"__gets_chk", library_state_enter_input, 0, BOTH},
	{"fgetc", library_state_enter_stream, 0, BOTH},
	{"getc", library_state_enter_stream, 0, BOTH},
	{"_IO_getc", library_state_enter_stream, 0, BOTH},
	{"fgetc_unlocked", library_state_enter_stream, 0, BOTH},
	{"getc_unlocked", library_state_enter_stream, 0, BOTH},
	{"fclose", library_state_enter_stream, 0, BOTH},
	{"pclose", library_state_enter_stream, 0, BOTH},
	{"fflush", library_state_enter_stream, 0, BOTH},
	{"fflush_unlocked", library_state_enter_stream, 0, BOTH},
	{"fseek", library_state_enter_stream, 0, BOTH},
	{"fseeko", library_state_enter_stream, 0, BOTH},
	{"ftell", library_state_enter_stream, 0, BOTH},
	{"ftello", library_state_enter_stream, 0, BOTH},
	{"rewind", library_state_enter_stream, 0, BOTH},
	{"fgetpos", library_state_enter_stream, 0, BOTH},
	{"fsetpos", library_state_enter_stream, 0, BOTH},
	{"setvbuf", library_state_enter_stream, 0, BOTH},
	{"setbuf", library_state_enter_stream, 0, BOTH},
	{"setlinebuf", library_state_enter_stream, 0, BOTH},
	{"feof", library_state_enter_stream, 0, BOTH},
	{"ferror", library_state_enter_stream, 0, BOTH},
	{"clearerr", library_state_enter_stream, 0, BOTH},
	{"feof_unlocked", library_state_enter_stream, 0, BOTH},
	{"fgetwc", library_state_enter_stream, 0, BOTH},
	{"getwc", library_state_enter_stream, 0, BOTH},
	{"fputs", library_state_enter_stream, 1, BOTH},
	{"fputs_unlocked", library_state_enter_stream, 1, BOTH},
	{"fputc", library_state_enter_stream, 1, BOTH},
	{"putc", library_state_enter_stream, 1, BOTH},
	{"_IO_putc", library_state_enter_stream, 1, BOTH},
	{"fputc_unlocked", library_state_enter_stream, 1, BOTH},
	{"putc_unlocked", library_state_enter_stream, 1, BOTH},
	{"ungetc", library_state_enter_stream, 1, BOTH},
	{"fputws", library_state_enter_stream, 1, BOTH},
	{"fputwc", library_state_enter_stream, 1, BOTH},
	{"putwc", library_state_enter_stream, 1, BOTH},
	{"fgets", library_state_enter_stream, 2, BOTH},
	{"fgets_unlocked", library_state_enter_stream, 2, BOTH},
	{"getline", library_state_enter_stream, 2, BOTH},
	{"freopen", library_state_enter_stream, 2, BOTH},
	{"fwrite", library_state_enter_stream, 3, BOTH},
	{"fread", library_state_enter_stream, 3, BOTH},
	{"fwrite_unlocked", library_state_enter_stream, 3, BOTH},
	{"fread_unlocked", library_state_enter_stream, 3, BOTH},
	{"getdelim", library_state_enter_stream, 3, BOTH},
	{"__getdelim", library_state_enter_stream, 3, BOTH},
	{"__fgets_chk", library_state_enter_stream, 3, BOTH},
	{"readdir", library_state_enter_object, 0, BOTH},
	{"readdir64", library_state_enter_object, 0, BOTH},
	{"rewinddir", library_state_enter_object, 0, BOTH},
	{"seekdir", library_state_enter_object, 0, BOTH},
	{"telldir", library_state_enter_object, 0, BOTH},
	{"closedir", library_state_enter_object, 0, BOTH},
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
	{"pthread_kill", library_state_enter_kill, 0, RFS_CALL_SHARES},
	{"pthread_sigqueue", library_state_enter_kill, 0, RFS_CALL_SHARES},
	/* signal handlers only */
	{"printf", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"vprintf", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"__printf_chk", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"__vprintf_chk", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"puts", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"putchar", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"putchar_unlocked", library_state_enter_output, 0, RFS_CALL_HANDLERS},
	{"exit", library_state_enter_output, 1, RFS_CALL_HANDLERS},
	{"localtime_r", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"gmtime_r", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"ctime_r", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"mktime", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"timegm", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"strftime", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"tzset", library_state_enter, TIME | CHANGES, RFS_CALL_HANDLERS},
	{"syslog", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"vsyslog", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"__syslog_chk", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"__vsyslog_chk", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"openlog", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"closelog", library_state_enter, LOG | CHANGES, RFS_CALL_HANDLERS},
	{"strdup", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"strndup", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"asprintf", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"vasprintf", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"__asprintf_chk", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"__vasprintf_chk", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"fopen", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"fopen64", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"fdopen", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"opendir", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"posix_memalign", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"_Znwm", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"_Znam", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"_ZdlPv", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"_ZdlPvm", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
	{"_ZdaPv", library_state_enter, HEAP | CHANGES, RFS_CALL_HANDLERS},
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
