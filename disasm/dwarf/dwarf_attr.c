/*
 * dwarf_attr.c - reads the attributes of one entry of .debug_info, through libdwarf, into a node.
 *
 * If the form of an attribute is not supported, the attribute counts as absent. Examples are a computed location and a
 * name in another file. An attribute that cannot be read is damage.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <errno.h>
#include <libdwarf/dwarf.h>
#include <string.h>

/* More ranges than this for one function are damage. */
#define RANGES_MAX 65536

/* Values that are used only after all attributes of the entry were read. */
struct pending {
	Dwarf_Attribute ranges;
	bool has_low, has_high, high_is_offset, has_location, has_upper;
	uint64_t low, high, upper;
	bool has_bits, has_data_bits, has_old_bits;
	uint64_t bits, data_bits, old_bits;
};

static bool form_is_block(Dwarf_Half form)
{
	return form == DW_FORM_block1 || form == DW_FORM_block2 || form == DW_FORM_block4 || form == DW_FORM_block;
}

static bool read_unsigned(Dwarf_Attribute attribute, uint64_t *value)
{
	Dwarf_Unsigned u;
	Dwarf_Signed s;

	if (dwarf_formudata(attribute, &u, NULL) == DW_DLV_OK) {
		*value = u;
		return true;
	}
	if (dwarf_formsdata(attribute, &s, NULL) == DW_DLV_OK && s >= 0) {
		*value = (uint64_t)s;
		return true;
	}
	return false;
}

static uint32_t read_small(Dwarf_Attribute attribute)
{
	uint64_t value;

	return read_unsigned(attribute, &value) && value < UINT32_MAX ? (uint32_t)value : 0;
}

static uint32_t read_string(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute)
{
	char *s;

	if (dwarf_formstring(attribute, &s, NULL) != DW_DLV_OK)
		return 0;
	return rfs_dwarf_intern(&reader->tables, s, strlen(s));
}

static rfs_dwarf_ref read_ref(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute)
{
	Dwarf_Sig8 signature;
	Dwarf_Half form;
	Dwarf_Off offset;

	if (dwarf_whatform(attribute, &form, NULL) != DW_DLV_OK)
		return RFS_DWARF_NO_REF;
	switch (form) {
	case DW_FORM_ref_sig8:
		if (dwarf_formsig8(attribute, &signature, NULL) != DW_DLV_OK)
			return RFS_DWARF_NO_REF;
		memcpy(rfs_dwarf_array_add(&reader->wanted, sizeof(uint64_t)), &signature, sizeof(uint64_t));
		return RFS_DWARF_REF_SIGNATURE | (reader->wanted.n - 1);
	case DW_FORM_GNU_ref_alt: /* refers to a file that several debug files share (dwz -m) */
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return RFS_DWARF_NO_REF;
	default:
		if (dwarf_global_formref(attribute, &offset, NULL) != DW_DLV_OK || offset >= RFS_DWARF_REF_SIGNATURE)
			return RFS_DWARF_NO_REF;
		return offset | (reader->unit.in_types && form != DW_FORM_ref_addr ? RFS_DWARF_REF_TYPES : 0);
	}
}

/* The bytes of an expression. False if the attribute is a location list or no expression. */
static bool read_expression(Dwarf_Attribute attribute, const uint8_t **bytes, uint64_t *n)
{
	Dwarf_Unsigned length;
	Dwarf_Block *block;
	Dwarf_Ptr start;
	Dwarf_Half form;

	if (dwarf_whatform(attribute, &form, NULL) != DW_DLV_OK)
		return false;
	if (form == DW_FORM_exprloc && dwarf_formexprloc(attribute, &length, &start, NULL) == DW_DLV_OK) {
		*bytes = start;
		*n = length;
		return true;
	}
	if (form_is_block(form) && dwarf_formblock(attribute, &block, NULL) == DW_DLV_OK) {
		*bytes = block->bl_data;
		*n = block->bl_len;
		return true;
	}
	return false;
}

/* Decodes a ULEB128 number that must take exactly n bytes. */
static bool whole_uleb(const uint8_t *bytes, uint64_t n, uint64_t *value)
{
	*value = 0;
	if (!n || n > 9)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		*value |= (uint64_t)(bytes[i] & 0x7f) << (7 * i);
		if (!(bytes[i] & 0x80))
			return i + 1 == n;
	}
	return false;
}

/* The address of a static variable, if its location is only DW_OP_addr or DW_OP_addrx. Thread-local variables have more
 * operators, so this returns false for them. */
