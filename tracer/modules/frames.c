/*
 * Finds a module's unwind tables.
 *
 * A file with PT_GNU_EH_FRAME contains a sorted table. Programs that gcc -static made may have no such segment. For
 * them, the records of .eh_frame are read once, and a table is made from these records:
 *
 *     record   length (4 bytes)  0: end
 *              id     (4 bytes)  0: a CIE, which says how addresses are encoded; otherwise: an FDE, and the distance
 *                                back to its CIE
 *              FDE: start of the function, in that encoding
 *
 * (LSB Core 5.0, 10.6.1; DWARF 4, 6.4.1.)
 */
#include "tracer/modules/frames-priv.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "tracer/modules/module-priv.h"

/* The encodings that linkers and compilers use (DW_EH_PE_*, LSB Core, 10.5.1). */
enum { PE_ABSPTR = 0x00, PE_UDATA4 = 0x03, PE_SDATA4 = 0x0b, PE_PCREL = 0x10, PE_DATAREL = 0x30 };

/* A larger section is not read. */
#define MAX_SECTION (256ul << 20)

struct source {
	int (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	void *arg;
};

struct frame_header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t count;
};

static rfs_addr find_header(const struct source *source, const struct rfs_module *module)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	/* the ELF header is at the start of the first segment */
	if (source->read(source->arg, module->start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(segment))
		return 0;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		rfs_addr at = module->start + header.e_phoff + i * sizeof(segment);

		if (source->read(source->arg, at, &segment, sizeof(segment)))
			return 0;
		if (segment.p_type == PT_GNU_EH_FRAME)
			return segment.p_vaddr + module->bias;
	}
	return 0;
}

static bool use_header(struct rfs_module_entry *entry, const struct source *source)
{
	rfs_addr at = find_header(source, &entry->module);
	struct frame_header header;

	if (!at || source->read(source->arg, at, &header, sizeof(header)) || header.version != 1 ||
	    header.frame_encoding != (PE_PCREL | PE_SDATA4) || header.count_encoding != PE_UDATA4 ||
	    header.table_encoding != (PE_DATAREL | PE_SDATA4))
		return false;
	entry->frames.base = at;
	entry->frames.table = at + sizeof(header);
	entry->frames.entries = header.count;
	return true;
}

/* Finds .eh_frame in the section headers. They are not mapped, so they are read from the file. */
static bool find_section(const char *path, Elf64_Shdr *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	Elf64_Shdr strings;
	Elf64_Ehdr header;
	char name[16];

	if (fd < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || header.e_shentsize != sizeof(*out))
		goto out;
	if (pread(fd, &strings, sizeof(strings), (off_t)(header.e_shoff + header.e_shstrndx * sizeof(strings))) !=
	    sizeof(strings))
		goto out;
	for (unsigned i = 0; !found && i < header.e_shnum; i++) {
		memset(name, 0, sizeof(name));
		if (pread(fd, out, sizeof(*out), (off_t)(header.e_shoff + i * sizeof(*out))) != sizeof(*out) ||
		    pread(fd, name, sizeof(name) - 1, (off_t)(strings.sh_offset + out->sh_name)) <= 0)
			break;
		found = !strcmp(name, ".eh_frame") && (out->sh_flags & SHF_ALLOC) && out->sh_size <= MAX_SECTION;
	}
out:
	close(fd);
	return found;
}

/* Moves *at past a LEB128 number. */
static void skip_leb128(const uint8_t *bytes, size_t size, size_t *at)
{
	while (*at < size && bytes[*at] & 0x80)
		++*at;
	++*at;
}

