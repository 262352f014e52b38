/*
 * elf_sections.c - reads what section headers lead to, with libelf: symbols, relocations, PLT, .eh_frame.
 *
 * A damaged table counts as absent and leaves a warning.
 */
#include "disasm/elf/elf-priv.h"

#include <stdlib.h>
#include <string.h>

/* A section, with the values that are used more than once. */
struct section {
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name; /* "" if damaged */
};

static bool get_section(Elf *handle, Elf_Scn *scn, size_t names, struct section *out)
{
	const char *name;

	if (!scn || !gelf_getshdr(scn, &out->header))
		return false;
	name = elf_strptr(handle, names, out->header.sh_name);
	out->scn = scn;
	out->name = name ? name : "";
	return true;
}

static bool starts_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* The string table whose section header has number `index`. NULL if it is damaged. */
static const char *string_table(struct rfs_elf *elf, Elf *handle, size_t index, size_t *size)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_getscn(handle, index);

	if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_STRTAB)
		return NULL;
	*size = header.sh_size;
	return (const char *)rfs_elf_bytes(elf, header.sh_offset, header.sh_size);
}

/* Returns name without "@VERSION". Sets *is_default to false for "name@VERSION". The default version of a symbol has
 * two @: "name@@VERSION". */
static const char *cut_version(struct rfs_elf *elf, const char *name, bool *is_default)
{
	const char *at = strchr(name, '@');
	char *copy;

	if (!at || at == name)
		return name;
	if (at[1] != '@')
		*is_default = false;
	copy = strndup(name, (size_t)(at - name));
	if (!copy) {
		elf->out_of_memory = true;
		return name;
	}
	rfs_elf_append(elf, &elf->strings, &copy, sizeof(copy));
	return copy;
}

static bool symbol_type(const GElf_Sym *sym, enum rfs_symbol_type *out)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		*out = RFS_SYMBOL_FUNCTION;
		return true;
	case STT_GNU_IFUNC:
		*out = RFS_SYMBOL_IFUNC;
		return true;
	case STT_OBJECT:
	case STT_COMMON:
		*out = RFS_SYMBOL_OBJECT;
		return true;
	case STT_TLS:
		*out = RFS_SYMBOL_TLS;
		return true;
	default:
		return false;
	}
}

static void read_symbols(struct rfs_elf *elf, Elf *handle, const struct section *section, Elf_Data *versions)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	size_t strings_size = 0, n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
	const char *strings = string_table(elf, handle, section->header.sh_link, &strings_size);

	if (!data || !strings) {
		rfs_elf_warn(elf, "%s: the symbol table %s is damaged", elf->path, section->name);
		return;
	}
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		struct rfs_elf_symbol symbol = {.is_default = true};
		GElf_Versym version;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS || !symbol_type(&sym, &symbol.type))
			continue;
		symbol.name = rfs_elf_string(strings, strings_size, sym.st_name);
		if (!symbol.name) {
			rfs_elf_warn(elf, "%s: the symbol table %s is damaged", elf->path, section->name);
			continue;
		}
		if (!*symbol.name)
			continue;
		symbol.name = cut_version(elf, symbol.name, &symbol.is_default);
		if (versions && gelf_getversym(versions, (int)i, &version) && version & 0x8000)
			symbol.is_default = false; /* VERSYM_HIDDEN: not the default */
		symbol.vaddr = sym.st_value;
		symbol.size = sym.st_size;
		symbol.global = GELF_ST_BIND(sym.st_info) != STB_LOCAL;
		rfs_elf_append(elf, &elf->symbols, &symbol, sizeof(symbol));
	}
}

static void read_relocations(struct rfs_elf *elf, Elf *handle, const struct section *section,
			     const struct rfs_list *got)
{
	Elf_Data *data = elf_getdata(section->scn, NULL), *symbols = NULL;
	Elf_Scn *linked = elf_getscn(handle, section->header.sh_link);
	const char *strings = NULL;
	size_t strings_size = 0;
	GElf_Shdr header;

	if (!data) {
		rfs_elf_warn(elf, "%s: the relocations %s are damaged", elf->path, section->name);
		return;
	}
	if (section->header.sh_link && linked && gelf_getshdr(linked, &header) && header.sh_type == SHT_DYNSYM) {
		symbols = elf_getdata(linked, NULL);
		strings = string_table(elf, handle, header.sh_link, &strings_size);
	}
	rfs_elf_read_slots(elf, data, symbols, strings, strings_size, got);
}

