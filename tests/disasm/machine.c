#include "machine.h"

#include <cpuid.h>
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define AREA_BASE 0x60000000ul
#define AREA_STRIDE 0x100000ul
#define VIEW_STRIDE 0x10000ul
/* all below 0x7fff7000, where the shadow memory of AddressSanitizer begins */
#define CODE_HOME 0x04000000ul
#define CODE_NEAR 0x04100000ul
#define CODE_FAR 0x7c000000ul
#define TABLE_BASE 0x50000000ul

rfs_addr machine_page(enum area area, enum view view)
{
	if (area == AREA_CODE)
		return CODE_HOME + PAGE;
	return AREA_BASE + area * AREA_STRIDE + view * VIEW_STRIDE + PAGE;
}

rfs_addr machine_place(enum place place)
{
	static const rfs_addr places[PLACES] = {CODE_HOME, CODE_NEAR, CODE_FAR};

	return places[place] + 64;
}

/* Makes a page of shared memory and maps it for the test. *fd is for the child's mappings. */
static uint8_t *shared_page(int *fd)
{
	void *ours;

	*fd = memfd_create("page", MFD_CLOEXEC);
	cr_assert(*fd >= 0 && ftruncate(*fd, PAGE) == 0);
	ours = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	cr_assert(ours != MAP_FAILED);
	return ours;
}

static void map_at(int fd, rfs_addr address, int protection)
{
	void *at = mmap((void *)address, PAGE, protection, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

	cr_assert(at == (void *)address, "no page at %#lx", (unsigned long)address);
}

static void map_everything(struct machine *machine)
{
	static const int protection[VIEWS] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE};
	static const rfs_addr places[PLACES] = {CODE_HOME, CODE_NEAR, CODE_FAR};
	int fd;

	machine->table = mmap((void *)TABLE_BASE, MACHINE_TABLE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	cr_assert(machine->table == (void *)TABLE_BASE);
	for (unsigned area = 0; area < AREAS; area++) {
		machine->page[area] = shared_page(&fd);
		for (unsigned view = 0; view < (area == AREA_CODE ? 1 : VIEWS); view++)
			map_at(fd, machine_page(area, view), protection[view]);
		close(fd);
	}
	for (unsigned place = 0; place < PLACES; place++) {
		machine->code[place] = shared_page(&fd);
		map_at(fd, places[place], PROT_READ | PROT_EXEC);
		close(fd);
	}
}

static void unmap_everything(struct machine *machine)
{
	static const rfs_addr places[PLACES] = {CODE_HOME, CODE_NEAR, CODE_FAR};

	munmap(machine->table, MACHINE_TABLE);
	for (unsigned area = 0; area < AREAS; area++) {
		munmap(machine->page[area], PAGE);
		for (unsigned view = 0; view < (area == AREA_CODE ? 1 : VIEWS); view++)
			munmap((void *)machine_page(area, view), PAGE);
	}
	for (unsigned place = 0; place < PLACES; place++) {
		munmap(machine->code[place], PAGE);
		munmap((void *)places[place], PAGE);
	}
}

/* The offset of component n in the standard form of xsave, or 0 if this CPU does not have it. */
static unsigned component(unsigned n)
{
	unsigned size, offset, flags, unused;

	if (!__get_cpuid_count(13, n, &size, &offset, &flags, &unused) || !size)
		return 0;
	return offset;
}

/* Whether the operating system enables component n: bit n of XCR0. */
static bool enabled(const struct machine *machine, unsigned n)
{
	uint64_t xcr0;

	/* the kernel puts XCR0 into the bytes of the xsave area that are reserved for software */
	memcpy(&xcr0, machine->xstate + 464, sizeof(xcr0)); // NOLINT(*NonNullParamChecker): no caller has NULL
	return xcr0 >> n & 1 && component(n);
}

enum { YMM = 2, K = 5, ZMM_LOW = 6, ZMM_HIGH = 7 };

/*
 * Where xstate holds a part of vector register v: the part that starts at byte 0, 16 or 32. NULL if the CPU has no such
 * part.
 */
static uint8_t *vector_part(struct machine *machine, unsigned v, unsigned from)
{
	if (v >= 16)
		return enabled(machine, ZMM_HIGH) ? machine->xstate + component(ZMM_HIGH) + 64 * (v - 16) + from : NULL;
	if (from == 0)
		return machine->xstate + 160 + 16 * v;
	if (from == 16)
		return enabled(machine, YMM) ? machine->xstate + component(YMM) + 16 * v : NULL;
	return enabled(machine, ZMM_LOW) ? machine->xstate + component(ZMM_LOW) + 32 * v + from - 32 : NULL;
}

static void set_vector(struct machine *machine, unsigned v, const uint8_t *bytes)
{
	static const unsigned from[] = {0, 16, 32}, size[] = {16, 16, 32};

	for (unsigned i = 0; i < 3; i++) {
		uint8_t *part = vector_part(machine, v, from[i]);

		if (part)
			memcpy(part, bytes + from[i], size[i]);
	}
}

int machine_vector(void *arg, int n, bool mask, void *out)
{
	static const unsigned from[] = {0, 16, 32}, size[] = {16, 16, 32};
	struct machine *machine = arg;

	memset(out, 0, mask ? 8 : 64);
	if (mask) {
		if (enabled(machine, K))
			memcpy(out, machine->xstate + component(K) + 8 * n, 8);
		return 0;
	}
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t *part = vector_part(machine, (unsigned)n, from[i]);

		if (part)
			memcpy((uint8_t *)out + from[i], part, size[i]);
	}
	return 0;
}

