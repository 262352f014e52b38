/* module_test.c - modules that are added and removed, stacks that go through them, and target memory. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/tracer/harness.h"
#include "tracer/loader.h"

TestSuite(modules, .timeout = 60);

/* Text with "+name" for each module that was added and "-name" for each that was removed. */
struct history {
	char text[4096];
	unsigned last;
	bool any;
};

static void add_to(struct history *history, char sign, const struct rfs_module *module)
{
	const char *name = strrchr(module->path, '/') + 1;
	size_t n = strlen(history->text);

	snprintf(history->text + n, sizeof(history->text) - n, "%c%s ", sign, name);
	cr_expect_lt(module->start, module->end);
	cr_expect_eq(module->path[0], '/');
}

static void added(void *arg, struct rfs_module *module)
{
	struct history *history = arg;

	add_to(history, '+', module);
	cr_expect_eq(module->number, history->any ? history->last + 1 : 0);
	history->last = module->number;
	history->any = true;
}

static void gone(void *arg, struct rfs_module *module)
{
	add_to(arg, '-', module);
}

static bool follow(struct run *run, const struct rfs_stop *stop)
{
	bool changed = stop->kind == RFS_STOP_BREAKPOINT &&
		       rfs_modules_changed_here(rfs_task_space(stop->task), stop->address);
	rfs_addr plugin;

	if (!changed && stop->kind != RFS_STOP_EXEC)
		return false;
	cr_assert_eq(rfs_modules_update(stop->task, added, gone, run->data), 0);
	plugin = run_symbol(run, "plugin.so", "plugin");
	if (plugin && !rfs_breakpoint_at(run->space, plugin))
		run_break(stop, plugin);
	return false;
}

static void follow_all(struct run *run, struct history *history, const char *const *argv)
{
	memset(history, 0, sizeof(*history));
	run_start(run, NULL, argv);
	run->data = history;
	run_all(run, follow);
	run_end(run);
}

Test(modules, come_and_go)
{
	const char *plugin = program("plugin", ".so", "-shared -fPIC");
	const char *argv[] = {program("loads", "", ""), plugin, NULL};
	struct history history;
	struct run run;

	follow_all(&run, &history, argv);
	cr_expect_eq(run.status, 42);
	cr_expect_str_eq(history.text, "+loads +ld-linux-x86-64.so.2 +libc.so.6 +plugin.so -plugin.so +plugin.so "
				       "-plugin.so ");
}

Test(modules, relative_name)
{
	const char *argv[] = {program("loads", "", ""), NULL, NULL};
	char relative[256] = RFS_BUILD "/tracer-programs/plugin.so";
	struct history history;
	struct run run;

	program("plugin", ".so", "-shared -fPIC");
	argv[1] = relative;
	follow_all(&run, &history, argv);
	cr_expect_eq(run.status, 42);
	cr_expect_not_null(strstr(history.text, "+plugin.so -plugin.so "));
}

Test(modules, static_program)
{
	const char *argv[] = {program("threads", "-static", "-static"), "3", NULL};
	struct history history;
	struct run run;

	follow_all(&run, &history, argv);
	cr_expect_eq(run.status, 3);
	cr_expect_str_eq(history.text, "+threads-static ");
}

Test(modules, static_position_independent)
{
	const char *argv[] = {program("threads", "-static-pie", "-static-pie"), "3", NULL};
	struct history history;
	struct run run;

	follow_all(&run, &history, argv);
	cr_expect_eq(run.status, 3);
	cr_expect_str_eq(history.text, "+threads-static-pie ");
}

