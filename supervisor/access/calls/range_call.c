/* range_call.c - which ranges of memory a call such as memcpy accesses. */
#include "supervisor/access/calls/range_call.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"
#include "supervisor/access/calls/format_call.h"
#include "supervisor/access/calls/library_data.h"

enum argument { NONE, RDI, RSI };

/* How the size of a range follows from the arguments of the call. */
enum extent {
	COUNT,	   /* rdx bytes */
	STRING,	   /* the string that is read, with its NUL */
	BOUNDED,   /* strncpy: reads a string, but at most rdx bytes; writes rdx bytes */
	BOUNDED_2, /* strnlen: at most rsi bytes of a string; bzero: rsi bytes */
	COMMON,	   /* the common prefix of the two strings, and the byte after it */
	COMMON_N,  /* the same, but at most rdx bytes */
	CASE,	   /* as COMMON, but capital and small letters are the same */
	CASE_N,	   /* the same, but at most rdx bytes */
	OTHER,	   /* stpcpy: the string that is read, with its NUL */
	APPEND,	   /* strcat: the string that is read, with its NUL; the call appends it to another string */
	APPEND_N,  /* strncat: the same, but at most rdx bytes and a NUL */
	FIND,	   /* memchr: up to the byte in rsi, at most rdx bytes */
	FIND_RAW,  /* rawmemchr: up to the byte in rsi */
	FIND_LAST, /* memrchr: from the last byte that is rsi to the end of rdx bytes */
	FIND_CHAR, /* strchr: up to the byte in rsi or the NUL */
	PRODUCT,   /* fwrite: rsi * rdx bytes */
	NUMBER,	   /* strtol: blanks, a sign, decimal digits, and the byte after them; it may be more */
	/* The next three are late. */
	RESULT,	       /* read: as many bytes as the call returns, at most rdx */
	RESULT_BLOCKS, /* fread: rsi bytes for each element that the call returns, at most rdx of them */
	RESULT_LINE,   /* fgets: a string, at most rsi bytes, if the call does not return NULL */
};

struct row {
	const char *name;
	enum rfs_range_shape shape;
	enum argument read, read2, write;
	enum extent extent;
	bool returns_end;
};