/*
 * Fills the registers with values that serve as indices, masks and numbers:
 * - vector register 1: small doubleword indices; 2: small quadword indices; 3: sign bits of every other doubleword;
 * - all other vector registers: bytes that are small positive numbers in any format;
 * - k1: mixed bits; k2: the first element only; k3: nothing.
 */
static void fill_registers(struct machine *machine)
{
	static const int32_t narrow[16] = {0, 5, -3, 5, 17, 1, 2, -9, 30, 31, 32, 8, 7, 6, 4, 3};
	static const int64_t wide[8] = {0, 7, -2, 7, 12, 1, -20, 3};
	static const uint64_t masks[8] = {0, 0x5a3cf00f5a3cf0d6, 1, 0, UINT64_MAX, 0x8001, 0xff, 0x10};
	uint64_t present, bits = 7;
	uint8_t bytes[64];

	for (unsigned v = 0; v < 32; v++) {
		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(1 + (v * 7 + i * 5) % 62);
		if (v == 1)
			memcpy(bytes, narrow, sizeof(narrow));
		if (v == 2)
			memcpy(bytes, wide, sizeof(wide));
		for (unsigned i = 3; v == 3 && i < sizeof(bytes); i += 8)
			bytes[i] |= 0x80;
		set_vector(machine, v, bytes);
	}
	if (enabled(machine, K)) {
		memcpy(machine->xstate + component(K), masks, sizeof(masks));
		bits |= 7 << K;
	}
	/* all x87 registers hold 1.5 */
	for (unsigned i = 0; i < 8; i++) {
		static const uint8_t value[10] = {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f};

		memcpy(machine->xstate + 32 + 16 * i, value, sizeof(value));
	}
	machine->xstate[2] = 0;
	/* top of stack 4: four registers are in use, and four are free for loads */
	machine->xstate[3] = 4 << 3;
	machine->xstate[4] = 0xf0;
	memcpy(&present, machine->xstate + 512, sizeof(present));
	present |= bits;
	memcpy(machine->xstate + 512, &present, sizeof(present));
}