Test(modules, found_by_address)
{
	const char *argv[] = {program("threads", "", ""), "0", NULL};
	struct rfs_module *const *modules;
	struct rfs_stop stop;
	struct run run;
	size_t n;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	n = rfs_modules(run.space, &modules);
	cr_assert_eq(n, 2);
	cr_expect(modules[1]->is_interpreter);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(rfs_module_at(run.space, modules[i]->start), modules[i]);
		cr_expect_eq(rfs_module_at(run.space, modules[i]->end - 1), modules[i]);
		cr_expect_neq(rfs_module_at(run.space, modules[i]->end), modules[i]);
	}
	cr_expect_eq(rfs_module_at(run.space, rfs_task_regs(stop.task)->rip), modules[1]);
	cr_expect_null(rfs_module_at(run.space, rfs_task_regs(stop.task)->rsp));
	run_end(&run);
}

/* Writes the names of the functions of a stack, separated by blanks. A function without name is "?". */
static void name_stack(struct run *run, struct rfs_task *task, char *text, size_t size)
{
	rfs_addr stack[64];
	size_t n = rfs_task_stack(task, stack, 64), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && at < size; i++) {
		const struct rfs_module *module = rfs_module_at(run->space, stack[i]);
		const struct rfs_function *function =
			module ? rfs_elf_function_at(module->elf, stack[i] - module->bias - (i > 0)) : NULL;

		at += (size_t)snprintf(text + at, size - at, "%s ", function && function->name ? function->name : "?");
	}
}

static void expect_stack(const char *variant, const char *flags)
{
	const char *argv[] = {program("stack", variant, flags), NULL};
	struct rfs_stop stop;
	char text[1024];
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	run_break(&stop, run_symbol(&run, NULL, "compare"));
	run_break(&stop, run_symbol(&run, NULL, "inner"));
	run_resume(&run, &stop);
	do
		stop = run_until(&run, RFS_STOP_BREAKPOINT);
	while (run_modules(&run, &stop));
	name_stack(&run, stop.task, text, sizeof(text));
	cr_expect_eq(strncmp(text, "inner outer main ", 17), 0, "%s", text);
	/* the stack of compare() goes through qsort(), which gets a breakpoint too */
	if (run_symbol(&run, "libc.so", "qsort"))
		run_break(&stop, run_symbol(&run, "libc.so", "qsort"));
	do {
		run_resume(&run, &stop);
		stop = run_until(&run, RFS_STOP_BREAKPOINT);
		name_stack(&run, stop.task, text, sizeof(text));
	} while (strncmp(text, "compare ", 8) != 0);
	cr_expect_not_null(strstr(text, " inner outer main "), "%s", text);
	run_end(&run);
}

Test(modules, stack_through_the_library)
{
	expect_stack("", "");
}

Test(modules, stack_without_frame_pointers)
{
	expect_stack("-O2", "-O2 -fomit-frame-pointer -no-pie");
}

Test(modules, stack_of_a_static_program)
{
	expect_stack("-static", "-static -O2");
}

/* An address may be the first instruction of a function, and be returned to by a call that ends the function before it.
 */
Test(modules, stack_through_a_call_that_does_not_return)
{
	const char *argv[] = {program("noreturn", "", ""), NULL}, *const stacks[] = {"follows main ",
										     "reached fails main "};
	struct rfs_stop stop;
	char text[1024];
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	run_break(&stop, run_symbol(&run, NULL, "follows"));
	run_break(&stop, run_symbol(&run, NULL, "reached"));
	for (int i = 0; i < 2; i++) {
		run_resume(&run, &stop);
		do
			stop = run_until(&run, RFS_STOP_BREAKPOINT);
		while (run_modules(&run, &stop));
		name_stack(&run, stop.task, text, sizeof(text));
		cr_expect_eq(strncmp(text, stacks[i], strlen(stacks[i])), 0, "%s", text);
	}
	run_end(&run);
}

