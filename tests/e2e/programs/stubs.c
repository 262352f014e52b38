/*
 * stubs CASE: code that makes it hard to move its instructions into stubs. Exit status 0 if all results are as without
 * stubs; otherwise it aborts. Every case has two threads, one of which does the work.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                        \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)
#define NOINLINE __attribute__((noinline))

struct node {
	struct node *next;
	long a, b, c;
};

static struct node nodes[64];
static volatile long total, handled;
static volatile int stop;
static sigjmp_buf jump;
static char *page;

static NOINLINE long walk(const struct node *n, int steps)
{
	long sum = 0;

	for (int i = 0; i < steps; i++) {
		sum += n->a - n->b + n->c;
		__asm__ volatile("" ::: "memory");
		n = n->next;
	}
	return sum;
}

static void link_nodes(void)
{
	for (int i = 0; i < 64; i++)
		nodes[i] = (struct node){&nodes[(i + 1) % 64], i, 2, 1};
}

/* The compiler makes a jump table. Some instructions are reached only through it. */
static NOINLINE long dispatch(struct node *n, int what)
{
	switch (what % 9) {
	case 0:
		n->a += 3;
		return n->b;
	case 1:
		return n->next->a;
	case 2:
		n->c = n->a;
		break;
	case 3:
		n->b ^= 1;
		return n->a + 1;
	case 4:
		return n->next->next->c;
	case 5:
		n->a--;
		break;
	case 6:
		n->next->b += n->a;
		return 7;
	case 7:
		return n->c * 5;
	default:
		n->a = n->b = 1;
	}
	return n->c;
}

static void tables(void)
{
	long sum = 0, again = 0;

	link_nodes();
	for (int i = 0; i < 3000; i++)
		sum += dispatch(&nodes[i % 64], i);
	link_nodes();
	for (int i = 0; i < 3000; i++)
		again += dispatch(&nodes[i % 64], i);
	CHECK(sum == again && sum != 0);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	CHECK((char *)info->si_addr >= page && (char *)info->si_addr < page + 4096);
	handled++;
	CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

static NOINLINE long touch(struct node *a, volatile long *b, struct node *c)
{
	long x = a->a, y, z;

	y = *b; /* faults at the first execution */
	*b = y + x;
	z = c->c;
	return x + y + z;
}

/* The first access faults. The handler makes the page writable, and the instruction runs again. */
static void fault(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	link_nodes();
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
	for (int i = 0; i < 5; i++) {
		long before = i ? *(volatile long *)page : 0;

		CHECK(mprotect(page, 4096, PROT_NONE) == 0);
		CHECK(touch(&nodes[5], (volatile long *)page, &nodes[1]) == 5 + before + 1);
		CHECK(handled == i + 1);
	}
}

static void on_fault_leave(int signo)
{
	(void)signo;
	siglongjmp(jump, 1);
}

static void leave(void)
{
	volatile int faults = 0;

	link_nodes();
	signal(SIGSEGV, on_fault_leave);
	for (volatile int i = 0; i < 20; i++) {
		if (sigsetjmp(jump, 1)) {
			faults++;
			continue;
		}
		total += touch(&nodes[3], NULL, &nodes[1]);
	}
	CHECK(faults == 20);
}

static void on_alarm(int signo)
{
	(void)signo;
	handled++;
	total += walk(nodes, 64);
}

/* Another process sends signals, which arrive at any instruction. */
static void alarms(void)
{
	const pid_t parent = getpid();
	long expected;
	pid_t pid;

	link_nodes();
	expected = walk(nodes, 640);
	signal(SIGUSR2, on_alarm);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		for (int i = 0; i < 3; i++) {
			usleep(1000);
			CHECK(kill(parent, SIGUSR2) == 0);
		}
		_exit(0);
	}
	for (int i = 0; i < 10000000 && handled < 1; i++)
		CHECK(walk(nodes, 640) == expected);
	CHECK(handled > 0);
	while (waitpid(pid, NULL, 0) < 0)
		CHECK(errno == EINTR);
}

static void on_raise(int signo)
{
	stack_t old;

	(void)signo;
	CHECK(sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_ONSTACK));
	total += walk(nodes, 10);
}

static void alternate_stack(void)
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_handler = on_raise, .sa_flags = SA_ONSTACK};

	link_nodes();
	CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < 10; i++)
		CHECK(raise(SIGUSR1) == 0);
	CHECK(total == 10 * walk(nodes, 10));
}

/* Makes more records than the buffer can hold, while all signals are blocked. */
static void many(void)
{
	sigset_t all;
	long sum = 0;

	link_nodes();
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
	for (int i = 0; i < 300; i++)
		sum += walk(nodes, 64);
	CHECK(sum == 300 * walk(nodes, 64));
}

/* The same with a handler for SIGSEGV: it must not run for a full buffer, only for the program's own fault. */
static void many_with_handler(void)
{
	fault();
	handled = 0;
	many();
	CHECK(handled == 0);
	CHECK(mprotect(page, 4096, PROT_NONE) == 0);
	sigset_t segv;
	sigemptyset(&segv);
	sigaddset(&segv, SIGSEGV);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &segv, NULL) == 0);
	total += touch(&nodes[5], (volatile long *)page, &nodes[1]);
	CHECK(handled == 1);
}

