/*
 * faults segv|fpe|ill|trap: faults at a known instruction. A signal handler prints signal, code, fault address, and the
 * instruction pointer relative to that instruction. Then it continues behind it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

extern char segv_here[], segv_next[], fpe_here[], fpe_next[], ill_here[], ill_next[], trap_here[], trap_next[];
static const struct {
	int signo;
	char *here, *next;
} places[] = {
	{SIGSEGV, segv_here, segv_next},
	{SIGFPE, fpe_here, fpe_next},
	{SIGILL, ill_here, ill_next},
	{SIGTRAP, trap_here, trap_next},
};

static void handler(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	char *rip = (char *)uc->uc_mcontext.gregs[REG_RIP];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].signo != signo)
			continue;
		printf("signal %d code %d rip %ld addr %ld\n", signo, info->si_code, (long)(rip - places[i].here),
		       signo == SIGSEGV ? (long)info->si_addr
		       : info->si_addr	? (long)((char *)info->si_addr - places[i].here)
					: -1L);
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)places[i].next;
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	if (argc < 2)
		return 99;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		sigaction(places[i].signo, &action, NULL);
	if (!strcmp(argv[1], "segv"))
		__asm__ volatile("mov $0x1230, %%ecx\n"
				 ".globl segv_here, segv_next\n.type segv_here, @function\nsegv_here: mov %%eax, "
				 "4(%%rcx)\nsegv_next:" ::
					 : "rcx", "memory");
	if (!strcmp(argv[1], "fpe"))
		__asm__ volatile(
			"xor %%ecx, %%ecx\nxor %%edx, %%edx\n"
			".globl fpe_here, fpe_next\n.type fpe_here, @function\nfpe_here: div %%ecx\nfpe_next:" ::
				: "rax", "rcx", "rdx");
	if (!strcmp(argv[1], "ill"))
		__asm__ volatile(".globl ill_here, ill_next\n.type ill_here, @function\nill_here: ud2\nill_next:");
	if (!strcmp(argv[1], "trap"))
		__asm__ volatile(
			".globl trap_here, trap_next\n.type trap_here, @function\ntrap_here: int3\ntrap_next:");
	printf("done\n");
	return 0;
}
