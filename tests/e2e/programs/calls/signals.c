/* signals.c - delivery, masks, information and effects of signals. */
#include "calls.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static volatile sig_atomic_t got[65], order[16], n_order;
static volatile int code;
static void *volatile fault_at;
static sigjmp_buf back;

static void note(int signo, siginfo_t *info, void *context)
{
	(void)context;
	got[signo]++;
	code = info->si_code;
	fault_at = info->si_addr;
	if (n_order < 16)
		order[n_order++] = info->si_value.sival_int;
}

static void on(int signo, int flags)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};

	sigaction(signo, &action, NULL);
}

static void leave(int signo, siginfo_t *info, void *context)
{
	note(signo, info, context);
	siglongjmp(back, 1);
}

static int faults(void)
{
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
	volatile int zero = 0;
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int signo = 1; signo < 32; signo++)
		if (signo == SIGSEGV || signo == SIGFPE || signo == SIGILL || signo == SIGTRAP || signo == SIGBUS)
			sigaction(signo, &action, NULL);
	if (!sigsetjmp(back, 1))
		*(volatile char *)page = 1;
	CHECK(got[SIGSEGV] == 1 && code == SEGV_ACCERR && fault_at == page);
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
	CHECK(got[SIGSEGV] == 2 && code == SEGV_MAPERR && fault_at == (void *)8);
	if (!sigsetjmp(back, 1))
		zero = 100 / zero;
	CHECK(got[SIGFPE] == 1 && code == FPE_INTDIV);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("ud2");
	CHECK(got[SIGILL] == 1 && code == ILL_ILLOPN);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int3");
	CHECK(got[SIGTRAP] == 1 && code == SI_KERNEL);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("hlt");
	CHECK(got[SIGSEGV] == 3 && code == SI_KERNEL);
	if (!sigsetjmp(back, 1))
		((void (*)(void))page)();
	CHECK(got[SIGSEGV] == 4 && fault_at == page);
	return 0;
}

static int masks(void)
{
	sigset_t set, old, pending;

	on(SIGUSR1, 0);
	on(SIGRTMIN, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
	for (int i = 0; i < 3; i++)
		CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
	CHECK(got[SIGUSR1] == 0 && got[SIGRTMIN] == 0);
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) && sigismember(&pending, SIGRTMIN));
	n_order = 0;
	CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
	CHECK(got[SIGUSR1] == 1 && got[SIGRTMIN] == 3);
	CHECK(order[0] + order[1] + order[2] + order[3] == 3);
	return 0;
}

static int suspended(void)
{
	sigset_t set, none;

	on(SIGUSR1, 0);
	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR && got[SIGUSR1] == 1);
	sigprocmask(SIG_BLOCK, NULL, &set);
	CHECK(sigismember(&set, SIGUSR1));
	return 0;
}

static int nested(void)
{
	on(SIGUSR1, SA_NODEFER | SA_RESETHAND);
	raise(SIGUSR1);
	CHECK(got[SIGUSR1] == 1);
	CHECK(signal(SIGUSR1, SIG_IGN) == SIG_DFL);
	return 0;
}

static int alternate_stack(void)
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)}, now;
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	CHECK(sigaltstack(&stack, NULL) == 0);
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1)) {
		__asm__ volatile("mov $16, %%rsp; push %%rax" ::: "memory");
	}
	CHECK(got[SIGSEGV] == 1);
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == memory && !(now.ss_flags & SS_ONSTACK));
	return 0;
}

static int __attribute__((noinline)) recurse(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = above[0];
	return recurse(frame) + frame[0];
}

static int overflow(void)
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	volatile char c = 0;

	CHECK(sigaltstack(&stack, NULL) == 0);
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		recurse(&c);
	CHECK(got[SIGSEGV] == 1);
	return 0;
}

static int child_states(void)
{
	int status;
	siginfo_t info;
	pid_t child;

	on(SIGCHLD, 0);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	CHECK(kill(child, SIGSTOP) == 0);
	CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	CHECK(got[SIGCHLD] == 1 && code == CLD_STOPPED);
	CHECK(kill(child, SIGCONT) == 0);
	CHECK(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
	CHECK(waitpid(child, &status, WNOHANG) == 0);
	CHECK(kill(child, SIGTERM) == 0);
	CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 && info.si_code == CLD_KILLED &&
	      info.si_status == SIGTERM);
	CHECK(waitpid(-1, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	CHECK(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
	return 0;
}

static int self_stop(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		on(SIGCONT, 0);
		raise(SIGSTOP);
		_exit(got[SIGCONT] != 1);
	}
	CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	CHECK(kill(child, SIGCONT) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static int ignored_children(void)
{
	int status;
	pid_t child;

	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (child == 0)
		_exit(3);
	CHECK(waitpid(child, &status, 0) == -1 && errno == ECHILD);
	return 0;
}

static int core(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	int status = IN_CHILD((abort(), 0));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !WCOREDUMP(status));
	status = IN_CHILD((*(volatile int *)8 = 1, 0));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = IN_CHILD((raise(SIGKILL), 0));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return 0;
}

static int broken_pipe(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	close(ends[0]);
	on(SIGPIPE, 0);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE && got[SIGPIPE] == 1);
	CHECK(WTERMSIG(IN_CHILD((signal(SIGPIPE, SIG_DFL), write(ends[1], "x", 1) > 0))) == SIGPIPE);
	return 0;
}

static pthread_t main_thread;

static void *interrupts(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		usleep(1000);
		pthread_kill(main_thread, SIGUSR1);
	}
	return NULL;
}

static int thread_directed(void)
{
	pthread_t thread;
	char byte;
	int ends[2];

	on(SIGUSR1, 0);
	main_thread = pthread_self();
	CHECK(pipe(ends) == 0);
	pthread_create(&thread, NULL, interrupts, NULL);
	CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
	CHECK(code == SI_TKILL);
	pthread_join(thread, NULL);
	CHECK(got[SIGUSR1] >= 1 && got[SIGUSR1] <= 3); /* a signal that is pending is not queued again */
	return 0;
}

static void *blocks(void *arg)
{
	sigset_t *set = arg;
	int signo = 0;

	return sigwait(set, &signo) == 0 && signo == SIGUSR2 ? arg : NULL;
}

static int waited_for(void)
{
	sigset_t set;
	pthread_t thread;
	void *result;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, blocks, &set);
	kill(getpid(), SIGUSR2);
	pthread_join(thread, &result);
	CHECK(result == &set);
	return 0;
}

