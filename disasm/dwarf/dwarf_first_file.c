/*
 * dwarf_first_file.c - finds the rows of a DWARF 5 line table that come before the first DW_LNS_set_file of their
 * sequence.
 *
 * A sequence begins with file 1 (DWARF 5, section 6.2.2), but libdwarf 20210528 begins it with file 0 in tables of
 * version 5. So these rows get a wrong file name if the unit's first code is from a header or an included .c file. With
 * libdwarf, such a row cannot be distinguished from one that names file 0 itself, as clang does. So this file scans the
 * line number program for DW_LNS_set_file.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <gelf.h>
#include <libdwarf/dwarf.h>
#include <string.h>

#define HEADER_MIN 6 /* number of bytes from minimum_instruction_length to opcode_base */

/* The unread rest of a table. */
struct bytes {
	const uint8_t *at, *end;
};

static bool dwarf_first_file_take(struct bytes *bytes, void *out, size_t n)
{
	if ((size_t)(bytes->end - bytes->at) < n)
		return false;
	memcpy(out, bytes->at, n);
	bytes->at += n;
	return true;
}

static bool dwarf_first_file_skip(struct bytes *bytes, uint64_t n)
{
	if ((uint64_t)(bytes->end - bytes->at) < n)
		return false;
	bytes->at += n;
	return true;
}

/* Reads a LEB128 number, as an unsigned one. Values of signed ones are not used. */
static bool take_leb(struct bytes *bytes, uint64_t *out)
{
	uint8_t byte;

	*out = 0;
	for (unsigned shift = 0; dwarf_first_file_take(bytes, &byte, 1); shift += 7) {
		if (shift < 64)
			*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Reads a length or an offset, of 8 bytes if is64, otherwise of 4. */
static bool take_length(struct bytes *bytes, bool is64, uint64_t *out)
{
	uint32_t narrow = 0;

	if (is64)
		return dwarf_first_file_take(bytes, out, sizeof(*out));
	if (!dwarf_first_file_take(bytes, &narrow, sizeof(narrow)))
		return false;
	*out = narrow;
	return true;
}

/* Skips the header of the table, so that bytes is the line number program. lengths gets the number of operands of each
 * standard opcode. */
static bool find_program(struct bytes *bytes, uint8_t lengths[256], uint8_t *opcode_base)
{
	struct bytes header;
	uint64_t length;
	uint16_t version;
	bool is64;

	if (!take_length(bytes, false, &length))
		return false;
	is64 = length == UINT32_MAX; /* marks the 64-bit format, section 7.4 */
	if ((is64 && !take_length(bytes, is64, &length)) || length > (uint64_t)(bytes->end - bytes->at))
		return false;
	bytes->end = bytes->at + length;
	/* skip(bytes, 2): address_size and seg_selector_size */
	if (!dwarf_first_file_take(bytes, &version, sizeof(version)) || version != 5 ||
	    !dwarf_first_file_skip(bytes, 2) || !take_length(bytes, is64, &length))
		return false;
	header = *bytes;
	if (!dwarf_first_file_skip(&header, HEADER_MIN - 1) || !dwarf_first_file_take(&header, opcode_base, 1) ||
	    *opcode_base == 0 || !dwarf_first_file_take(&header, lengths + 1, *opcode_base - 1u))
		return false;
	return dwarf_first_file_skip(bytes, length);
}

static bool skip_operands(struct bytes *bytes, uint8_t opcode, uint8_t n)
{
	uint64_t ignored;

	if (opcode == DW_LNS_fixed_advance_pc)
		return dwarf_first_file_skip(bytes, 2);
	while (n--)
		if (!take_leb(bytes, &ignored))
			return false;
	return true;
}

/* Reads one instruction. Sets *row if it makes a row, *ends if it ends the sequence, *sets if it names a file. */
static bool dwarf_first_file_step(struct bytes *bytes, const uint8_t lengths[256], uint8_t opcode_base, bool *row,
				  bool *ends, bool *sets)
{
	uint8_t opcode, extended;
	uint64_t length;

	*row = *ends = *sets = false;
	if (!dwarf_first_file_take(bytes, &opcode, 1))
		return false;
	if (opcode >= opcode_base) {
		*row = true;
		return true;
	}
	if (opcode) {
		*row = opcode == DW_LNS_copy;
		*sets = opcode == DW_LNS_set_file;
		return skip_operands(bytes, opcode, lengths[opcode]);
	}
	if (!take_leb(bytes, &length) || length == 0 || !dwarf_first_file_take(bytes, &extended, 1))
		return false;
	*ends = extended == DW_LNE_end_sequence;
	return dwarf_first_file_skip(bytes, length - 1);
}

bool rfs_dwarf_first_files(const struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_array *out)
{
	struct bytes bytes = {reader->line_table, reader->line_table + reader->line_size};
	uint8_t lengths[256] = {0}, opcode_base;
	bool row, ends, sets, named = false;
	Dwarf_Attribute attribute;
	Dwarf_Off offset;
	uint32_t rows = 0;
	int rc;

	if (!reader->line_size || dwarf_attr(die, DW_AT_stmt_list, &attribute, NULL) != DW_DLV_OK)
		return false;
	rc = dwarf_global_formref(attribute, &offset, NULL);
	dwarf_dealloc_attribute(attribute);
	if (rc != DW_DLV_OK || !dwarf_first_file_skip(&bytes, offset) || !find_program(&bytes, lengths, &opcode_base))
		return false;
	while (bytes.at < bytes.end) {
		if (!dwarf_first_file_step(&bytes, lengths, opcode_base, &row, &ends, &sets))
			return false;
		named |= sets;
		rows += row && !named;
		if (!ends)
			continue;
		*(uint32_t *)rfs_dwarf_array_add(out, sizeof(rows)) = rows;
		rows = 0;
		named = false;
	}
	return true;
}

void rfs_dwarf_line_section(struct rfs_dwarf_reader *reader, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL); /* never closed: needed until the reading process ends */
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".debug_line") != 0)
			continue;
		if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
			return;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf) {
			reader->line_table = data->d_buf;
			reader->line_size = data->d_size;
		}
		return;
	}
}