/* SIGSEGV is still ignored after a full buffer, so nobody can kill the program by it. */
static void many_ignored(void)
{
	CHECK(signal(SIGSEGV, SIG_IGN) != SIG_ERR);
	link_nodes();
	for (int i = 0; i < 300; i++)
		total += walk(nodes, 64);
	CHECK(kill(getpid(), SIGSEGV) == 0);
	many();
	CHECK(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
}

static void many_after_exec(void)
{
	many();
	CHECK(signal(SIGSEGV, SIG_DFL) == SIG_DFL);
}

/* Another image does not have the handler, also not after a full buffer. */
static void many_with_exec(void)
{
	fault();
	execl("/proc/self/exe", "stubs", "many_after_exec", (char *)NULL);
	CHECK(!"exec failed");
}

static void children(void)
{
	int status;
	pid_t pid;

	link_nodes();
	for (volatile int i = 0; i < 3; i++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			_exit(walk(nodes, 64) == 64 * 63 / 2 - 64 ? 5 : 6);
		total += walk(nodes, 64);
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
		pid = vfork();
		CHECK(pid >= 0);
		if (!pid) {
			nodes[i].a += dispatch(&nodes[i], i);
			_exit((int)walk(nodes, 1) & 1);
		}
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		link_nodes();
	}
	CHECK(total == 3 * walk(nodes, 64));
}

static void *small_stack(void *arg)
{
	*(long *)arg = walk(nodes, 64);
	return NULL;
}

static void small(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	long sum = 0;

	link_nodes();
	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
	CHECK(pthread_create(&thread, &attr, small_stack, &sum) == 0);
	CHECK(pthread_join(thread, NULL) == 0 && sum == walk(nodes, 64));
}

/* Makes code, executes it, changes it, and executes it again. */
static void made(void)
{
	unsigned char code[] = {0x8b, 0x07, 0x83, 0xc0, 1, 0x89, 0x07, 0xc3}; /* mov, add $1, mov, ret */
	int value = 40;
	void (*f)(int *);

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	for (int i = 1; i <= 3; i++) {
		code[4] = (unsigned char)i;
		memcpy(page, code, sizeof(code));
		memcpy(&f, &page, sizeof(f));
		f(&value);
	}
	CHECK(value == 46);
}

/* Instructions that overlap, a function without a size, and data between functions. */
__asm__(".text\n"
	".globl by_hand\n"
	"by_hand:\n"
	"	mov (%rdi),%rax\n"
	"	test %rsi,%rsi\n"
	"	je 1f + 1\n"
	"1:	lock\n"
	"	incq 8(%rdi)\n"
	"	mov 16(%rdi),%rcx\n"
	"	add data_in_text(%rip),%rax\n"
	"	add %rcx,%rax\n"
	"	ret\n"
	"data_in_text:\n"
	"	.quad 0x058b48078b480000\n");
long by_hand(struct node *node, long locked);

static void assembly(void)
{
	long constant = 0x058b48078b480000;

	link_nodes();
	for (int i = 0; i < 4; i++) {
		long sum = (long)(uintptr_t)nodes[7].next + constant + nodes[7].b;

		CHECK(by_hand(&nodes[7], i & 1) == sum);
	}
	CHECK(nodes[7].a == 7 + 4);
}

/* Code that changes bytes of itself, at a place where rfsup could put the jump to a stub. */
__asm__(".text\n"
	".globl own_code, own_constant\n"
	".type own_code, @function\n"
	"own_code:\n"
	"	mov 8(%rdi),%rax\n"
	"	mov $1,%ecx\n"
	".set own_constant, . - 4\n"
	"	add %rcx,%rax\n"
	"	ret\n"
	".size own_code, . - own_code\n");
long own_code(struct node *node);
extern unsigned char own_constant[4];

static void changed(void)
{
	const long page_size = sysconf(_SC_PAGESIZE);
	char *start = (char *)((uintptr_t)own_constant & -(uintptr_t)page_size);

	link_nodes();
	CHECK(own_code(&nodes[7]) == 8);
	for (int i = 2; i < 5; i++) {
		const uint32_t constant = 0x01010101u * (unsigned)i;

		CHECK(mprotect(start, 2 * (size_t)page_size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
		memcpy(own_constant, &constant, sizeof(constant));
		CHECK(mprotect(start, 2 * (size_t)page_size, PROT_READ | PROT_EXEC) == 0);
		CHECK(own_code(&nodes[7]) == 7 + (long)constant);
	}
}

/* The program uses the gs register for itself. */
static void own_gs(void)
{
	static long area[8] = {1, 2, 3, 4};
	long value;

	link_nodes();
	CHECK(walk(nodes, 64) == 64 * 63 / 2 - 64);
	CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, area) == 0);
	CHECK(walk(nodes, 64) == 64 * 63 / 2 - 64);
	__asm__ volatile("mov %%gs:16,%0" : "=r"(value));
	CHECK(value == 3 && area[0] == 1 && area[1] == 2);
}

/* The target's own filter kills for some calls. rfsup must not make such a call in the target. */
static void sandbox(void)
{
	static const struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), (struct sock_filter *)rules};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	small();
	many();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"tables", tables},
	{"fault", fault},
	{"leave", leave},
	{"alarms", alarms},
	{"alternate_stack", alternate_stack},
	{"many", many},
	{"many_with_handler", many_with_handler},
	{"many_ignored", many_ignored},
	{"many_after_exec", many_after_exec},
	{"many_with_exec", many_with_exec},
	{"children", children},
	{"small", small},
	{"made", made},
	{"assembly", assembly},
	{"own_gs", own_gs},
	{"changed", changed},
	{"sandbox", sandbox},
};

static void *other(void *arg)
{
	(void)arg;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
		cases[i].run();
		CHECK(pthread_join(thread, NULL) == 0);
		return 0;
	}
	return 2;
}