static ucontext_t one, two;
static int switched;

static void other_context(void)
{
	switched++;
	swapcontext(&two, &one);
	switched++;
}

static int contexts(void)
{
	static char stack[65536];

	CHECK(getcontext(&two) == 0);
	two.uc_stack.ss_sp = stack;
	two.uc_stack.ss_size = sizeof(stack);
	two.uc_link = &one;
	makecontext(&two, other_context, 0);
	CHECK(swapcontext(&one, &two) == 0 && switched == 1);
	CHECK(swapcontext(&one, &two) == 0 && switched == 2);
	return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int go;

static void waits(int signo)
{
	pthread_mutex_lock(&mutex);
	while (!go)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	got[signo]++;
}

static void *signals_cond(void *arg)
{
	(void)arg;
	usleep(1000);
	pthread_mutex_lock(&mutex);
	go = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int wait_in_handler(void)
{
	pthread_t thread;

	signal(SIGUSR1, waits);
	pthread_create(&thread, NULL, signals_cond, NULL);
	raise(SIGUSR1);
	CHECK(got[SIGUSR1] == 1);
	pthread_join(thread, NULL);
	return 0;
}

static pthread_mutex_t mutex2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond2 = PTHREAD_COND_INITIALIZER;
static int go2;

static void *in_both(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex2);
	while (!go2)
		pthread_cond_wait(&cond2, &mutex2);
	pthread_mutex_unlock(&mutex2);
	return NULL;
}

/* a handler that waits at a condition variable while its thread waits at another one */
static int wait_in_wait(void)
{
	pthread_t waiter, signaler;

	signal(SIGUSR1, waits);
	pthread_create(&waiter, NULL, in_both, NULL);
	usleep(1000);
	pthread_kill(waiter, SIGUSR1);
	usleep(1000);
	pthread_create(&signaler, NULL, signals_cond, NULL);
	pthread_join(signaler, NULL);
	pthread_mutex_lock(&mutex2);
	go2 = 1;
	pthread_cond_signal(&cond2);
	pthread_mutex_unlock(&mutex2);
	pthread_join(waiter, NULL);
	CHECK(got[SIGUSR1] == 1);
	return 0;
}

static int mask_of_exec(void)
{
	sigset_t set;

	/* executed again, with the variable set */
	sigprocmask(SIG_BLOCK, NULL, &set);
	if (getenv("CALLS_AGAIN")) {
		struct sigaction action;

		CHECK(sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2));
		CHECK(sigpending(&set) == 0 && sigismember(&set, SIGUSR1));
		CHECK(sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
		CHECK(sigaction(SIGTERM, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
		return 0;
	}
	CHECK(sigisemptyset(&set));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	signal(SIGHUP, SIG_IGN);
	on(SIGTERM, 0);
	setenv("CALLS_AGAIN", "1", 1);
	execl("/proc/self/exe", "signals", "mask_of_exec", NULL);
	return 1;
}

static void *execs(void *arg)
{
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	setenv("CALLS_AGAIN", "1", 1);
	execl("/proc/self/exe", "signals", "mask_of_thread_exec", NULL);
	return NULL;
}

static int mask_of_thread_exec(void)
{
	pthread_t thread;
	sigset_t set;

	if (getenv("CALLS_AGAIN")) {
		sigprocmask(SIG_BLOCK, NULL, &set);
		CHECK(sigismember(&set, SIGUSR2) && getpid() == gettid());
		return 0;
	}
	pthread_create(&thread, NULL, execs, NULL);
	pthread_join(thread, NULL);
	return 1;
}

static int handler_mask(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, old;

	sigaddset(&action.sa_mask, SIGUSR2);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
	CHECK(old.sa_sigaction == note && sigismember(&old.sa_mask, SIGUSR2) && !sigismember(&old.sa_mask, SIGUSR1));
	CHECK(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
	return 0;
}

static int restarts(void)
{
	pthread_t thread;
	int ends[2];
	char byte;
	pid_t child;

	on(SIGUSR1, SA_RESTART);
	main_thread = pthread_self();
	CHECK(pipe(ends) == 0);
	pthread_create(&thread, NULL, interrupts, NULL);
	child = fork();
	if (child == 0) {
		usleep(200000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	pthread_join(thread, NULL);
	CHECK(got[SIGUSR1] >= 1 && got[SIGUSR1] <= 3); /* a signal that is pending is not queued again */
	CHECK(waitpid(child, NULL, 0) == child);
	return 0;
}

CALLS_MAIN(CASE(faults), CASE(masks), CASE(suspended), CASE(nested), CASE(alternate_stack), CASE(overflow),
	   CASE(child_states), CASE(self_stop), CASE(ignored_children), CASE(core), CASE(broken_pipe),
	   CASE(thread_directed), CASE(waited_for), CASE(contexts), CASE(wait_in_handler), CASE(wait_in_wait),
	   CASE(mask_of_exec), CASE(mask_of_thread_exec), CASE(handler_mask), CASE(restarts))
