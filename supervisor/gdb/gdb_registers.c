/*
 * gdb_registers.c - reads and writes registers, with gdb's names and numbers. The registers are those of the features
 * org.gnu.gdb.i386.core, .sse, .linux and .segments, in this order (the GDB manual, "Target Descriptions").
 *
 * gdb cannot change the registers of a parked thread, because rfsup may be in the middle of an operation of the thread
 * and will change the registers itself. A thread that is in the kernel is not stopped, so ptrace cannot read its
 * registers. /proc/PID/syscall shows rip and rsp; the others are unknown.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_asleep.h"
#include "supervisor/gdb/gdb_call.h"
#include "supervisor/gdb/gdb_interrupted.h"
#include "supervisor/state/core/thread.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

enum source {
	SOURCE_GENERAL, /* struct user_regs_struct */
	SOURCE_FLOAT,	/* struct user_fpregs_struct */
	SOURCE_TAGS,	/* the tag word: one bit for each register in user_fpregs_struct, two bits for gdb */
};

struct reg {
	const char *name, *type;
	unsigned size; /* bytes in gdb's packets */
	enum source source;
	unsigned offset, width; /* place in the source; width: bytes in the source */
};

#define GENERAL(name, field, type, size)                                                                               \
	{                                                                                                              \
		name, type, size, SOURCE_GENERAL, offsetof(struct user_regs_struct, field), 8                          \
	}
#define FLOAT(name, type, size, offset, width)                                                                         \
	{                                                                                                              \
		name, type, size, SOURCE_FLOAT, offset, width                                                          \
	}
#define ST(n) FLOAT("st" #n, "i387_ext", 10, 32 + 16 * (n), 10)
#define XMM(n) FLOAT("xmm" #n, "vec128", 16, 160 + 16 * (n), 16)

/*
 * FLOAT entries have offsets in the FXSAVE area, 64-bit form: fcw 0, fsw 2, ftw 4, fop 6, fip 8, fdp 16, mxcsr 24, st
 * 32, xmm 160.
 */
static const struct reg registers[] = {
	GENERAL("rax", rax, "int64", 8),
	GENERAL("rbx", rbx, "int64", 8),
	GENERAL("rcx", rcx, "int64", 8),
	GENERAL("rdx", rdx, "int64", 8),
	GENERAL("rsi", rsi, "int64", 8),
	GENERAL("rdi", rdi, "int64", 8),
	GENERAL("rbp", rbp, "data_ptr", 8),
	GENERAL("rsp", rsp, "data_ptr", 8),
	GENERAL("r8", r8, "int64", 8),
	GENERAL("r9", r9, "int64", 8),
	GENERAL("r10", r10, "int64", 8),
	GENERAL("r11", r11, "int64", 8),
	GENERAL("r12", r12, "int64", 8),
	GENERAL("r13", r13, "int64", 8),
	GENERAL("r14", r14, "int64", 8),
	GENERAL("r15", r15, "int64", 8),
	GENERAL("rip", rip, "code_ptr", 8),
	GENERAL("eflags", eflags, "i386_eflags", 4),
	GENERAL("cs", cs, "int32", 4),
	GENERAL("ss", ss, "int32", 4),
	GENERAL("ds", ds, "int32", 4),
	GENERAL("es", es, "int32", 4),
	GENERAL("fs", fs, "int32", 4),
	GENERAL("gs", gs, "int32", 4),
	ST(0),
	ST(1),
	ST(2),
	ST(3),
	ST(4),
	ST(5),
	ST(6),
	ST(7),
	FLOAT("fctrl", "int", 4, 0, 2),
	FLOAT("fstat", "int", 4, 2, 2),
	{"ftag", "int", 4, SOURCE_TAGS, 4, 1},
	FLOAT("fiseg", "int", 4, 12, 2),
	FLOAT("fioff", "int", 4, 8, 4),
	FLOAT("foseg", "int", 4, 20, 2),
	FLOAT("fooff", "int", 4, 16, 4),
	FLOAT("fop", "int", 4, 6, 2),
	XMM(0),
	XMM(1),
	XMM(2),
	XMM(3),
	XMM(4),
	XMM(5),
	XMM(6),
	XMM(7),
	XMM(8),
	XMM(9),
	XMM(10),
	XMM(11),
	XMM(12),
	XMM(13),
	XMM(14),
	XMM(15),
	FLOAT("mxcsr", "i386_mxcsr", 4, 24, 4),
	GENERAL("orig_rax", orig_rax, "int", 8),
	GENERAL("fs_base", fs_base, "int", 8),
	GENERAL("gs_base", gs_base, "int", 8),
};
const size_t rfs_gdb_n_registers = sizeof(registers) / sizeof(*registers);