static bool read_address(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute, uint64_t *address)
{
	const uint8_t *bytes;
	Dwarf_Addr addr;
	uint64_t n, index;

	if (!read_expression(attribute, &bytes, &n) || !n)
		return false;
	if (bytes[0] == DW_OP_addr && n == 1 + sizeof(*address)) {
		memcpy(address, bytes + 1, sizeof(*address));
		return true;
	}
	if ((bytes[0] == DW_OP_addrx || bytes[0] == DW_OP_GNU_addr_index) && whole_uleb(bytes + 1, n - 1, &index) &&
	    dwarf_debug_addr_index_to_addr(reader->unit.die, index, &addr, NULL) == DW_DLV_OK) {
		*address = addr;
		return true;
	}
	return false;
}

/* Decodes a SLEB128 number that must take exactly n bytes. */
static bool whole_sleb(const uint8_t *bytes, uint64_t n, int64_t *value)
{
	uint64_t bits;

	if (!whole_uleb(bytes, n, &bits))
		return false;
	if (bytes[n - 1] & 0x40)
		bits |= ~0ull << (7 * n);
	*value = (int64_t)bits;
	return true;
}

/* The offset of an automatic variable from the frame base, if its location is only DW_OP_fbreg. */
static bool read_frame_offset(Dwarf_Attribute attribute, uint64_t *offset)
{
	const uint8_t *bytes;
	int64_t value;
	uint64_t n;

	if (!read_expression(attribute, &bytes, &n) || !n || bytes[0] != DW_OP_fbreg ||
	    !whole_sleb(bytes + 1, n - 1, &value))
		return false;
	*offset = (uint64_t)value;
	return true;
}

/*
 * Notes the offset of a function's frame base from the canonical frame address, or that the base is the stack pointer.
 * Other bases move. A function with %rbp as its base has pushed it below its return address.
 */
static void read_frame_base(Dwarf_Attribute attribute, struct rfs_dwarf_node *node)
{
	const uint8_t *bytes;
	int64_t below;
	uint64_t n;

	if (!read_expression(attribute, &bytes, &n) || !n)
		return;
	/* LLVM 20 and newer: the stack pointer of the body, as DW_OP_call_frame_cfa DW_OP_consts -SIZE DW_OP_plus */
	if (n > 3 && bytes[0] == DW_OP_call_frame_cfa && bytes[1] == DW_OP_consts && bytes[n - 1] == DW_OP_plus &&
	    whole_sleb(bytes + 2, n - 3, &below)) {
		node->location = (uint64_t)below;
		node->flags |= RFS_DWARF_BASED;
	}
	if (n != 1)
		return;
	if (bytes[0] == DW_OP_reg6 || bytes[0] == DW_OP_call_frame_cfa) {
		node->location = bytes[0] == DW_OP_reg6 ? (uint64_t)-16 : 0;
		node->flags |= RFS_DWARF_BASED;
	} else if (bytes[0] == DW_OP_reg7) {
		node->flags |= RFS_DWARF_ON_RSP;
	}
}

/* The offset of a member: a constant or, in DWARF 2, only DW_OP_plus_uconst. False for virtual bases. */
static bool read_offset(Dwarf_Attribute attribute, uint64_t *offset)
{
	const uint8_t *bytes;
	uint64_t n;

	if (read_expression(attribute, &bytes, &n))
		return n && bytes[0] == DW_OP_plus_uconst && whole_uleb(bytes + 1, n - 1, offset);
	return read_unsigned(attribute, offset);
}

static void dwarf_attr_add_range(struct rfs_dwarf_reader *reader, struct rfs_dwarf_node *node, rfs_addr start,
				 rfs_addr end)
{
	struct rfs_dwarf_range *range;

	/* Functions that the linker discarded keep their entries, but the module has no code at their addresses. */
	if (start >= end || !rfs_dwarf_range_holds(&reader->code, start) ||
	    !rfs_dwarf_range_holds(&reader->code, end - 1))
		return;
	if (!node->n_ranges)
		node->range = (uint32_t)reader->ranges.n;
	range = rfs_dwarf_array_add(&reader->ranges, sizeof(*range));
	range->start = start;
	range->end = end;
	node->n_ranges++;
}

/* Reads a list of .debug_rnglists (DWARF 5 section 2.17.3). */
static int read_rnglist(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute, Dwarf_Half form, uint64_t value,
			struct rfs_dwarf_node *node)
{
	Dwarf_Unsigned n, offset, raw1, raw2, start, end;
	Dwarf_Rnglists_Head head;
	unsigned length, code;
	Dwarf_Bool unavailable;

	if (dwarf_rnglists_get_rle_head(attribute, form, value, &head, &n, &offset, NULL) != DW_DLV_OK)
		return -EBADMSG;
	for (Dwarf_Unsigned i = 0; i < n && i < RANGES_MAX; i++) {
		if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw1, &raw2, &unavailable, &start, &end,
						      NULL) != DW_DLV_OK)
			break;
		if (code == DW_RLE_end_of_list)
			break;
		if (!unavailable && code != DW_RLE_base_address && code != DW_RLE_base_addressx)
			dwarf_attr_add_range(reader, node, start, end);
	}
	dwarf_dealloc_rnglists_head(head);
	return 0;
}

