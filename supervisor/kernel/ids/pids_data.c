/*
 * pids_data.c - ids in the memory that a call passes or fills, and in arguments that a command of the call selects.
 *
 * Examples are fcntl(2) with F_GETLK, ioctl(2) with TIOCSPGRP, and the credentials in a message of a Unix socket. An id
 * that the target passes is replaced for the time of the call. An id that the kernel stored is corrected at the exit.
 */
#include "supervisor/kernel/ids/pids_data.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "supervisor/kernel/ids/pids.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* asm-generic/ioctls.h and asm/sockios.h */
#define IOCTL_FIOSETOWN 0x8901
#define IOCTL_SIOCSPGRP 0x8902
#define IOCTL_FIOGETOWN 0x8903
#define IOCTL_SIOCGPGRP 0x8904

#define MESSAGES_MAX 64u
#define CONTROL_MAX 4096u

static bool pids_data_get(struct rfs_task *task, rfs_addr from, void *to, size_t n)
{
	return from && rfs_space_read(rfs_task_space(task), from, to, n) == 0;
}

static void pids_data_put(struct rfs_task *task, rfs_addr to, pid_t id)
{
	(void)!rfs_space_write(rfs_task_space(task), to, &id, sizeof(id));
}

static void passes(struct rfs_task *task, struct rfs_pid_words *words, rfs_addr at)
{
	pid_t id;

	if (words->n < RFS_PIDS_WORDS && pids_data_get(task, at, &id, sizeof(id)) && id != 0)
		words->word[words->n++] = (struct rfs_pid_word){at, id};
}

/* Returns true, because a word that the call fills needs a stop at the exit. */
static bool fills(struct rfs_pid_words *words, rfs_addr at)
{
	if (words->n < RFS_PIDS_WORDS)
		words->word[words->n++] = (struct rfs_pid_word){at, 0};
	return true;
}

static bool control_begin(struct rfs_task *task, const unsigned long *args, struct rfs_pid_words *words)
{
	const rfs_addr at = args[2];

	switch (args[1]) {
	case TIOCSPGRP:
	case IOCTL_FIOSETOWN:
	case IOCTL_SIOCSPGRP:
		passes(task, words, at);
		return words->n > 0;
	case TIOCGPGRP:
	case TIOCGSID:
	case IOCTL_FIOGETOWN:
	case IOCTL_SIOCGPGRP:
		return fills(words, at);
	default:
		return false;
	}
}

static bool file_begin(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
		       struct rfs_pid_words *words)
{
	switch ((int)args[1]) {
	case F_SETOWN:
		rfs_task_regs_mut(task)->rdx = (unsigned long)(long)rfs_pids_kernel(run, (pid_t)args[2]);
		return true;
	case F_GETOWN:
		return true;
	case F_SETOWN_EX:
		passes(task, words, args[2] + offsetof(struct f_owner_ex, pid));
		return true;
	case F_GETOWN_EX:
		return fills(words, args[2] + offsetof(struct f_owner_ex, pid));
	case F_GETLK:
	case F_OFD_GETLK:
		return fills(words, args[2] + offsetof(struct flock, l_pid));
	default:
		return false;
	}
}

/* Calls visit() with the address of the process id in each set of credentials in the message's control data. */
static void each_credentials(struct rfs_task *task, rfs_addr message,
			     void (*visit)(void *arg, struct rfs_task *task, rfs_addr at), void *arg)
{
	unsigned char data[CONTROL_MAX];
	struct cmsghdr head;
	struct msghdr header;
	size_t length;

	if (!pids_data_get(task, message, &header, sizeof(header)) || !header.msg_control)
		return;
	length = header.msg_controllen < CONTROL_MAX ? header.msg_controllen : CONTROL_MAX;
	if (length < sizeof(head) || !pids_data_get(task, (rfs_addr)header.msg_control, data, length))
		return;
	for (size_t at = 0; at + sizeof(head) <= length; at += CMSG_ALIGN(head.cmsg_len)) {
		memcpy(&head, data + at, sizeof(head));
		if (head.cmsg_len < sizeof(head) || head.cmsg_len > length - at)
			return;
		if (head.cmsg_level == SOL_SOCKET && head.cmsg_type == SCM_CREDENTIALS &&
		    head.cmsg_len >= CMSG_LEN(sizeof(struct ucred)))
			visit(arg, task, (rfs_addr)header.msg_control + at + CMSG_LEN(0) + offsetof(struct ucred, pid));
	}
}