/* XML that declares the types of registers, as in gdb's own descriptions. */
static const char core_types[] =
	"<flags id=\"i386_eflags\" size=\"4\">"
	"<field name=\"CF\" start=\"0\" end=\"0\"/><field name=\"\" start=\"1\" end=\"1\"/>"
	"<field name=\"PF\" start=\"2\" end=\"2\"/><field name=\"AF\" start=\"4\" end=\"4\"/>"
	"<field name=\"ZF\" start=\"6\" end=\"6\"/><field name=\"SF\" start=\"7\" end=\"7\"/>"
	"<field name=\"TF\" start=\"8\" end=\"8\"/><field name=\"IF\" start=\"9\" end=\"9\"/>"
	"<field name=\"DF\" start=\"10\" end=\"10\"/><field name=\"OF\" start=\"11\" end=\"11\"/>"
	"<field name=\"NT\" start=\"14\" end=\"14\"/><field name=\"RF\" start=\"16\" end=\"16\"/>"
	"<field name=\"AC\" start=\"18\" end=\"18\"/><field name=\"ID\" start=\"21\" end=\"21\"/></flags>";
static const char sse_types[] =
	"<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
	"<vector id=\"v16i8\" type=\"int8\" count=\"16\"/><vector id=\"v8i16\" type=\"int16\" count=\"8\"/>"
	"<vector id=\"v4i32\" type=\"int32\" count=\"4\"/><vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
	"<union id=\"vec128\"><field name=\"v4_float\" type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/>"
	"<field name=\"v16_int8\" type=\"v16i8\"/><field name=\"v8_int16\" type=\"v8i16\"/>"
	"<field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" type=\"v2i64\"/>"
	"<field name=\"uint128\" type=\"uint128\"/></union>"
	"<flags id=\"i386_mxcsr\" size=\"4\"><field name=\"IE\" start=\"0\" end=\"0\"/>"
	"<field name=\"DE\" start=\"1\" end=\"1\"/><field name=\"ZE\" start=\"2\" end=\"2\"/>"
	"<field name=\"OE\" start=\"3\" end=\"3\"/><field name=\"UE\" start=\"4\" end=\"4\"/>"
	"<field name=\"PE\" start=\"5\" end=\"5\"/><field name=\"DAZ\" start=\"6\" end=\"6\"/>"
	"<field name=\"IM\" start=\"7\" end=\"7\"/><field name=\"DM\" start=\"8\" end=\"8\"/>"
	"<field name=\"ZM\" start=\"9\" end=\"9\"/><field name=\"OM\" start=\"10\" end=\"10\"/>"
	"<field name=\"UM\" start=\"11\" end=\"11\"/><field name=\"PM\" start=\"12\" end=\"12\"/>"
	"<field name=\"FZ\" start=\"15\" end=\"15\"/></flags>";

/* The features. For each feature: its first register, the feature's name, and the types that the feature declares. */
static const struct feature {
	const char *first, *name, *types;
} features[] = {
	{"rax", "org.gnu.gdb.i386.core", core_types},
	{"xmm0", "org.gnu.gdb.i386.sse", sse_types},
	{"orig_rax", "org.gnu.gdb.i386.linux", ""},
	{"fs_base", "org.gnu.gdb.i386.segments", ""},
};

void rfs_gdb_write_description(FILE *out)
{
	const size_t n_features = sizeof(features) / sizeof(*features);

	fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
	      "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>",
	      out);
	for (size_t i = 0; i < rfs_gdb_n_registers; i++) {
		for (size_t f = 0; f < n_features; f++)
			if (strcmp(registers[i].name, features[f].first) == 0)
				fprintf(out, "%s<feature name=\"%s\">%s", i ? "</feature>" : "", features[f].name,
					features[f].types);
		fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>", registers[i].name, registers[i].size * 8,
			registers[i].type);
	}
	fputs("</feature></target>", out);
}

/* The registers of a thread. has_…: they could be read. */
struct file {
	struct user_regs_struct general;
	struct user_fpregs_struct floating;
	bool has_general, has_floating;
};

/* gs points to the control block of our stubs; the program does not use this register. */
static bool has_our_gs(const struct rfs_thread *thread)
{
	return rfs_stub_buffer_hold(rfs_task_space(thread->task), rfs_task_regs(thread->task)->gs_base);
}

static void gdb_registers_read_file(struct rfs_thread *thread, struct file *out)
{
	out->general = *rfs_task_regs(thread->task);
	/* the trap flag of a single step may be left in the flags; it is not the program's */
	out->general.eflags &= ~RFS_GDB_TRAP_FLAG;
	if (has_our_gs(thread))
		out->general.gs_base = 0;
	rfs_gdb_asleep_registers(thread, &out->general);
	out->has_general = true;
	out->has_floating = !rfs_gdb_interrupted_registers(thread, &out->general) &&
			    rfs_task_fpregs(thread->task, &out->floating) == 0;
}

/*
 * The tag word in the FSAVE format, which gdb expects. The tag word has two bits for each register: 0 means a number, 1
 * zero, 2 special, 3 empty. The FXSAVE format has only one bit, which says if the register is empty. So the function
 * also looks at the register's value.
 */
