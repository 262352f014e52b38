/*
 * elf_frames.c - the code ranges that .eh_frame describes: where the functions of a stripped file are.
 *
 * The format is that of Linux Standard Base Core 5.0, 10.6 (Exception Frames). The section consists of records. Each
 * record begins with a length and an identifier. If the identifier is 0, the record is a common entry. Otherwise it is
 * a frame entry, and the identifier is the distance back to its common entry. A frame entry then has the start and the
 * length of its code. The augmentation 'R' of the common entry says how these two are encoded.
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf-priv.h"

/* DW_EH_PE_*: the low four bits are the format, the next three say what the value is relative to. If the highest bit is
 * set, the address of the value is stored instead of the value. */
enum { PE_ABSPTR = 0, PE_UDATA2 = 2, PE_UDATA4, PE_UDATA8, PE_SDATA2 = 10, PE_SDATA4, PE_SDATA8 };
enum { PE_FORMAT = 15, PE_BASE = 0x70, PE_PCREL = 0x10, PE_INDIRECT = 0x80 };

/* Bytes not yet read, and the address at which they are loaded. */
struct cursor {
	const uint8_t *p, *end;
	rfs_addr vaddr;
};

static bool elf_frames_take(struct cursor *c, void *out, size_t n)
{
	if ((size_t)(c->end - c->p) < n)
		return false;
	if (out)
		memcpy(out, c->p, n);
	c->p += n;
	c->vaddr += n;
	return true;
}