/* Calls each_credentials() for the n messages of recvmmsg or sendmmsg, or for the message of recvmsg or sendmsg. */
static void each_message(struct rfs_task *task, long number, const unsigned long *args, size_t n,
			 void (*visit)(void *arg, struct rfs_task *task, rfs_addr at), void *arg)
{
	if (number == SYS_recvmsg || number == SYS_sendmsg)
		each_credentials(task, args[1], visit, arg);
	else
		for (size_t i = 0; i < n && i < MESSAGES_MAX; i++)
			each_credentials(task, args[1] + i * sizeof(struct mmsghdr), visit, arg);
}

static void visit_passed(void *arg, struct rfs_task *task, rfs_addr at)
{
	passes(task, arg, at);
}

static bool expects_control(struct rfs_task *task, long number, const unsigned long *args)
{
	struct msghdr header;
	size_t n = number == SYS_recvmsg ? 1 : args[2];

	for (size_t i = 0; i < n && i < MESSAGES_MAX; i++)
		if (pids_data_get(task, args[1] + i * sizeof(struct mmsghdr), &header, sizeof(header)) &&
		    header.msg_control)
			return true;
	return false;
}

static bool pids_data_begin(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
			    struct rfs_pid_words *words)
{
	switch (words->number) {
	case SYS_fcntl:
		return file_begin(run, task, args, words);
	case SYS_ioctl:
		return control_begin(task, args, words);
	case SYS_semctl:
		return args[2] == GETPID;
	case SYS_shmctl:
		if (args[1] != IPC_STAT && args[1] != SHM_STAT)
			return false;
		return fills(words, args[2] + offsetof(struct shmid_ds, shm_cpid)) &&
		       fills(words, args[2] + offsetof(struct shmid_ds, shm_lpid));
	case SYS_msgctl:
		if (args[1] != IPC_STAT && args[1] != MSG_STAT)
			return false;
		return fills(words, args[2] + offsetof(struct msqid_ds, msg_lspid)) &&
		       fills(words, args[2] + offsetof(struct msqid_ds, msg_lrpid));
	case SYS_capget:
	case SYS_capset:
		passes(task, words, args[0] + 4); /* struct __user_cap_header_struct: version, pid */
		return words->n > 0;
	case SYS_getsockopt:
		return args[1] == SOL_SOCKET && args[2] == SO_PEERCRED && fills(words, args[3]);
	case SYS_rt_sigtimedwait:
		return args[1] != 0;
	case SYS_sendmsg:
	case SYS_sendmmsg:
		each_message(task, words->number, args, args[2], visit_passed, words);
		return words->n > 0;
	case SYS_recvmsg:
	case SYS_recvmmsg:
		return expects_control(task, words->number, args);
	default:
		return false;
	}
}

bool rfs_pids_data_begin(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
			 struct rfs_pid_words *words)
{
	*words = (struct rfs_pid_words){.number = (long)rfs_task_regs(task)->orig_rax};
	if (!pids_data_begin(run, task, args, words))
		return false;
	for (size_t i = 0; i < words->n; i++)
		if (words->word[i].passed)
			pids_data_put(task, words->word[i].at, rfs_pids_kernel(run, words->word[i].passed));
	return true;
}

static void pids_data_correct(const struct rfs_run *run, struct rfs_task *task, rfs_addr at)
{
	pid_t id;

	if (pids_data_get(task, at, &id, sizeof(id)))
		pids_data_put(task, at, rfs_pids_told(run, id));
}

static void visit_returned(void *arg, struct rfs_task *task, rfs_addr at)
{
	pids_data_correct(arg, task, at);
}

void rfs_pids_data_end(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
		       const struct rfs_pid_words *words)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);
	const long result = (long)regs->rax;
	siginfo_t info;

	for (size_t i = 0; i < words->n; i++)
		if (words->word[i].passed)
			pids_data_put(task, words->word[i].at, words->word[i].passed);
	if (result < 0 && !(words->number == SYS_fcntl && args[1] == F_GETOWN))
		return;
	for (size_t i = 0; i < words->n; i++)
		if (!words->word[i].passed)
			pids_data_correct(run, task, words->word[i].at);
	switch (words->number) {
	case SYS_fcntl:
		if (args[1] == F_SETOWN)
			regs->rdx = args[2];
		else if (args[1] == F_GETOWN)
			regs->rax = (unsigned long)(long)rfs_pids_told(run, (pid_t)result);
		break;
	case SYS_semctl:
		regs->rax = (unsigned long)(long)rfs_pids_told(run, (pid_t)result);
		break;
	case SYS_recvmsg:
	case SYS_recvmmsg:
		each_message(task, words->number, args, (size_t)result, visit_returned, (void *)run);
		break;
	case SYS_rt_sigtimedwait:
		if (pids_data_get(task, args[1], &info, sizeof(info)) && rfs_pids_has_sender(&info))
			pids_data_correct(run, task, args[1] + offsetof(siginfo_t, si_pid));
		break;
	default:
		break;
	}
}
