/* object_touches_test.c - which system calls conflict, by names in a folder of the test. */
#include "supervisor/kernel/object_touches.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "tests/supervisor/kernel/kernel_run.h"
#include "tests/supervisor/scratch.h"

TestSuite(object_touches, .timeout = 60);

/* A system call, by its names in the folder, and an argument after these. */
struct call {
	long number;
	const char *names[2];
	unsigned long flags;
};

static size_t touches(const char *folder, const struct call *call, struct rfs_object_touch *out)
{
	unsigned long args[6] = {0};
	size_t n = 0;

	for (; n < 2 && call->names[n]; n++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", folder, call->names[n]);
		args[n] = FAKE_MEMORY + 0x1000 * (n + 1);
		fake_put(args[n], path, strlen(path) + 1);
		step_memory_changed();
	}
	args[n] = call->flags;
	return rfs_object_touches(step_run(), step_thread(0), call->number, args, out);
}

/* As a run decides whether two threads at these calls are in a race. */
static bool conflict(const char *folder, const struct call *a, const struct call *b)
{
	struct rfs_object_touch of_a[RFS_OBJECT_TOUCHES], of_b[RFS_OBJECT_TOUCHES];
	const size_t n_a = touches(folder, a, of_a), n_b = touches(folder, b, of_b);
	bool found = false;

	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++) {
			struct rfs_op x = rfs_op_make(RFS_OP_ACCESS, 1, of_a[i].address), y = x;

			y.object = of_b[k].address;
			x.access = of_a[i].access;
			y.access = of_b[k].access;
			x.size = of_a[i].size;
			y.size = of_b[k].size;
			x.statements = 1;
			y.statements = 2;
			found |= rfs_ops_race(&x, &y);
		}
	return found;
}

/* Pages: what a call does to them is like an access. */
Test(object_touches, memory)
{
	static const struct {
		long number;
		unsigned long argument;
		unsigned access;
	} cases[] = {
		{SYS_munmap, 0, RFS_ACCESS_WRITE},
		{SYS_madvise, MADV_DONTNEED, RFS_ACCESS_WRITE},
		{SYS_madvise, MADV_WILLNEED, 0},
		{SYS_mprotect, PROT_NONE, RFS_ACCESS_WRITE},
		{SYS_mprotect, PROT_READ, RFS_ACCESS_READ},
		{SYS_mprotect, PROT_READ | PROT_WRITE, 0},
	};
	static const struct fake_step script[] = {{.number = SYS_getuid}, {0}};
	static const struct fake_step *const scripts[] = {script};

	kernel_open(scripts, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const unsigned long args[6] = {0x7000, 0x2000, cases[i].argument};
		struct rfs_object_touch out[RFS_OBJECT_TOUCHES];
		const size_t n = rfs_object_touches(step_run(), step_thread(0), cases[i].number, args, out);

		cr_assert_eq(n, cases[i].access != 0, "case %zu", i);
		if (!n)
			continue;
		cr_expect_eq(out[0].access & (RFS_ACCESS_READ | RFS_ACCESS_WRITE), cases[i].access, "case %zu", i);
		cr_expect_eq(out[0].kind, RFS_OBJECT_MEMORY);
		cr_expect_eq(out[0].address, 0x7000);
		cr_expect_eq(out[0].size, 0x2000);
	}
	step_close();
}