/* How the CIE at offset `at` encodes addresses. -1: in a way that is not supported here. */
static int address_encoding(const uint8_t *bytes, size_t size, size_t at)
{
	const char *augmentation = (const char *)bytes + at + 9;
	size_t p;

	if (at + 10 > size || bytes[at + 8] > 3 || !memchr(augmentation, 0, size - at - 9))
		return -1;
	p = at + 9 + strlen(augmentation) + 1;
	skip_leb128(bytes, size, &p); /* code alignment */
	skip_leb128(bytes, size, &p); /* data alignment */
	skip_leb128(bytes, size, &p); /* return address register */
	if (*augmentation != 'z')
		return *augmentation ? -1 : PE_ABSPTR;
	skip_leb128(bytes, size, &p); /* length of what follows */
	for (augmentation++; *augmentation && p < size; augmentation++) {
		switch (*augmentation) {
		case 'R':
			return bytes[p];
		case 'L':
			p++;
			break;
		case 'P':
			/* skip a byte with an encoding, and a pointer in this encoding */
			if ((bytes[p] & 0x0f) == PE_SDATA4 || (bytes[p] & 0x0f) == PE_UDATA4)
				p += 5;
			else if ((bytes[p] & 0x0f) == PE_ABSPTR)
				p += 9;
			else
				return -1;
			break;
		case 'S':
		case 'B':
			break;
		default:
			return -1;
		}
	}
	return PE_ABSPTR;
}

/* Sets *out to the start of the function that the FDE at offset `at` describes. The section is mapped at `start`. False
 * if the encoding is not supported. */
static bool fde_function(const uint8_t *bytes, size_t size, size_t at, rfs_addr start, rfs_addr *out)
{
	uint32_t back;
	uint64_t absolute;
	int32_t relative;

	memcpy(&back, bytes + at + 4, 4);
	if (back > at + 4 || at + 16 > size)
		return false;
	switch (address_encoding(bytes, size, at + 4 - back)) {
	case PE_PCREL | PE_SDATA4:
		memcpy(&relative, bytes + at + 8, 4);
		*out = start + at + 8 + (rfs_addr)(int64_t)relative;
		return true;
	case PE_ABSPTR:
		memcpy(&absolute, bytes + at + 8, 8);
		*out = absolute;
		return true;
	default:
		return false;
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct rfs_frame_entry *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Walks the records of .eh_frame, and writes an entry for each FDE if out is not NULL. Returns how many entries. */
static size_t frames_walk(const uint8_t *bytes, size_t size, rfs_addr start, rfs_addr base, struct rfs_frame_entry *out)
{
	size_t n = 0, at = 0;

	while (at + 8 <= size) {
		uint32_t length, id;
		rfs_addr function;

		memcpy(&length, bytes + at, 4);
		memcpy(&id, bytes + at + 4, 4);
		/* the 64-bit format of records does not occur, because no section is large enough to need it */
		if (!length || length > size - at - 4)
			break;
		if (id && fde_function(bytes, size, at, start, &function)) {
			if (out) {
				out[n].start = (int32_t)(function - base);
				out[n].fde = (int32_t)(start + at - base);
			}
			n++;
		}
		at += 4 + (size_t)length;
	}
	return n;
}

static void make_table(struct rfs_module_entry *entry, const struct source *source)
{
	struct rfs_frame_table *frames = &entry->frames;
	Elf64_Shdr section;
	uint8_t *bytes;
	rfs_addr start;
	size_t n;

	if (!find_section(entry->module.path, &section))
		return;
	start = section.sh_addr + entry->module.bias;
	bytes = malloc(section.sh_size);
	if (!bytes || source->read(source->arg, start, bytes, section.sh_size))
		goto out;
	n = frames_walk(bytes, section.sh_size, start, entry->module.start, NULL);
	frames->made = n ? calloc(n, sizeof(*frames->made)) : NULL;
	if (!frames->made)
		goto out;
	frames->entries = frames_walk(bytes, section.sh_size, start, entry->module.start, frames->made);
	qsort(frames->made, n, sizeof(*frames->made), compare_entries);
	frames->base = entry->module.start;
out:
	free(bytes);
}

void rfs_frames_find(struct rfs_module_entry *entry, int (*read)(void *arg, rfs_addr address, void *buf, size_t n),
		     void *arg)
{
	const struct source source = {.read = read, .arg = arg};

	if (entry->frames.looked)
		return;
	entry->frames.looked = true;
	if (!use_header(entry, &source))
		make_table(entry, &source);
}