static bool take_leb128(struct cursor *c, uint64_t *out)
{
	uint8_t byte;
	unsigned shift = 0;

	*out = 0;
	do {
		if (shift > 63 || !elf_frames_take(c, &byte, 1))
			return false;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

/* Reads a value in the given encoding. Adds the base unless `format_only` is set. False if the encoding is not
 * supported. */
static bool take_encoded(struct cursor *c, uint8_t encoding, bool format_only, uint64_t *out)
{
	rfs_addr here = c->vaddr;
	union {
		uint16_t u2;
		uint32_t u4;
		int16_t s2;
		int32_t s4;
		uint64_t u8;
	} v;
	bool ok;

	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		ok = elf_frames_take(c, &v.u8, 8);
		*out = ok ? v.u8 : 0;
		break;
	case PE_UDATA2:
		ok = elf_frames_take(c, &v.u2, 2);
		*out = ok ? v.u2 : 0;
		break;
	case PE_UDATA4:
		ok = elf_frames_take(c, &v.u4, 4);
		*out = ok ? v.u4 : 0;
		break;
	case PE_SDATA2:
		ok = elf_frames_take(c, &v.s2, 2);
		*out = ok ? (uint64_t)(int64_t)v.s2 : 0;
		break;
	case PE_SDATA4:
		ok = elf_frames_take(c, &v.s4, 4);
		*out = ok ? (uint64_t)(int64_t)v.s4 : 0;
		break;
	default:
		return false;
	}
	if (!ok || encoding & PE_INDIRECT)
		return false;
	if (format_only || !(encoding & PE_BASE))
		return true;
	*out += here;
	return (encoding & PE_BASE) == PE_PCREL;
}

/* Moves to the next record. Returns 1 and the record's content; 0 at the end; -1 if the section is damaged. */
static int next_record(struct cursor *c, struct cursor *record)
{
	uint32_t narrow;
	uint64_t length;

	if (c->p == c->end || !elf_frames_take(c, &narrow, 4))
		return c->p == c->end ? 0 : -1;
	length = narrow;
	if (narrow == 0)
		return 0;
	if (narrow == UINT32_MAX && !elf_frames_take(c, &length, 8))
		return -1;
	*record = (struct cursor){c->p, c->p + length, c->vaddr};
	if (length > (uint64_t)(c->end - c->p))
		return -1;
	return elf_frames_take(c, NULL, length) ? 1 : -1;
}

/* Sets *encoding to how the common entry at `at` encodes addresses. False if the entry is damaged, or if it is not for
 * ordinary code. */
static bool common_encoding(const uint8_t *section, const uint8_t *section_end, const uint8_t *at, uint8_t *encoding)
{
	struct cursor c = {at, section_end, 0}, record;
	const char *augmentation;
	uint64_t ignored;
	uint32_t id;
	uint8_t version, byte;

	if (at < section || at >= section_end || next_record(&c, &record) != 1)
		return false;
	if (!elf_frames_take(&record, &id, 4) || id != 0 || !elf_frames_take(&record, &version, 1))
		return false;
	augmentation = (const char *)record.p;
	if (!memchr(record.p, 0, (size_t)(record.end - record.p)))
		return false;
	elf_frames_take(&record, NULL, strlen(augmentation) + 1);
	*encoding = PE_ABSPTR;
	if (*augmentation != 'z')
		return !*augmentation;
	if (strchr(augmentation, 'S')) /* a signal trampoline: by convention its range starts one byte early, and it
					  accesses nothing */
		return false;
	/* skip the code alignment and the data alignment */
	// NOLINTNEXTLINE(misc-redundant-expression): each call takes the next one
	if (!take_leb128(&record, &ignored) || !take_leb128(&record, &ignored))
		return false;
	if (version == 1 ? !elf_frames_take(&record, &byte, 1) : !take_leb128(&record, &ignored)) /* return register */
		return false;
	if (!take_leb128(&record, &ignored))
		return false;
	for (augmentation++; *augmentation; augmentation++) {
		switch (*augmentation) {
		case 'R':
			return elf_frames_take(&record, encoding, 1);
		case 'L':
			if (!elf_frames_take(&record, &byte, 1))
				return false;
			break;
		case 'P': /* skip a pointer, of which only the size matters */
			if (!elf_frames_take(&record, &byte, 1) ||
			    !take_encoded(&record, byte & PE_FORMAT, true, &ignored))
				return false;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return true;
}

static int elf_frames_by_start(const void *a, const void *b)
{
	const struct rfs_code_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void rfs_elf_read_frames(struct rfs_elf *elf, uint64_t offset, uint64_t size, rfs_addr vaddr)
{
	const uint8_t *section = rfs_elf_bytes(elf, offset, size);
	struct cursor all, record;
	const uint8_t *last_common = NULL;
	uint8_t encoding = 0;
	bool usable = false;
	int more;

	if (!section)
		return;
	all = (struct cursor){section, section + size, vaddr};
	while ((more = next_record(&all, &record)) == 1) {
		const uint8_t *here = record.p;
		struct rfs_code_range range;
		uint64_t length;
		uint32_t back;

		if (!elf_frames_take(&record, &back, 4))
			break;
		if (back == 0)
			continue;
		if (back > (uint64_t)(here - section))
			break;
		if (here - back != last_common) {
			last_common = here - back;
			usable = common_encoding(section, section + size, last_common, &encoding);
		}
		if (!usable)
			continue;
		if (!take_encoded(&record, encoding, false, &range.start) ||
		    !take_encoded(&record, encoding, true, &length))
			break;
		range.end = range.start + length;
		if (length && range.end > range.start && rfs_elf_is_code(elf, range.start))
			rfs_elf_append(elf, &elf->frames, &range, sizeof(range));
	}
	if (more)
		rfs_elf_warn(elf, "%s: the frame table .eh_frame is damaged", elf->path);
	if (elf->frames.n)
		qsort(elf->frames.data, elf->frames.n, sizeof(struct rfs_code_range), elf_frames_by_start);
}

void rfs_elf_find_frames(struct rfs_elf *elf, uint64_t offset, uint64_t size, rfs_addr vaddr)
{
	const struct rfs_segment *segments = elf->segments.data;
	const uint8_t *header = rfs_elf_bytes(elf, offset, size);
	struct cursor c;
	uint64_t frames;

	/* byte 0 is the version, 1. Bytes 1 to 3 are the encodings of: the pointer to .eh_frame, the count, the table
	 * */
	if (!header || size < 8 || header[0] != 1)
		return;
	c = (struct cursor){header + 4, header + size, vaddr + 4};
	if (!take_encoded(&c, header[1], false, &frames))
		return;
	for (size_t i = 0; i < elf->segments.n; i++) {
		uint64_t inside = frames - segments[i].vaddr;

		if (frames >= segments[i].vaddr && inside < segments[i].filesz)
			rfs_elf_read_frames(elf, segments[i].offset + inside, segments[i].filesz - inside, frames);
	}
}