Test(object_touches, names)
{
	static const struct {
		struct call a, b;
		bool conflict;
	} cases[] = {
		{{SYS_stat, {"a"}, 0}, {SYS_unlink, {"a"}, 0}, true},
		{{SYS_stat, {"a"}, 0}, {SYS_unlink, {"b"}, 0}, false},
		{{SYS_stat, {"a"}, 0}, {SYS_stat, {"a"}, 0}, false},
		{{SYS_stat, {"a"}, 0}, {SYS_open, {"a"}, O_RDWR}, false},
		/* a folder has another inode, and one folder has several paths */
		{{SYS_stat, {"a"}, 0}, {SYS_unlink, {"folder/a"}, 0}, false},
		{{SYS_stat, {"a"}, 0}, {SYS_unlink, {"folder/../a"}, 0}, true},
		{{SYS_stat, {"folder/a"}, 0}, {SYS_unlink, {"to_folder/a"}, 0}, true},
		/* links */
		{{SYS_stat, {"to_a"}, 0}, {SYS_unlink, {"a"}, 0}, true},
		{{SYS_lstat, {"to_a"}, 0}, {SYS_unlink, {"a"}, 0}, false},
		{{SYS_lstat, {"to_a"}, 0}, {SYS_unlink, {"to_a"}, 0}, true},
		{{SYS_open, {"to_a"}, O_NOFOLLOW}, {SYS_unlink, {"a"}, 0}, false},
		{{SYS_readlink, {"to_a"}, 0}, {SYS_rename, {"b", "to_a"}, 0}, true},
		/* a file that does not exist yet */
		{{SYS_stat, {"new"}, 0}, {SYS_open, {"new"}, O_CREAT}, true},
		{{SYS_open, {"new"}, O_CREAT}, {SYS_open, {"new"}, O_CREAT | O_APPEND}, false},
		{{SYS_open, {"new"}, O_CREAT | O_EXCL}, {SYS_open, {"new"}, O_CREAT | O_EXCL}, true},
		{{SYS_mkdir, {"new"}, 0}, {SYS_mkdir, {"new"}, 0}, true},
		{{SYS_stat, {"nowhere/new"}, 0}, {SYS_mkdir, {"nowhere/new"}, 0}, false},
		/* two names */
		{{SYS_rename, {"b", "a"}, 0}, {SYS_stat, {"a"}, 0}, true},
		{{SYS_rename, {"b", "a"}, 0}, {SYS_stat, {"b"}, 0}, true},
		{{SYS_link, {"a", "new"}, 0}, {SYS_stat, {"a"}, 0}, false},
		{{SYS_link, {"a", "new"}, 0}, {SYS_stat, {"new"}, 0}, true},
		{{SYS_symlink, {"a", "new"}, 0}, {SYS_unlink, {"a"}, 0}, false},
		/* the file itself */
		{{SYS_truncate, {"a"}, 0}, {SYS_truncate, {"a"}, 0}, true},
		{{SYS_truncate, {"a"}, 0}, {SYS_open, {"to_a"}, O_TRUNC}, true},
		{{SYS_truncate, {"a"}, 0}, {SYS_stat, {"a"}, 0}, false},
		{{SYS_chmod, {"a"}, 0}, {SYS_open, {"a"}, O_RDONLY}, true},
		{{SYS_chmod, {"a"}, 0}, {SYS_stat, {"a"}, 0}, false},
		/* the process */
		{{SYS_umask, {NULL}, 0}, {SYS_open, {"new"}, O_CREAT}, true},
		{{SYS_umask, {NULL}, 0}, {SYS_open, {"a"}, O_RDONLY}, false},
		{{SYS_chdir, {NULL}, 0}, {SYS_getcwd, {NULL}, 0}, true},
		{{SYS_chdir, {NULL}, 0}, {SYS_stat, {"a"}, 0}, false},
		{{SYS_getpid, {NULL}, 0}, {SYS_chdir, {NULL}, 0}, false},
	};
	static const struct fake_step script[] = {{.number = SYS_getuid}, {0}};
	static const struct fake_step *const scripts[] = {script};
	char *folder = scratch_enter(), path[512];

	kernel_open(scripts, 1);
	for (int i = 0; i < 2; i++)
		close(open(i ? "b" : "a", O_CREAT | O_WRONLY, 0600));
	cr_assert_eq(mkdir("folder", 0700) | symlink("folder", "to_folder") | symlink("a", "to_a"), 0);
	snprintf(path, sizeof(path), "%s/a", folder);
	cr_assert_eq(symlink(path, "far_to_a"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(conflict(folder, &cases[i].a, &cases[i].b), cases[i].conflict, "case %zu", i);
	cr_expect(conflict(folder, &(struct call){SYS_stat, {"far_to_a"}, 0}, &cases[0].b));
	step_close();
	scratch_leave(folder);
}