/* Reads a list of .debug_ranges (DWARF 4 section 2.17.3). Its offsets are relative to a base, at first the unit's low
 * pc. */
static int read_range_list(struct rfs_dwarf_reader *reader, uint64_t offset, struct rfs_dwarf_node *node)
{
	rfs_addr base = reader->unit.base;
	Dwarf_Unsigned bytes;
	Dwarf_Ranges *list;
	Dwarf_Signed n;
	Dwarf_Off real;

	if (dwarf_get_ranges_b(reader->dbg, offset, reader->unit.die, &real, &list, &n, &bytes, NULL) != DW_DLV_OK)
		return -EBADMSG;
	for (Dwarf_Signed i = 0; i < n && i < RANGES_MAX && list[i].dwr_type != DW_RANGES_END; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else
			dwarf_attr_add_range(reader, node, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
	}
	dwarf_ranges_dealloc(reader->dbg, list, n);
	return 0;
}

static int read_ranges(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute, struct rfs_dwarf_node *node)
{
	Dwarf_Off offset = 0;
	uint64_t value;
	Dwarf_Half form;

	if (dwarf_whatform(attribute, &form, NULL) != DW_DLV_OK)
		return -EBADMSG;
	/* The attribute is an index, a section offset, or in DWARF 2 and 3 an offset of 4 or 8 bytes.
	 * dwarf_global_formref() would take an index for an offset. */
	if (form != DW_FORM_rnglistx && dwarf_global_formref(attribute, &offset, NULL) == DW_DLV_OK)
		value = offset;
	else if (!read_unsigned(attribute, &value))
		return -EBADMSG;
	if (reader->unit.version >= 5)
		return read_rnglist(reader, attribute, form, value, node);
	return read_range_list(reader, value, node);
}

/* DW_AT_high_pc is an address or, since DWARF 4, a constant to add to DW_AT_low_pc. */
static void read_high_pc(Dwarf_Attribute attribute, struct pending *p)
{
	Dwarf_Addr address;
	uint64_t value;

	if (dwarf_formaddr(attribute, &address, NULL) == DW_DLV_OK) {
		p->high = address;
		p->has_high = true;
	} else if (read_unsigned(attribute, &value)) {
		p->high = value;
		p->has_high = p->high_is_offset = true;
	}
}

/* Replaces offset and size of a bit-field by those of the bytes that contain its bits. */
static void place_bit_field(struct rfs_dwarf_node *node, const struct pending *p)
{
	uint64_t bit = node->location * 8;

	if (!p->has_bits || !p->bits || p->bits > 64)
		return;
	if (p->has_data_bits)
		bit = p->data_bits;
	else if (p->has_old_bits && node->size && node->size <= 16 && p->old_bits + p->bits <= node->size * 8)
		bit += node->size * 8 - p->old_bits -
		       p->bits; /* DWARF 2 and 3 count bits from the top of the storage unit */
	else if (p->has_old_bits)
		return;
	node->location = bit / 8;
	node->size = (bit % 8 + p->bits + 7) / 8;
}

static int read_attribute(struct rfs_dwarf_reader *reader, Dwarf_Attribute attribute, struct rfs_dwarf_node *node,
			  struct pending *p)
{
	Dwarf_Half name;
	Dwarf_Addr address;
	Dwarf_Bool flag;

	if (dwarf_whatattr(attribute, &name, NULL) != DW_DLV_OK)
		return -EBADMSG;
	switch (name) {
	case DW_AT_name:
		node->name = read_string(reader, attribute);
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		node->linkage = read_string(reader, attribute);
		break;
	case DW_AT_type:
	case DW_AT_signature: /* a class that is declared here and defined in a type unit */
		node->type = read_ref(reader, attribute);
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		node->origin = read_ref(reader, attribute);
		break;
	case DW_AT_byte_size:
		(void)read_unsigned(attribute, &node->size);
		break;
	case DW_AT_low_pc:
		p->has_low = dwarf_formaddr(attribute, &address, NULL) == DW_DLV_OK;
		p->low = p->has_low ? address : 0;
		break;
	case DW_AT_high_pc:
		read_high_pc(attribute, p);
		break;
	case DW_AT_ranges:
		p->ranges = attribute;
		break;
	case DW_AT_location:
		p->has_location = true;
		if (node->tag == DW_TAG_variable && read_address(reader, attribute, &node->location))
			node->flags |= RFS_DWARF_LOCATED;
		else if (node->tag == DW_TAG_variable && read_frame_offset(attribute, &node->location))
			node->flags |= RFS_DWARF_FRAMED;
		break;
	case DW_AT_frame_base:
		if (node->tag == DW_TAG_subprogram)
			read_frame_base(attribute, node);
		break;
	case DW_AT_data_member_location:
		/* A static member (DWARF 4) or a virtual base is not at a fixed offset in the object. */
		if (!read_offset(attribute, &node->location))
			node->flags |= RFS_DWARF_DECLARATION;
		break;
	case DW_AT_declaration:
	case DW_AT_external:
		if ((name == DW_AT_declaration || node->tag == DW_TAG_member) &&
		    dwarf_formflag(attribute, &flag, NULL) == DW_DLV_OK && flag)
			node->flags |= RFS_DWARF_DECLARATION;
		break;
	case DW_AT_bit_size:
		p->has_bits = read_unsigned(attribute, &p->bits);
		break;
	case DW_AT_data_bit_offset:
		p->has_data_bits = read_unsigned(attribute, &p->data_bits);
		break;
	case DW_AT_bit_offset:
		p->has_old_bits = read_unsigned(attribute, &p->old_bits);
		break;
	case DW_AT_count:
		if (read_unsigned(attribute, &node->size))
			node->flags |= RFS_DWARF_COUNTED;
		break;
	case DW_AT_upper_bound:
		p->has_upper = read_unsigned(attribute, &p->upper);
		break;
	case DW_AT_call_file:
		node->call_file = read_small(attribute);
		break;
	case DW_AT_call_line:
		node->call_line = read_small(attribute);
		break;
	case DW_AT_call_column:
		node->call_column = read_small(attribute);
		break;
	default:
		break;
	}
	return 0;
}

/* Sets the values that depend on several attributes. */
static int dwarf_attr_finish(struct rfs_dwarf_reader *reader, struct rfs_dwarf_node *node, const struct pending *p)
{
	bool code = node->tag == DW_TAG_subprogram || node->tag == DW_TAG_inlined_subroutine;
	uint32_t file = node->call_file;

	if (node->tag == DW_TAG_member)
		place_bit_field(node, p);
	if (node->tag == DW_TAG_subrange_type && p->has_upper && !(node->flags & RFS_DWARF_COUNTED) &&
	    p->upper < UINT32_MAX) {
		node->size = p->upper + 1;
		node->flags |= RFS_DWARF_COUNTED;
	}
	if (node->tag == DW_TAG_variable && p->has_location && !(node->flags & (RFS_DWARF_LOCATED | RFS_DWARF_FRAMED)))
		node->location = RFS_DWARF_NO_REF; /* in a register: dwarf_read_moves() in dwarf_read.c drops it */
	node->call_file = node->call_line && file < reader->unit.n_files ? reader->unit.files[file] : RFS_DWARF_NONE;
	if (!code)
		return 0;
	if (p->ranges)
		return read_ranges(reader, p->ranges, node);
	if (p->has_low && p->has_high)
		dwarf_attr_add_range(reader, node, p->low, p->high_is_offset ? p->low + p->high : p->high);
	return 0;
}

int rfs_dwarf_attributes(struct rfs_dwarf_reader *reader, Dwarf_Die die, struct rfs_dwarf_node *node)
{
	struct pending pending = {.ranges = NULL};
	Dwarf_Attribute *list;
	Dwarf_Signed n;
	int rc = dwarf_attrlist(die, &list, &n, NULL);

	node->type = node->origin = RFS_DWARF_NO_REF;
	node->call_file = RFS_DWARF_NONE;
	if (rc == DW_DLV_NO_ENTRY)
		return 0;
	if (rc != DW_DLV_OK)
		return -EBADMSG;
	rc = 0;
	node->call_file = 0;
	for (Dwarf_Signed i = 0; i < n && !rc; i++)
		rc = read_attribute(reader, list[i], node, &pending);
	if (!rc)
		rc = dwarf_attr_finish(reader, node, &pending);
	for (Dwarf_Signed i = 0; i < n; i++)
		dwarf_dealloc_attribute(list[i]);
	dwarf_dealloc(reader->dbg, list, DW_DLA_LIST);
	return rc;
}

void rfs_dwarf_unit_attributes(Dwarf_Die die, uint16_t *language, rfs_addr *low_pc)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr address;
	uint64_t value;

	*language = 0;
	*low_pc = 0;
	if (dwarf_attr(die, DW_AT_language, &attribute, NULL) == DW_DLV_OK) {
		if (read_unsigned(attribute, &value) && value <= UINT16_MAX)
			*language = (uint16_t)value;
		dwarf_dealloc_attribute(attribute);
	}
	if (dwarf_attr(die, DW_AT_low_pc, &attribute, NULL) == DW_DLV_OK) {
		if (dwarf_formaddr(attribute, &address, NULL) == DW_DLV_OK)
			*low_pc = address;
		dwarf_dealloc_attribute(attribute);
	}
}
