/*
 * elf_plt.c - to which function a GOT slot and a PLT stub lead.
 *
 * A slot gets its name from the relocation that fills the slot (System V ABI, AMD64 supplement, table 4.10). A stub
 * gets the name of the slot through which it jumps. Linkers use these layouts of stubs:
 *
 *     .plt       ff 25 slot          push n; jmp plt0          (lazy)
 *     .plt.got   ff 25 slot          nop
 *     .plt.sec   endbr64; [bnd] ff 25 slot; nop
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf-priv.h"

static int by_vaddr(const void *a, const void *b)
{
	const struct rfs_elf_name *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

void rfs_elf_sort_names(struct rfs_list *names)
{
	if (names->n)
		qsort(names->data, names->n, sizeof(struct rfs_elf_name), by_vaddr);
}

static const struct rfs_elf_name *elf_plt_find(const struct rfs_list *names, rfs_addr vaddr)
{
	const struct rfs_elf_name key = {.vaddr = vaddr};

	return names->n ? bsearch(&key, names->data, names->n, sizeof(key), by_vaddr) : NULL;
}

const char *rfs_elf_plt_name(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_elf_name *found = elf_plt_find(&elf->plt, vaddr);

	return found ? found->name : NULL;
}

const char *rfs_elf_slot_name(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_elf_name *found = elf_plt_find(&elf->slots, vaddr);

	return found ? found->name : NULL;
}

bool rfs_elf_imports(const struct rfs_elf *elf, const char *name)
{
	const struct rfs_elf_name *slots = elf->slots.data;

	for (size_t i = 0; i < elf->slots.n; i++)
		if (!slots[i].entry && strcmp(slots[i].name, name) == 0)
			return true;
	return false;
}

static const char *match(const struct rfs_elf *elf, const struct rfs_list *names, rfs_addr vaddr,
			 bool (*wanted)(const char *name))
{
	const struct rfs_elf_name *found = elf_plt_find(names, vaddr);

	if (!found)
		return NULL;
	if (wanted(found->name))
		return found->name;
	return found->entry ? rfs_elf_entry_match(elf, found->entry, wanted) : NULL;
}

const char *rfs_elf_plt_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name))
{
	return match(elf, &elf->plt, vaddr, wanted);
}

const char *rfs_elf_slot_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name))
{
	return match(elf, &elf->slots, vaddr, wanted);
}

/* The name of dynamic symbol number `index`. NULL if it is data, or if the table is damaged. */
static const char *imported(Elf_Data *symbols, const char *strings, size_t strings_size, uint64_t index)
{
	GElf_Sym sym;

	if (!symbols || !index || index > INT32_MAX || !gelf_getsym(symbols, (int)index, &sym))
		return NULL;
	switch (GELF_ST_TYPE(sym.st_info)) {
	case STT_NOTYPE:
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return rfs_elf_string(strings, strings_size, sym.st_name);
	default:
		return NULL;
	}
}

static bool in_ranges(const struct rfs_list *ranges, rfs_addr vaddr)
{
	const struct rfs_code_range *range = ranges->data;

	for (size_t i = 0; i < ranges->n; i++)
		if (vaddr >= range[i].start && vaddr < range[i].end)
			return true;
	return false;
}

void rfs_elf_read_slots(struct rfs_elf *elf, Elf_Data *relocations, Elf_Data *symbols, const char *strings,
			size_t strings_size, const struct rfs_list *got)
{
	size_t n = relocations->d_size / sizeof(Elf64_Rela);

	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		struct rfs_elf_name slot = {0};
		GElf_Rela rela;

		if (!gelf_getrela(relocations, (int)i, &rela))
			break;
		slot.vaddr = rela.r_offset;
		switch (GELF_R_TYPE(rela.r_info)) {
		case R_X86_64_GLOB_DAT:
		case R_X86_64_JUMP_SLOT:
			slot.name = imported(symbols, strings, strings_size, GELF_R_SYM(rela.r_info));
			break;
		case R_X86_64_IRELATIVE: /* the addend is the address of the resolver and of the IFUNC symbol */
			slot.entry = (rfs_addr)rela.r_addend;
			slot.name = rfs_elf_entry_name(elf, slot.entry);
			break;
		case R_X86_64_RELATIVE: /* calls may go through a slot even if the function is in this file */
			if (!in_ranges(got, rela.r_offset))
				break;
			slot.entry = (rfs_addr)rela.r_addend;
			slot.name = rfs_elf_entry_name(elf, slot.entry);
			break;
		default:
			break;
		}
		if (slot.name && *slot.name)
			rfs_elf_append(elf, &elf->slots, &slot, sizeof(slot));
	}
}

void rfs_elf_read_stubs(struct rfs_elf *elf, const struct rfs_code_range *section, unsigned step)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	for (rfs_addr at = section->start; at < section->end && section->end - at >= step; at += step) {
		struct rfs_elf_name stub = {.vaddr = at};
		const struct rfs_elf_name *slot;
		uint8_t code[16];
		unsigned p = 0;
		int32_t distance;

		if (rfs_elf_read(elf, at, code, step) < step)
			return;
		if (step >= 16 && !memcmp(code, endbr64, sizeof(endbr64)))
			p = sizeof(endbr64);
		if (code[p] == 0xf2 || code[p] == 0x3e) /* skip the prefix bnd or notrack */
			p++;
		if (p + 6 > step || code[p] != 0xff || code[p + 1] != 0x25)
			continue;
		memcpy(&distance, code + p + 2, sizeof(distance));
		slot = elf_plt_find(&elf->slots, at + p + 6 + (uint64_t)(int64_t)distance);
		if (!slot)
			continue;
		stub.name = slot->name;
		stub.entry = slot->entry;
		rfs_elf_append(elf, &elf->plt, &stub, sizeof(stub));
	}
}