/* Memory that the program must not read is not read for it either, however many pieces are wanted. */
Test(modules, protected_memory)
{
	const char *argv[] = {program("threads", "", ""), "0", NULL};
	const unsigned long map[6] = {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (unsigned long)-1,
				      0};
	struct rfs_space *space;
	struct rfs_stop stop;
	struct run run;
	char text[2][8];
	long result;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	space = rfs_task_space(stop.task);
	cr_assert_eq(rfs_task_inject(stop.task, SYS_mmap, map, &result), 0);
	for (int readable = 1; readable >= 0; readable--)
		for (size_t n = 1; n <= 2; n++) {
			const struct rfs_piece pieces[] = {{(rfs_addr)result, text[0], 8},
							   {(rfs_addr)result + 8, text[1], 8}};
			const unsigned long protect[6] = {(unsigned long)result, 4096,
							  readable ? PROT_READ : PROT_NONE};
			long done;

			cr_assert_eq(rfs_task_inject(stop.task, SYS_mprotect, protect, &done), 0);
			cr_expect_eq(rfs_space_read_pieces(space, pieces, n), readable ? n : 0);
			cr_expect_eq(rfs_space_read(space, (rfs_addr)result, text[0], 8), readable ? 0 : -EFAULT);
		}
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
}

static size_t open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	cr_assert(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

Test(modules, memory)
{
	const char *argv[] = {program("threads", "", ""), "0", NULL};
	const unsigned long map[6] = {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (unsigned long)-1,
				      0};
	struct rfs_mapping mapping;
	struct rfs_space *space;
	struct rfs_stop stop;
	char text[64];
	struct run run;
	rfs_addr page;
	size_t files;
	long result;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	space = rfs_task_space(stop.task);
	cr_assert_eq(rfs_task_inject(stop.task, SYS_mmap, map, &result), 0);
	page = (rfs_addr)result;
	cr_assert_eq(rfs_task_inject(stop.task, SYS_munmap, (unsigned long[6]){page + 4096, 4096}, &result), 0);
	cr_expect_eq(rfs_space_write(space, page + 4090, "abcdef", 6), 0);
	cr_expect_eq(rfs_space_read(space, page + 4090, text, 6), 0);
	cr_expect_eq(memcmp(text, "abcdef", 6), 0);
	cr_expect_eq(rfs_space_read(space, page + 4090, text, 7), -EFAULT, "over the end");
	cr_expect_eq(rfs_space_write(space, page + 4090, "abcdefg", 7), -EFAULT);
	cr_expect_eq(rfs_space_read(space, 16, text, 1), -EFAULT);
	cr_expect_eq(rfs_space_read(space, 16, text, 0), 0);
	/* a string that ends with the mapping; then cut to three bytes; then not terminated */
	cr_expect_eq(rfs_space_write(space, page + 4090, "abcde", 6), 0);
	cr_expect_eq(rfs_space_read_string(space, page + 4090, text, sizeof(text)), 0);
	cr_expect_str_eq(text, "abcde");
	cr_expect_eq(rfs_space_read_string(space, page + 4090, text, 3), 0);
	cr_expect_str_eq(text, "ab");
	cr_expect_eq(rfs_space_write(space, page + 4095, "x", 1), 0);
	cr_expect_eq(rfs_space_read_string(space, page + 4090, text, sizeof(text)), -EFAULT);
	/* code is not writable */
	cr_expect_eq(rfs_space_write(space, rfs_task_regs(stop.task)->rip, "x", 1), -EFAULT);
	files = open_files();
	cr_assert(rfs_space_mapping(space, page, &mapping));
	cr_expect(mapping.read && mapping.write && !mapping.exec && !mapping.shared);
	cr_expect_eq(mapping.end, page + 4096);
	cr_expect_str_eq(mapping.path, "");
	cr_assert(rfs_space_mapping(space, rfs_task_regs(stop.task)->rip, &mapping));
	cr_expect(mapping.exec && strstr(mapping.path, "/ld-linux"));
	cr_assert(rfs_space_mapping(space, rfs_task_regs(stop.task)->rsp, &mapping));
	cr_expect_str_eq(mapping.path, "[stack]");
	cr_expect_not(rfs_space_mapping(space, 16, &mapping));
	cr_expect_eq(open_files(), files, "a long run looks at thousands of mappings");
	run_end(&run);
}
