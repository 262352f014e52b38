/*
 * call.c - calls a function of any type by the System V ABI for x86-64: the first six integers are in registers, the
 * first eight floating-point numbers in vector registers, and the rest on the stack.
 */
#include <string.h>

#include "supervisor/generate/driver/script.h"

#define INTEGERS 6
#define VECTORS 8

/* The trampoline depends on the offsets. */
struct registers {
	uint64_t integers[INTEGERS];
	uint64_t vectors[VECTORS];
	uint64_t n_vectors, n_stack;
	uint64_t result; /* rax */
	uint64_t stack[RFS_DRIVER_VALUES];
};
_Static_assert(offsetof(struct registers, vectors) == 48 && offsetof(struct registers, n_vectors) == 112 &&
		       offsetof(struct registers, stack) == 136,
	       "the trampoline has these offsets");

/* The stack must be aligned to 16 bytes at the call: an odd number of words needs one more. */
void rfs_driver_trampoline(struct registers *registers, void *function);
__asm__(".text\n"
	".globl rfs_driver_trampoline\n"
	".type rfs_driver_trampoline, @function\n"
	"rfs_driver_trampoline:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push %rbx\n"
	"	.cfi_offset %rbx, -24\n"
	"	sub $8, %rsp\n"
	"	mov %rdi, %rbx\n"
	"	mov %rsi, %r11\n"
	"	mov 120(%rbx), %rcx\n"
	"	test $1, %cl\n"
	"	je 1f\n"
	"	sub $8, %rsp\n"
	"1:	test %rcx, %rcx\n"
	"	je 2f\n"
	"	push 128(%rbx,%rcx,8)\n"
	"	dec %rcx\n"
	"	jmp 1b\n"
	"2:	movsd 48(%rbx), %xmm0\n"
	"	movsd 56(%rbx), %xmm1\n"
	"	movsd 64(%rbx), %xmm2\n"
	"	movsd 72(%rbx), %xmm3\n"
	"	movsd 80(%rbx), %xmm4\n"
	"	movsd 88(%rbx), %xmm5\n"
	"	movsd 96(%rbx), %xmm6\n"
	"	movsd 104(%rbx), %xmm7\n"
	"	mov 112(%rbx), %eax\n"
	"	mov (%rbx), %rdi\n"
	"	mov 8(%rbx), %rsi\n"
	"	mov 16(%rbx), %rdx\n"
	"	mov 24(%rbx), %rcx\n"
	"	mov 32(%rbx), %r8\n"
	"	mov 40(%rbx), %r9\n"
	"	call *%r11\n"
	"	mov %rax, 128(%rbx)\n"
	"	mov -8(%rbp), %rbx\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size rfs_driver_trampoline, . - rfs_driver_trampoline\n");

static uint64_t zero(void)
{
	return 0;
}

static uint64_t identity(uint64_t first)
{
	return first;
}

static uint64_t integer_of(struct rfs_driver_script *script, const struct rfs_driver_value *value)
{
	switch (value->kind) {
	case RFS_DRIVER_POINTER:
		return (uint64_t)value->pointer;
	case RFS_DRIVER_SLOT:
		return script->slots[value->integer];
	case RFS_DRIVER_SLOT_ADDRESS:
		return (uint64_t)&script->slots[value->integer];
	case RFS_DRIVER_ZERO:
		return (uint64_t)zero;
	case RFS_DRIVER_IDENTITY:
		return (uint64_t)identity;
	default:
		return value->integer;
	}
}

void rfs_driver_execute(struct rfs_driver_script *script, const struct rfs_driver_call *call)
{
	struct registers registers = {0};
	size_t n_integers = 0;

	for (size_t i = 0; i < call->n_values; i++) {
		const struct rfs_driver_value *value = &call->values[i];
		bool vector = value->kind == RFS_DRIVER_DOUBLE || value->kind == RFS_DRIVER_FLOAT;
		uint64_t word = 0;

		if (value->kind == RFS_DRIVER_FLOAT)
			memcpy(&word, &value->single, sizeof(value->single));
		else if (vector)
			memcpy(&word, &value->real, sizeof(value->real));
		else
			word = integer_of(script, value);
		if (vector && registers.n_vectors < VECTORS)
			registers.vectors[registers.n_vectors++] = word;
		else if (!vector && n_integers < INTEGERS)
			registers.integers[n_integers++] = word;
		else
			registers.stack[registers.n_stack++] = word;
	}
	rfs_driver_trampoline(&registers, call->function);
	if (call->slot >= 0)
		script->slots[call->slot] = registers.result;
}
