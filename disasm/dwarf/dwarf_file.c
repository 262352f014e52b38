/*
 * dwarf_file.c - finds the file with a module's debug information: the module itself, or a separate file. A separate
 * file is found by its build-id or by .gnu_debuglink, as gdb does (gdb manual, "Debugging Information in Separate
 * Files").
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"
#define BUILD_ID_MAX 64

/* What one ELF file says about where its debug information is. */
struct links {
	bool has_dwarf;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size;
	char name[NAME_MAX + 1]; /* from .gnu_debuglink; "" if there is none */
	uint32_t crc;
};

bool rfs_dwarf_range_holds(const struct rfs_dwarf_array *ranges, rfs_addr vaddr)
{
	const struct rfs_dwarf_range *rows = ranges->rows;

	for (size_t i = 0; i < ranges->n; i++) {
		if (vaddr >= rows[i].start && vaddr < rows[i].end)
			return true;
	}
	return false;
}

static void dwarf_file_add_range(struct rfs_dwarf_array *ranges, rfs_addr start, uint64_t size)
{
	struct rfs_dwarf_range *range;

	if (!size || start + size < start)
		return;
	range = rfs_dwarf_array_add(ranges, sizeof(*range));
	range->start = start;
	range->end = start + size;
}

static void read_build_id(Elf_Data *data, struct links *links)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) != 0)
			continue;
		if (note.n_descsz > 1 && note.n_descsz <= BUILD_ID_MAX) {
			memcpy(links->build_id, (char *)data->d_buf + desc, note.n_descsz);
			links->build_id_size = note.n_descsz;
		}
		return;
	}
}

/* Reads .gnu_debuglink: a file name, NUL, zeros up to a multiple of 4, and the CRC-32 of that file. */
static void read_debuglink(Elf_Data *data, struct links *links)
{
	size_t length = strnlen(data->d_buf, data->d_size), at = (length + 4) & ~(size_t)3;

	if (!length || length >= sizeof(links->name) || at + sizeof(links->crc) > data->d_size ||
	    memchr(data->d_buf, '/', length))
		return;
	memcpy(links->name, data->d_buf, length + 1);
	memcpy(&links->crc, (char *)data->d_buf + at, sizeof(links->crc));
}

/* Fills *links from the section headers. If reader is not NULL, also adds the ranges of code and data to it. */
static int read_sections(int fd, struct links *links, struct rfs_dwarf_reader *reader)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *section = NULL;
	size_t names;
	int rc = -ENOEXEC;

	memset(links, 0, sizeof(*links));
	if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64)
		goto out;
	rc = 0;
	if (elf_getshdrstrndx(elf, &names))
		goto out; /* no section headers, so no debug information */
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		name = name ? name : "";
		if (reader && header.sh_flags & SHF_ALLOC && header.sh_flags & SHF_EXECINSTR)
			dwarf_file_add_range(&reader->code, header.sh_addr, header.sh_size);
		else if (reader && header.sh_flags & SHF_ALLOC && !(header.sh_flags & SHF_TLS))
			dwarf_file_add_range(&reader->data, header.sh_addr, header.sh_size);
		if (header.sh_type == SHT_NOBITS)
			continue;
		if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
			links->has_dwarf = header.sh_size > 0;
		if (header.sh_type != SHT_NOTE && strcmp(name, ".gnu_debuglink") != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		if (header.sh_type == SHT_NOTE)
			read_build_id(data, links);
		else
			read_debuglink(data, links);
	}
out:
	elf_end(elf);
	return rc;
}

static bool crc_matches(int fd, uint32_t crc)
{
	struct stat st;
	void *bytes;
	bool matches;

	if (fstat(fd, &st) || st.st_size <= 0)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	matches = dwarf_basic_crc32(bytes, (unsigned long)st.st_size, 0) == crc;
	munmap(bytes, (size_t)st.st_size);
	return matches;
}

/* Opens a possible separate file. Returns -1 if it does not exist or belongs to another build. */
static int open_separate(const char *path, const struct links *module)
{
	struct links links;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (read_sections(fd, &links, NULL) || !links.has_dwarf)
		goto other;
	if (module->build_id_size && links.build_id_size) {
		if (module->build_id_size == links.build_id_size &&
		    !memcmp(module->build_id, links.build_id, links.build_id_size))
			return fd;
	} else if (module->name[0] && crc_matches(fd, module->crc)) {
		return fd;
	}
other:
	close(fd);
	return -1;
}

static int open_by_build_id(const struct links *module)
{
	char path[sizeof(DEBUG_ROOT) + 2ul * BUILD_ID_MAX + 32];
	int at;

	if (!module->build_id_size)
		return -1;
	at = snprintf(path, sizeof(path), "%s/.build-id/%02x/", DEBUG_ROOT, module->build_id[0]);
	for (size_t i = 1; i < module->build_id_size; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", module->build_id[i]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	return open_separate(path, module);
}

/* A file that debuginfod-find(1) has downloaded. */
static int open_by_debuginfod(const struct links *module)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[PATH_MAX], id[2ul * BUILD_ID_MAX + 1] = "";

	if (!module->build_id_size || (!cache && !xdg && !home))
		return -1;
	for (size_t i = 0; i < module->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", module->build_id[i]);
	snprintf(path, sizeof(path), "%s%s/%s/debuginfo",
		 cache ? cache
		 : xdg ? xdg
		       : home,
		 cache ? ""
		 : xdg ? "/debuginfod_client"
		       : "/.cache/debuginfod_client",
		 id);
	return open_separate(path, module);
}

static int open_by_link(const struct links *module, const char *path)
{
	static const char *const places[][2] = {{"", "/"}, {"", "/.debug/"}, {DEBUG_ROOT, "/"}};
	char real[PATH_MAX], candidate[2 * PATH_MAX];
	const char *dir;
	int fd = -1;

	if (!module->name[0] || !realpath(path, real))
		return -1;
	dir = dirname(real);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		snprintf(candidate, sizeof(candidate), "%s%s%s%s", places[i][0], dir, places[i][1], module->name);
		fd = open_separate(candidate, module);
	}
	return fd;
}

int rfs_dwarf_find(struct rfs_dwarf_reader *reader, const char *path, char *why, size_t n)
{
	struct links links;
	struct stat st;
	int fd, separate, rc;

	(void)elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		rc = -errno;
		snprintf(why, n, "%s", strerror(-rc));
		return rc;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC;
		snprintf(why, n, "not a regular file");
		goto fail;
	}
	rc = read_sections(fd, &links, reader);
	if (rc) {
		snprintf(why, n, "not a 64-bit ELF file");
		goto fail;
	}
	if (links.has_dwarf)
		return fd;
	separate = open_by_build_id(&links);
	if (separate < 0)
		separate = open_by_link(&links, path);
	if (separate < 0)
		separate = open_by_debuginfod(&links);
	if (separate >= 0) {
		close(fd);
		return separate;
	}
	rc = -ENODATA;
	snprintf(why, n, "no debug information");
fail:
	close(fd);
	return rc;
}