static uint32_t full_tags(const struct user_fpregs_struct *floating)
{
	const unsigned char *st = (const unsigned char *)floating->st_space;
	unsigned top = floating->swd >> 11 & 7;
	uint32_t tags = 0;

	for (unsigned i = 0; i < 8; i++) {
		const unsigned char *bytes = st + 16ul * ((i - top) & 7);
		uint32_t tag = 3;
		uint64_t mantissa;
		uint16_t exponent;

		memcpy(&mantissa, bytes, 8);
		memcpy(&exponent, bytes + 8, 2);
		exponent &= 0x7fff;
		if (floating->ftw >> i & 1)
			tag = exponent == 0 && mantissa == 0 ? 1 : exponent == 0x7fff || !(mantissa >> 63) ? 2 : 0;
		tags |= tag << (2 * i);
	}
	return tags;
}

static uint8_t short_tags(uint32_t tags)
{
	uint8_t out = 0;

	for (unsigned i = 0; i < 8; i++)
		if ((tags >> (2 * i) & 3) != 3)
			out = (uint8_t)(out | 1u << i);
	return out;
}

static void write_unknown(const struct reg *reg, FILE *out)
{
	for (unsigned i = 0; i < reg->size; i++)
		fputs("xx", out);
}

/* Writes a register of a thread that is in the kernel. /proc/PID/syscall contains "NR ARG0 … ARG5 SP PC" (proc(5)). */
static void write_kernel_register(const struct rfs_thread *thread, const struct reg *reg, FILE *out)
{
	unsigned long word[9], value;
	char path[64];
	FILE *file;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/syscall", rfs_task_tid(thread->task));
	file = fopen(path, "re");
	if (file) {
		n = fscanf(file, "%lu %lx %lx %lx %lx %lx %lx %lx %lx", &word[0], &word[1], &word[2], &word[3],
			   &word[4], &word[5], &word[6], &word[7], &word[8]);
		fclose(file);
	}
	if (n == 9 && (strcmp(reg->name, "rip") == 0 || strcmp(reg->name, "rsp") == 0)) {
		value = word[reg->name[1] == 'i' ? 8 : 7];
		rfs_gdb_write_hex(&value, sizeof(value), out);
		return;
	}
	write_unknown(reg, out);
}

static void write_register(const struct file *file, const struct reg *reg, FILE *out)
{
	const unsigned char *from = reg->source == SOURCE_GENERAL ? (const unsigned char *)&file->general
								  : (const unsigned char *)&file->floating;
	unsigned char bytes[16] = {0};
	uint32_t tags;

	if (!(reg->source == SOURCE_GENERAL ? file->has_general : file->has_floating)) {
		write_unknown(reg, out);
		return;
	}
	if (reg->source == SOURCE_TAGS) {
		tags = full_tags(&file->floating);
		memcpy(bytes, &tags, sizeof(tags));
	} else {
		memcpy(bytes, from + reg->offset, reg->width < reg->size ? reg->width : reg->size);
	}
	rfs_gdb_write_hex(bytes, reg->size, out);
}

void rfs_gdb_write_registers(struct rfs_thread *thread, size_t from, size_t to, FILE *out)
{
	struct file file = {0};

	if (thread->state != RFS_STATE_KERNEL)
		gdb_registers_read_file(thread, &file);
	/* right after a call it has the call's number, or not, depending on how the thread was stopped */
	if (!rfs_gdb_in_call(thread))
		file.general.orig_rax = ~0ull;
	for (size_t i = from; i < to && i < rfs_gdb_n_registers; i++) {
		if (thread->state == RFS_STATE_KERNEL)
			write_kernel_register(thread, &registers[i], out);
		else if (rfs_gdb_asleep_lost(thread, registers[i].name))
			write_unknown(&registers[i], out);
		else
			write_register(&file, &registers[i], out);
	}
}

int rfs_gdb_read_registers(struct rfs_thread *thread, size_t from, size_t to, const char *digits)
{
	struct file file = {0};
	size_t at = 0;

	if (thread->state != RFS_STATE_RUNNING || thread->at_syscall)
		return -EPERM;
	gdb_registers_read_file(thread, &file);
	if (!file.has_floating)
		return -ESRCH;
	for (size_t i = from; i < to && i < rfs_gdb_n_registers; at += 2ul * registers[i++].size) {
		const struct reg *reg = &registers[i];
		unsigned char *into = reg->source == SOURCE_GENERAL ? (unsigned char *)&file.general
								    : (unsigned char *)&file.floating;
		unsigned char bytes[16] = {0};
		uint32_t tags;

		if (strlen(digits) >= at + 2 && digits[at] == 'x')
			continue; /* "xx" means that the register keeps its value */
		if (!rfs_gdb_read_hex(digits + at, bytes, reg->size))
			return -EINVAL;
		if (reg->source == SOURCE_TAGS) {
			memcpy(&tags, bytes, sizeof(tags));
			file.floating.ftw = short_tags(tags);
		} else {
			memcpy(into + reg->offset, bytes, reg->width < reg->size ? reg->width : reg->size);
		}
	}
	if (has_our_gs(thread))
		file.general.gs_base = rfs_task_regs(thread->task)->gs_base;
	*rfs_task_regs_mut(thread->task) = file.general;
	return rfs_task_set_fpregs(thread->task, &file.floating);
}
