/* range_call.c - which ranges of memory a call such as memcpy accesses. */
#include "supervisor/access/range_call.h"

#include <stdint.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

enum argument { NONE, RDI, RSI };

/* How the size of a range follows from the arguments of the call. */
enum extent {
	COUNT,	   /* rdx bytes */
	STRING,	   /* the string that is read, with its NUL */
	BOUNDED,   /* strncpy: reads a string, but at most rdx bytes; writes rdx bytes */
	BOUNDED_2, /* strnlen: at most rsi bytes of a string; bzero: rsi bytes */
	COMMON,	   /* the common prefix of the two strings, and the byte after it */
	OTHER,	   /* stpcpy: the string that is read, with its NUL */
	APPEND,	   /* strcat: the string that is read, with its NUL; the call appends it to another string */
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
	{"memchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, COUNT, false},
	{"memrchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, COUNT, false},
	{"strlen", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strnlen", RFS_RANGE_TOUCH, RDI, NONE, NONE, BOUNDED_2, false},
	{"strchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strrchr", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strdup", RFS_RANGE_TOUCH, RDI, NONE, NONE, STRING, false},
	{"strcmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON, false},
	{"strcasecmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON, false},
	{"strncmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON, false},
	{"strncasecmp", RFS_RANGE_TOUCH, RDI, RSI, NONE, COMMON, false},
	{"strcpy", RFS_RANGE_COPY, RSI, NONE, RDI, STRING, false},
	{"__strcpy_chk", RFS_RANGE_COPY, RSI, NONE, RDI, STRING, false},
	{"stpcpy", RFS_RANGE_TOUCH, RSI, NONE, RDI, OTHER, false},
	{"strncpy", RFS_RANGE_TOUCH, RSI, NONE, RDI, BOUNDED, false},
	{"__strncpy_chk", RFS_RANGE_TOUCH, RSI, NONE, RDI, BOUNDED, false},
	{"strcat", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND, false},
	{"__strcat_chk", RFS_RANGE_TOUCH, RSI, NONE, RDI, APPEND, false},
	{"free", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPv", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvm", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdaPv", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdaPvm", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvSt11align_val_t", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
	{"_ZdlPvmSt11align_val_t", RFS_RANGE_FREE, NONE, NONE, RDI, COUNT, false},
};

static const struct row *row_of(const char *callee)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, callee) == 0)
			return &rows[i];
	return NULL;
}

bool rfs_range_call_known(const char *callee)
{
	return row_of(callee) != NULL;
}

static void add_argument(struct rfs_stub_call *out, enum rfs_operand_kind kind, enum argument argument, uint8_t flags)
{
	if (argument == NONE)
		return;
	out->argument[out->n].kind = (uint8_t)kind;
	out->argument[out->n].reg = argument == RDI ? RFS_RDI : RFS_RSI;
	out->argument[out->n++].flags = flags;
}

bool rfs_range_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out)
{
	const struct row *row = row_of(site->callee);

	*out = (struct rfs_stub_call){0};
	if (!row)
		return false;
	if (row->shape == RFS_RANGE_FREE) {
		add_argument(out, RFS_OPERAND_BLOCK, row->write, RFS_MEM_WRITE);
		return true;
	}
	if (row->extent != COUNT && (row->extent != BOUNDED_2 || row->read != NONE))
		return false;
	out->argument[0].kind = RFS_OPERAND_COUNT;
	out->argument[0].reg = row->extent == COUNT ? RFS_RDX : RFS_RSI;
	out->n = 1;
	add_argument(out, RFS_OPERAND_RANGE, row->read, RFS_MEM_READ);
	add_argument(out, RFS_OPERAND_RANGE, row->read2, RFS_MEM_READ);
	add_argument(out, RFS_OPERAND_RANGE, row->write, RFS_MEM_WRITE);
	return true;
}

struct reader {
	bool (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	void *arg;
};

#define CHUNK 64

/*
 * The size of a string with its NUL, at most max bytes. 0 if memory cannot be read before the NUL is found. Reads in
 * aligned chunks, because the memory after the string may not be mapped.
 */
static uint64_t string_size(const struct reader *r, rfs_addr s, uint64_t max)
{
	unsigned char buf[CHUNK];
	uint64_t done = 0;

	while (done < max) {
		size_t n = CHUNK - (s + done) % CHUNK;
		const unsigned char *nul;

		if (!r->read(r->arg, s + done, buf, n))
			return 0;
		nul = memchr(buf, 0, n);
		if (nul)
			return done + (uint64_t)(nul - buf) + 1 < max ? done + (uint64_t)(nul - buf) + 1 : max;
		done += n;
	}
	return max;
}

static uint64_t common_size(const struct reader *r, rfs_addr a, rfs_addr b, uint64_t max)
{
	unsigned char x, y;
	uint64_t n = 0;

	while (n < max && r->read(r->arg, a + n, &x, 1) && r->read(r->arg, b + n, &y, 1)) {
		n++;
		if (x != y || x == 0)
			break;
	}
	return n;
}

static rfs_addr range_call_value_of(enum argument argument, const struct user_regs_struct *regs)
{
	return argument == RDI ? regs->rdi : regs->rsi;
}

static void range_call_add(struct rfs_range_call *out, rfs_addr address, uint64_t size, bool write)
{
	out->range[out->n++] = (struct rfs_touched_range){address, size, write};
}

bool rfs_range_call_look(const char *callee, const struct user_regs_struct *regs,
			 bool (*read)(void *arg, rfs_addr address, void *buf, size_t n), void *arg,
			 struct rfs_range_call *out)
{
	const struct row *row = row_of(callee);
	struct reader r = {read, arg};
	uint64_t size = 0, written;

	*out = (struct rfs_range_call){0};
	if (!row)
		return false;
	out->shape = row->shape;
	if (row->shape == RFS_RANGE_FREE) {
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
		size = string_size(&r, range_call_value_of(row->read, regs), SIZE_MAX / 2);
		break;
	case BOUNDED:
		size = string_size(&r, range_call_value_of(row->read, regs), regs->rdx);
		break;
	case BOUNDED_2:
		size = row->read == NONE ? regs->rsi : string_size(&r, regs->rdi, regs->rsi);
		break;
	case COMMON:
		size = common_size(&r, regs->rdi, regs->rsi,
				   strstr(row->name, "strn") == row->name ? regs->rdx : SIZE_MAX / 2);
		break;
	}
	if (size == 0)
		return false;
	written = row->extent == BOUNDED ? regs->rdx : size;
	if (row->read != NONE)
		range_call_add(out, range_call_value_of(row->read, regs), size, false);
	if (row->read2 != NONE)
		range_call_add(out, range_call_value_of(row->read2, regs), size, false);
	if (row->extent == APPEND) {
		uint64_t there = string_size(&r, regs->rdi, SIZE_MAX / 2);

		if (there == 0)
			return false;
		range_call_add(out, regs->rdi, there, false);
		range_call_add(out, regs->rdi + there - 1, size, true);
	} else if (row->write != NONE) {
		range_call_add(out, regs->rdi, written, true);
	}
	out->result = regs->rdi + (row->returns_end ? size : 0);
	out->fill = (unsigned char)regs->rsi;
	return true;
}