static void get_xstate(pid_t child, uint8_t *out, size_t *size)
{
	struct iovec iov = {out, XSTATE_MAX};

	cr_assert(ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &iov) == 0);
	*size = iov.iov_len;
}

/* The test and its child take turns, and a turn costs much less if both are on one core. */
static void stay_on_this_core(void)
{
	const int core = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	if (core < 0)
		return;
	CPU_SET(core, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}

void machine_start(struct machine *machine)
{
	int status;

	memset(machine, 0, sizeof(*machine));
	map_everything(machine);
	stay_on_this_core();
	machine->child = fork();
	cr_assert(machine->child >= 0);
	if (!machine->child) { /* the child stays here; each run gives it new registers */
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	cr_assert(waitpid(machine->child, &status, 0) == machine->child && WIFSTOPPED(status));
	cr_assert(ptrace(PTRACE_SETOPTIONS, machine->child, NULL, (void *)PTRACE_O_EXITKILL) == 0);
	get_xstate(machine->child, machine->xstate, &machine->xstate_size);
	fill_registers(machine);
}

void machine_stop(struct machine *machine)
{
	kill(machine->child, SIGKILL);
	waitpid(machine->child, NULL, 0);
	unmap_everything(machine);
}

static void classify(pid_t child, int status, struct result *result)
{
	siginfo_t info;

	cr_assert(WIFSTOPPED(status), "the child is gone: status %#x", status);
	cr_assert(ptrace(PTRACE_GETSIGINFO, child, NULL, &info) == 0);
	result->address = (rfs_addr)info.si_addr;
	switch (WSTOPSIG(status)) {
	case SIGTRAP:
		result->outcome = DONE;
		break;
	case SIGSEGV:
	case SIGBUS:
		result->outcome = info.si_code == SI_KERNEL ? GP_FAULT : FAULT;
		break;
	case SIGILL:
		result->outcome = UNDEFINED;
		break;
	default:
		result->outcome = OTHER;
		break;
	}
}

void machine_run(struct machine *machine, enum place place, const uint8_t *code, size_t n,
		 const struct user_regs_struct *regs, struct result *result)
{
	struct iovec iov = {machine->xstate, machine->xstate_size};
	uint8_t *at = machine->code[place] + (regs->rip & (PAGE - 1));
	size_t size;
	int status;

	memcpy(at, code, n);
	at[n] = 0xcc;
	cr_assert(ptrace(PTRACE_SETREGSET, machine->child, (void *)NT_X86_XSTATE, &iov) == 0);
	cr_assert(ptrace(PTRACE_SETREGS, machine->child, NULL, regs) == 0);
	cr_assert(ptrace(PTRACE_CONT, machine->child, NULL, NULL) == 0);
	cr_assert(waitpid(machine->child, &status, 0) == machine->child);
	classify(machine->child, status, result);
	cr_assert(ptrace(PTRACE_GETREGS, machine->child, NULL, &result->regs) == 0);
	memset(result->xstate, 0, sizeof(result->xstate));
	get_xstate(machine->child, result->xstate, &size);
}

/* Where the test has mapped the child's memory [address, address + n). NULL if it is not inside one area. */
static uint8_t *translate(struct machine *machine, rfs_addr address, size_t n)
{
	for (unsigned area = 0; area < AREAS; area++) {
		for (unsigned view = 0; view < VIEWS; view++) {
			rfs_addr inside = address - machine_page(area, view);

			if (address >= machine_page(area, view) && inside + n <= PAGE)
				return machine->page[area] + inside;
		}
	}
	return NULL;
}

int machine_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	const uint8_t *at = translate(arg, address, n);

	if (!at)
		return -EFAULT;
	memcpy(buf, at, n);
	return 0;
}

int machine_write(void *arg, rfs_addr address, const void *buf, size_t n)
{
	uint8_t *at = translate(arg, address, n);

	if (!at)
		return -EFAULT;
	memcpy(at, buf, n);
	return 0;
}