static const struct row rows[] = {
	{"memcpy", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, false},
	{"memmove", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, false},
	{"__memcpy_chk", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, false},
	{"__memmove_chk", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, false},
	{"mempcpy", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, true},
	{"__mempcpy_chk", RFS_RANGE_COPY, RSI, NONE, RDI, COUNT, true},
	{"memset", RFS_RANGE_FILL, NONE, NONE, RDI, COUNT, false},
	{"__memset_chk", RFS_RANGE_FILL, NONE, NONE, RDI, COUNT, false},
	{"bzero", RFS_RANGE_TOUCH, NONE, NONE, RDI, BOUNDED_2, false},
	{"memcmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COUNT, false},
	{"bcmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COUNT, false},
	{"memchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND, false},
	{"memrchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND_LAST, false},
	{"rawmemchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND_RAW, false},
	{"strlen", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strnlen", RFS_RANGE_TOUCH, RDI, NONE, NONE, BOUNDED_2, false},
	{"strchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND_CHAR, false},
	{"index", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND_CHAR, false},
	{"strchrnul", RFS_RANGE_TOUCH, RDI, NONE, NONE, FIND_CHAR, false},
	{"rindex", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"puts", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"fputs", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strndup", RFS_RANGE_TOUCH, RDI, NONE, NONE, BOUNDED_2, false},
	{"strrchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strdup", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strcmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON, false},
	{"strcasecmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, CASE, false},
	{"strncmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON_N, false},
	{"strncasecmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, CASE_N, false},
	{"strcpy", RFS_RANGE_COPY, RSI, NONE, RDI, STRING, false},
	{"__strcpy_chk", RFS_RANGE_COPY, RSI, NONE, RDI, STRING, false},
	{"stpcpy", RFS_RANGE_TOUCH, RSI, NONE, RDI, OTHER, false},
	{"strncpy", RFS_RANGE_TOUCH, RSI, NONE, RDI, BOUNDED, false},
	{"__strncpy_chk", RFS_RANGE_TOUCH, RSI, NONE, RDI, BOUNDED, false},
	{"strcat", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND, false},
	{"__strcat_chk", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND, false},
	{"strncat", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND_N, false},
	{"__strncat_chk", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND_N, false},
	{"fwrite", RFS_RANGE_TOUCH, RDI, NONE, NONE, PRODUCT, false},
	{"write", RFS_RANGE_TOUCH, RSI, NONE, NONE, COUNT, false},
	{"pwrite", RFS_RANGE_TOUCH, RSI, NONE, NONE, COUNT, false},
	{"pwrite64", RFS_RANGE_TOUCH, RSI, NONE, NONE, COUNT, false},
	{"send", RFS_RANGE_TOUCH, RSI, NONE, NONE, COUNT, false},
	{"sendto", RFS_RANGE_TOUCH, RSI, NONE, NONE, COUNT, false},
	{"read", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"__read_chk", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"pread", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"__pread_chk", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"pread64", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"__pread64_chk", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"recv", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"__recv_chk", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"recvfrom", RFS_RANGE_TOUCH, NONE, NONE, RSI, RESULT, false},
	{"fread", RFS_RANGE_TOUCH, NONE, NONE, RDI, RESULT_BLOCKS, false},
	{"fgets", RFS_RANGE_TOUCH, NONE, NONE, RDI, RESULT_LINE, false},
	{"__fgets_chk", RFS_RANGE_TOUCH, NONE, NONE, RDI, RESULT_LINE, false},
	{"qsort", RFS_RANGE_TOUCH, NONE, NONE, RDI, PRODUCT, false},
	{"qsort_r", RFS_RANGE_TOUCH, NONE, NONE, RDI, PRODUCT, false},
	{"strtol", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"strtoul", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"strtoll", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"strtoull", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"__isoc23_strtol", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"__isoc23_strtoul", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"__isoc23_strtoll", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"__isoc23_strtoull", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"strtod", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"strtof", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"atoi", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"atol", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"atoll", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"atof", RFS_RANGE_TOUCH, RDI, NONE, NONE, NUMBER, false},
	{"free", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"realloc", RFS_RANGE_RESIZE, NONE, NONE, RDI, COUNT, false},
	{"reallocarray", RFS_RANGE_RESIZE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPv", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvm", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdaPv", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdaPvm", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvSt11align_val_t", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvmSt11align_val_t", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
};

/* Functions that change one object of the caller. */
static const struct fixed {
	const char *name;
	enum argument object;
	size_t size;
} fixed[] = {
	{"rand_r", RDI, sizeof(unsigned)},
	{"erand48", RDI, 3 * sizeof(short)},
	{"nrand48", RDI, 3 * sizeof(short)},
	{"jrand48", RDI, 3 * sizeof(short)},
	{"drand48_r", RDI, sizeof(struct drand48_data)},
	{"lrand48_r", RDI, sizeof(struct drand48_data)},
	{"mrand48_r", RDI, sizeof(struct drand48_data)},
	{"random_r", RDI, sizeof(struct random_data)},
	{"time", RDI, sizeof(time_t)},
	{"gettimeofday", RDI, sizeof(struct timeval)},
	{"clock_gettime", RSI, sizeof(struct timespec)},
	{"mktime", RDI, sizeof(struct tm)},
	{"timegm", RDI, sizeof(struct tm)},
	{"localtime_r", RSI, sizeof(struct tm)},
	{"gmtime_r", RSI, sizeof(struct tm)},
};

static const struct fixed *fixed_of(const char *callee)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (strcmp(fixed[i].name, callee) == 0)
			return &fixed[i];
	return NULL;
}

static const struct row *range_call_row_of(const char *callee)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, callee) == 0)
			return &rows[i];
	return NULL;
}

/* The range is a block of the heap, whose size the heap knows. */
static bool is_of_block(const struct row *row)
{
	return row->shape == RFS_RANGE_FREE || row->shape == RFS_RANGE_RESIZE;
}

bool rfs_range_call_known(const char *callee)
{
	return range_call_row_of(callee) || fixed_of(callee) || rfs_format_call_known(callee) ||
	       rfs_library_data_known(callee);
}

bool rfs_range_call_is(const struct rfs_code_site *site)
{
	static const char *const reserved[] = {"mem", "str", "stp", "_", "free", "realloc", "rawmem", "bcmp", "bzero"};

	if (site->kind != RFS_CODE_CALL || !rfs_range_call_known(site->callee))
		return false;
	if (!site->local)
		return true;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (strncmp(site->callee, reserved[i], strlen(reserved[i])) == 0)
			return true;
	return false;
}

static void range_call_add_argument(struct rfs_stub_call *out, enum rfs_operand_kind kind, enum argument argument,
				    uint8_t flags)
{
	if (argument == NONE)
		return;
	out->argument[out->n].kind = (uint8_t)kind;
	out->argument[out->n].reg = argument == RDI ? RFS_RDI : RFS_RSI;
	out->argument[out->n++].flags = flags;
}

bool rfs_range_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	const struct row *row = range_call_row_of(site->callee);

	*out = (struct rfs_stub_call){0};
	if (!row || !rfs_range_call_is(site))
		return false;
	if (is_of_block(row)) {
		range_call_add_argument(out, row->shape == RFS_RANGE_FREE ? RFS_OPERAND_BLOCK : RFS_OPERAND_RESIZED,
					row->write, RFS_MEM_WRITE);
		return true;
	}
	if (row->extent != COUNT && (row->extent != BOUNDED_2 || row->read != NONE))
		return false;
	out->argument[0].kind = RFS_OPERAND_COUNT;
	out->argument[0].reg = row->extent == COUNT ? RFS_RDX : RFS_RSI;
	out->n = 1;
	range_call_add_argument(out, RFS_OPERAND_RANGE, row->read, RFS_MEM_READ);
	range_call_add_argument(out, RFS_OPERAND_RANGE, row->read2, RFS_MEM_READ);
	range_call_add_argument(out, RFS_OPERAND_RANGE, row->write, RFS_MEM_WRITE);
	return true;
}

#define CHUNK 64

/*
 * The number of bytes from s up to the first `byte` or `other`, with it, but at most max. 0 if memory cannot be read
 * before that. Reads in aligned chunks, because the memory after the string may not be mapped.
 */
static uint64_t size_up_to(const struct rfs_range_reader *r, rfs_addr s, int byte, int other, uint64_t max)
{
	unsigned char buf[CHUNK];
	uint64_t done = 0;

	while (done < max) {
		size_t n = CHUNK - (s + done) % CHUNK;

		if (!r->read(r->arg, s + done, buf, n))
			return 0;
		for (size_t i = 0; i < n; i++)
			if (buf[i] == (unsigned char)byte || buf[i] == (unsigned char)other)
				return done + i + 1 < max ? done + i + 1 : max;
		done += n;
	}
	return max;
}

uint64_t rfs_range_string_size(const struct rfs_range_reader *r, rfs_addr s, uint64_t max)
{
	return size_up_to(r, s, 0, 0, max);
}

/* The number of bytes from the last `byte` of n bytes to their end. All bytes, if none is there. */
static uint64_t size_from_last(const struct rfs_range_reader *r, rfs_addr s, int byte, uint64_t n)
{
	unsigned char c;

	for (uint64_t size = 1; size <= n; size++) {
		if (!r->read(r->arg, s + n - size, &c, 1))
			return 0;
		if (c == (unsigned char)byte)
			return size;
	}
	return n;
}

static uint64_t common_size(const struct rfs_range_reader *r, rfs_addr a, rfs_addr b, uint64_t max, bool any_case)
{
	unsigned char x, y;
	uint64_t n = 0;

	while (n < max && r->read(r->arg, a + n, &x, 1) && r->read(r->arg, b + n, &y, 1)) {
		n++;
		if ((any_case ? tolower(x) != tolower(y) : x != y) || x == 0)
			break;
	}
	return n;
}

static bool next_byte(const struct rfs_range_reader *r, rfs_addr s, uint64_t *n, char *c)
{
	if (!r->read(r->arg, s + *n, c, 1))
		return false;
	++*n;
	return true;
}

static uint64_t number_size(const struct rfs_range_reader *r, rfs_addr s)
{
	uint64_t n = 0;
	char c = ' ';

	while (isspace((unsigned char)c))
		if (!next_byte(r, s, &n, &c))
			return n;
	if ((c == '-' || c == '+') && !next_byte(r, s, &n, &c))
		return n;
	while (isdigit((unsigned char)c) && next_byte(r, s, &n, &c))
		;
	return n;
}

static rfs_addr range_call_value_of(enum argument argument, const struct user_regs_struct *regs)
{
	return argument == RDI ? regs->rdi : regs->rsi;
}

static void range_call_add(struct rfs_range_call *out, rfs_addr address, uint64_t size, bool write)
{
	out->range[out->n++] = (struct rfs_touched_range){address, size, write, false};
}

static bool ends_in_nul(const struct rfs_range_reader *r, rfs_addr last)
{
	char c;

	return r->read(r->arg, last, &c, 1) && c == '\0';
}

/* The same without data of the library. */
static bool look_at_memory(const char *callee, const struct user_regs_struct *regs, bool entry,
			   const struct rfs_range_reader *r, struct rfs_range_call *out)
{
	const struct row *row = range_call_row_of(callee);
	const struct fixed *object = row ? NULL : fixed_of(callee);
	uint64_t size = 0, written;

	*out = (struct rfs_range_call){0};
	if (object && range_call_value_of(object->object, regs))
		range_call_add(out, range_call_value_of(object->object, regs), object->size, true);
	if (!row && rfs_format_call_known(callee))
		rfs_format_call_look(callee, regs, entry, r, out);
	if (!row)
		return out->n > 0;
	out->shape = row->shape;
	if (is_of_block(row)) {
		range_call_add(out, regs->rdi, 0, true);
		return regs->rdi != 0;
	}
	switch (row->extent) {
	case COUNT:
		size = regs->rdx;
		break;
	case STRING:
	case OTHER:
	case APPEND:
		size = rfs_range_string_size(r, range_call_value_of(row->read, regs), SIZE_MAX / 2);
		break;
	case BOUNDED:
		size = rfs_range_string_size(r, range_call_value_of(row->read, regs), regs->rdx);
		break;
	case FIND:
		size = size_up_to(r, regs->rdi, (int)regs->rsi, (int)regs->rsi, regs->rdx);
		break;
	case FIND_RAW:
		size = size_up_to(r, regs->rdi, (int)regs->rsi, (int)regs->rsi, SIZE_MAX / 2);
		break;
	case FIND_LAST:
		size = size_from_last(r, regs->rdi, (int)regs->rsi, regs->rdx);
		break;
	case FIND_CHAR:
		size = size_up_to(r, regs->rdi, (int)regs->rsi, 0, SIZE_MAX / 2);
		break;
	case APPEND_N:
		size = rfs_range_string_size(r, regs->rsi, regs->rdx);
		break;
	case RESULT:
		size = regs->rdx;
		break;
	case PRODUCT:
	case RESULT_BLOCKS:
		if (__builtin_mul_overflow(regs->rsi, regs->rdx, &size))
			size = 0;
		break;
	case RESULT_LINE:
		size = (uint32_t)regs->rsi;
		break;
	case BOUNDED_2:
		size = row->read == NONE ? regs->rsi : rfs_range_string_size(r, regs->rdi, regs->rsi);
		break;
	case COMMON:
	case CASE:
		size = common_size(r, regs->rdi, regs->rsi, SIZE_MAX / 2, row->extent == CASE);
		break;
	case COMMON_N:
	case CASE_N:
		size = common_size(r, regs->rdi, regs->rsi, regs->rdx, row->extent == CASE_N);
		break;
	case NUMBER:
		size = number_size(r, regs->rdi);
		break;
	}
	if (size == 0)
		return false;
	written = row->extent == BOUNDED ? regs->rdx : size;
	if (row->read != NONE)
		range_call_add(out,
			       range_call_value_of(row->read, regs) + (row->extent == FIND_LAST ? regs->rdx - size : 0),
			       size, false);
	if (row->read2 != NONE)
		range_call_add(out, range_call_value_of(row->read2, regs), size, false);
	if (row->extent == APPEND || row->extent == APPEND_N) {
		/* if strncat() cuts the string, it adds a NUL */
		uint64_t cut = row->extent == APPEND_N && !ends_in_nul(r, regs->rsi + size - 1);
		uint64_t there = rfs_range_string_size(r, regs->rdi, SIZE_MAX / 2);

		if (there == 0)
			return false;
		range_call_add(out, regs->rdi, there, false);
		range_call_add(out, regs->rdi + there - 1, size + cut, true);
	} else if (row->write != NONE) {
		range_call_add(out, range_call_value_of(row->write, regs), written, true);
		out->range[out->n - 1].late = row->extent >= RESULT;
	}
	out->result = regs->rdi + (row->returns_end ? size : 0);
	out->fill = (unsigned char)regs->rsi;
	return true;
}

bool rfs_range_call_look(const char *callee, const struct user_regs_struct *regs, bool entry,
			 const struct rfs_range_reader *r, struct rfs_range_call *out)
{
	if (!look_at_memory(callee, regs, entry, r, out))
		*out = (struct rfs_range_call){0};
	out->n_uses = rfs_library_data_look(callee, regs, out->use);
	return out->n + out->n_uses > 0;
}

bool rfs_range_call_result(const char *callee, const struct user_regs_struct *regs, bool entry, uint64_t result,
			   const struct rfs_range_reader *r, struct rfs_range_call *out)
{
	const struct row *row = range_call_row_of(callee);
	uint64_t size = 0;

	*out = (struct rfs_range_call){0};
	if (!row && rfs_format_call_known(callee))
		rfs_format_call_result(callee, regs, entry, result, r, out);
	if (!row || row->extent < RESULT)
		return out->n > 0;
	if (row->extent == RESULT_LINE)
		size = result ? rfs_range_string_size(r, regs->rdi, (uint32_t)regs->rsi) : 0;
	else if ((int64_t)result > 0 && result <= regs->rdx)
		size = row->extent == RESULT ? result : result * regs->rsi;
	if (size)
		range_call_add(out, range_call_value_of(row->write, regs), size, true);
	return size > 0;
}
