/*
 * call.c - calls a function of any type by the System V ABI for x86-64: the first six integers are in registers, the
 * first eight floating-point numbers in vector registers, and the rest on the stack. Each word of a small structure
 * counts as an integer or as a floating-point number. The structure is on the stack if the registers do not suffice for
 * all its words. A large result is in memory, whose address is a hidden first argument.
 */
#include <fcntl.h>
#include <string.h>

#include "supervisor/generate/driver/script.h"

#define INTEGERS 6
#define VECTORS 8

/* The trampoline depends on the offsets. */
struct registers {
	uint64_t integers[INTEGERS];
	uint64_t vectors[VECTORS];
	uint64_t n_vectors, n_stack;
	uint64_t result[2];	   /* rax, rdx */
	uint64_t result_vector[2]; /* xmm0, xmm1 */
	uint64_t stack[RFS_DRIVER_STACK];
	size_t n_integers;
};
_Static_assert(offsetof(struct registers, vectors) == 48 && offsetof(struct registers, n_vectors) == 112 &&
		       offsetof(struct registers, result_vector) == 144 && offsetof(struct registers, stack) == 160,
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
	"	push 152(%rbx,%rcx,8)\n"
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
	"	mov %rdx, 136(%rbx)\n"
	"	movsd %xmm0, 144(%rbx)\n"
	"	movsd %xmm1, 152(%rbx)\n"
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
	case RFS_DRIVER_STRING:
	case RFS_DRIVER_STREAM:
		return (uint64_t)value->pointer;
	case RFS_DRIVER_SLOT:
		return script->slots[value->integer];
	case RFS_DRIVER_SLOT_ADDRESS:
		return (uint64_t)&script->slots[value->integer];
	case RFS_DRIVER_ZERO:
		return (uint64_t)zero;
	case RFS_DRIVER_IDENTITY:
		return (uint64_t)identity;
	case RFS_DRIVER_DESCRIPTOR:
		return (uint64_t)open(RFS_DRIVER_FILE, O_RDWR);
	default:
		return value->integer;
	}
}

static void add_integer(struct registers *registers, uint64_t word)
{
	if (registers->n_integers < INTEGERS)
		registers->integers[registers->n_integers++] = word;
	else
		registers->stack[registers->n_stack++] = word;
}

static void call_add_vector(struct registers *registers, uint64_t word)
{
	if (registers->n_vectors < VECTORS)
		registers->vectors[registers->n_vectors++] = word;
	else
		registers->stack[registers->n_stack++] = word;
}

static void add_record(struct registers *registers, const struct rfs_driver_value *value)
{
	const uint64_t *words = value->pointer;
	size_t n_integers = 0, n_vectors = 0;

	for (const char *class = value->class; *class; class ++) {
		n_integers += *class == 'i';
		n_vectors += *class == 's';
	}
	if (value->class[0] == 'm' || registers->n_integers + n_integers > INTEGERS ||
	    registers->n_vectors + n_vectors > VECTORS) {
		memcpy(&registers->stack[registers->n_stack], words, value->n_words * sizeof(*words));
		registers->n_stack += value->n_words;
		return;
	}
	for (size_t i = 0; i < value->n_words; i++) {
		if (value->class[i] == 'i')
			add_integer(registers, words[i]);
		else if (value->class[i] == 's')
			call_add_vector(registers, words[i]);
	}
}

static void call_add_value(struct registers *registers, struct rfs_driver_script *script,
			   const struct rfs_driver_value *value)
{
	uint64_t word = 0;

	switch (value->kind) {
	case RFS_DRIVER_FLOAT:
		memcpy(&word, &value->single, sizeof(value->single));
		call_add_vector(registers, word);
		break;
	case RFS_DRIVER_DOUBLE:
		memcpy(&word, &value->real, sizeof(value->real));
		call_add_vector(registers, word);
		break;
	case RFS_DRIVER_RECORD:
		add_record(registers, value);
		break;
	default:
		add_integer(registers, integer_of(script, value));
		break;
	}
}

static void take_result(const struct registers *registers, const char *class, uint64_t returned[2])
{
	size_t n_integers = 0, n_vectors = 0;

	returned[0] = registers->result[0];
	returned[1] = 0;
	for (size_t i = 0; i < 2 && class[i] && class[i] != 'm'; i++)
		returned[i] = class[i] == 'i'	? registers->result[n_integers++]
			      : class[i] == 's' ? registers->result_vector[n_vectors++]
						: 0;
}

void rfs_driver_execute(struct rfs_driver_script *script, const struct rfs_driver_call *call, uint64_t returned[2])
{
	struct registers registers;

	/* the stack is not cleared: only the words that the call uses are read */
	memset(&registers, 0, offsetof(struct registers, stack));
	registers.n_integers = 0;
	if (call->result[0] == 'm')
		add_integer(&registers, (uint64_t)call->memory);
	for (size_t i = 0; i < call->n_values; i++)
		call_add_value(&registers, script, &call->values[i]);
	rfs_driver_trampoline(&registers, call->function);
	if (call->slot >= 0)
		script->slots[call->slot] = registers.result[0];
	if (returned)
		take_result(&registers, call->result, returned);
}
