/*
 * Executes PROGRAM, whose path is given at compile time, with its own arguments. REFUSED is a system call that is
 * refused, as by the seccomp profile of a container. Without it, no file can grow beyond 512 bytes, as on a full disk.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int confine(void)
{
#ifdef REFUSED
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
	return setrlimit(RLIMIT_FSIZE, &(struct rlimit){512, 512});
#endif
}

int main(int argc, char **argv)
{
	(void)argc;
	/* If PROGRAM is built with LeakSanitizer, that would use ptrace itself
	 * and replace the exit status. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	if (confine() == 0)
		execv(PROGRAM, argv);
	perror(PROGRAM);
	return 99;
}