/* First pass over a section: reads symbols and ranges. The second pass (relocations, frames, stubs) needs them. */
static void first_round(struct rfs_elf *elf, Elf *handle, const struct section *section, Elf_Data *versions,
			struct rfs_list *got)
{
	const GElf_Shdr *header = &section->header;
	struct rfs_code_range range = {header->sh_addr, header->sh_addr + header->sh_size};

	if (range.end < range.start)
		return;
	if (header->sh_type == SHT_SYMTAB)
		read_symbols(elf, handle, section, NULL);
	else if (header->sh_type == SHT_DYNSYM)
		read_symbols(elf, handle, section, versions);
	if (header->sh_type != SHT_PROGBITS && header->sh_type != SHT_X86_64_UNWIND)
		return;
	if (!(header->sh_flags & SHF_ALLOC) || !rfs_elf_bytes(elf, header->sh_offset, header->sh_size))
		return;
	if (header->sh_flags & SHF_EXECINSTR)
		rfs_elf_append(elf, &elf->code, &range, sizeof(range));
	if (header->sh_flags & SHF_EXECINSTR &&
	    (starts_with(section->name, ".plt") || starts_with(section->name, ".iplt")))
		rfs_elf_append(elf, &elf->stubs, &range, sizeof(range));
	if (starts_with(section->name, ".got"))
		rfs_elf_append(elf, got, &range, sizeof(range));
}

/* The data of the first section with this type; NULL if there is none. */
static Elf_Data *data_of_type(Elf *handle, unsigned type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(handle, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == type)
			return elf_getdata(scn, NULL);
	return NULL;
}

/* Whether this is the name of a section that Go's linker (cmd/link) writes into every program: the build ID, or the
 * table for stack traces. */
static bool is_of_go(const char *section)
{
	return !strcmp(section, ".note.go.buildid") || !strcmp(section, ".gopclntab") ||
	       !strcmp(section, ".data.rel.ro.gopclntab");
}

void rfs_elf_read_sections(struct rfs_elf *elf, Elf *handle)
{
	Elf_Data *versions = data_of_type(handle, SHT_GNU_versym);
	const struct rfs_code_range *stubs;
	struct rfs_list got = {0};
	struct section section;
	Elf_Scn *scn = NULL;
	size_t names = 0, i = 0;

	if (elf_getshdrstrndx(handle, &names) < 0) {
		rfs_elf_warn(elf, "%s: the section headers are damaged (%s)", elf->path, elf_errmsg(-1));
		names = 0;
	}
	while ((scn = elf_nextscn(handle, scn)))
		if (get_section(handle, scn, names, &section)) {
			elf->go |= is_of_go(section.name);
			first_round(elf, handle, &section, versions, &got);
		}
	rfs_elf_sort_symbols(elf);

	while ((scn = elf_nextscn(handle, scn))) {
		if (!get_section(handle, scn, names, &section) || !(section.header.sh_flags & SHF_ALLOC))
			continue;
		if (section.header.sh_type == SHT_RELA)
			read_relocations(elf, handle, &section, &got);
		else if (!strcmp(section.name, ".eh_frame") && section.header.sh_type != SHT_NOBITS)
			rfs_elf_read_frames(elf, section.header.sh_offset, section.header.sh_size,
					    section.header.sh_addr);
	}
	rfs_elf_sort_names(&elf->slots);
	while ((scn = elf_nextscn(handle, scn)))
		if (get_section(handle, scn, names, &section) && !strcmp(section.name, ".note.rfsup"))
			rfs_elf_read_marks(elf, section.header.sh_offset, section.header.sh_size);
	rfs_elf_sort_marks(elf);

	stubs = elf->stubs.data;
	while (i < elf->stubs.n && (scn = elf_nextscn(handle, scn))) {
		if (!get_section(handle, scn, names, &section) || section.header.sh_addr != stubs[i].start ||
		    !(section.header.sh_flags & SHF_EXECINSTR))
			continue;
		/* a stub of .plt.got has 8 bytes; other stubs, and all that begin with endbr64, have 16 */
		rfs_elf_read_stubs(elf, &stubs[i++], section.header.sh_entsize == 8 ? 8 : 16);
	}
	rfs_elf_sort_names(&elf->plt);
	free(got.data);
}
