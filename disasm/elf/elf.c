/*
 * elf.c - opens an ELF file, checks whether it can run here, reads its segments, and answers queries about all that was
 * read.
 */
#include "disasm/elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf-priv.h"

void rfs_elf_append(struct rfs_elf *elf, struct rfs_list *list, const void *element, size_t size)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		void *data = reallocarray(list->data, room, size);

		if (!data) {
			elf->out_of_memory = true;
			return;
		}
		list->data = data;
		list->room = room;
	}
	memcpy((char *)list->data + list->n++ * size, element, size);
}

void rfs_elf_warn(struct rfs_elf *elf, const char *format, ...)
{
	va_list args;

	if (elf->warning)
		return;
	va_start(args, format);
	if (vasprintf(&elf->warning, format, args) < 0) {
		elf->warning = NULL;
		elf->out_of_memory = true;
	}
	va_end(args);
}

const uint8_t *rfs_elf_bytes(const struct rfs_elf *elf, uint64_t offset, uint64_t n)
{
	if (offset > elf->image_size || n > elf->image_size - offset)
		return NULL;
	return elf->image + offset;
}

const char *rfs_elf_string(const char *table, size_t size, size_t offset)
{
	if (!table || offset >= size || !memchr(table + offset, 0, size - offset))
		return NULL;
	return table + offset;
}

/* Reads the whole file. 0 or -errno with a line in why. */
static int read_image(struct rfs_elf *elf, const char *path, char *why, size_t n)
{
	struct stat status;
	size_t done = 0;
	int result = 0, fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
	if (fd < 0 || fstat(fd, &status) < 0) {
		result = -errno;
		snprintf(why, n, "%s: %s", path, strerror(-result));
		goto out;
	}
	if (!S_ISREG(status.st_mode)) {
		result = S_ISDIR(status.st_mode) ? -EISDIR : -ENOEXEC;
		snprintf(why, n, "%s: %s", path, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
		goto out;
	}
	elf->image_size = (size_t)status.st_size;
	elf->image = malloc(elf->image_size + 1);
	if (!elf->image) {
		result = -ENOMEM;
		snprintf(why, n, "%s: not enough memory to read it", path);
		goto out;
	}
	while (done < elf->image_size) {
		ssize_t got = read(fd, elf->image + done, elf->image_size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			result = -errno;
			snprintf(why, n, "%s: %s", path, strerror(-result));
			goto out;
		}
		if (!got) /* the file became shorter meanwhile */
			break;
		done += (size_t)got;
	}
	elf->image_size = done;
out:
	if (fd >= 0)
		close(fd);
	return result;
}

/* Returns what is wrong with the file header, in words for the user, or NULL. */
static const char *check_header(const struct rfs_elf *elf, Elf64_Ehdr *header)
{
	uint16_t type, machine;

	if (elf->image_size < SELFMAG || memcmp(elf->image, ELFMAG, SELFMAG) != 0)
		return "is not an ELF file";
	if (elf->image_size < EI_NIDENT)
		return "is truncated: it ends inside the ELF header";
	if (elf->image[EI_CLASS] == ELFCLASS32)
		return "is a 32-bit ELF file; only 64-bit x86-64 is supported";
	if (elf->image[EI_CLASS] != ELFCLASS64 || elf->image[EI_VERSION] != EV_CURRENT)
		return "has a corrupt ELF header";
	if (elf->image[EI_DATA] != ELFDATA2LSB)
		return "is a big-endian ELF file; only x86-64 is supported";
	if (elf->image_size < sizeof(*header))
		return "is truncated: it ends inside the ELF header";
	memcpy(header, elf->image, sizeof(*header));
	type = header->e_type;
	machine = header->e_machine;
	if (machine != EM_X86_64)
		return "is an ELF file for another architecture; only x86-64 is supported";
	if (type == ET_REL)
		return "is an object file, not a linked program";
	if (type == ET_CORE)
		return "is a core dump";
	if (type != ET_EXEC && type != ET_DYN)
		return "is neither an executable nor a shared object";
	if (header->e_phnum && header->e_phentsize != sizeof(Elf64_Phdr))
		return "has a corrupt ELF header (program header size)";
	if (!header->e_phnum)
		return "has no program headers, so it cannot be loaded";
	if (!rfs_elf_bytes(elf, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr)))
		return "is truncated: it ends inside the program headers";
	return NULL;
}

/* Returns NULL, or what is wrong with the segment, in words for the user. */
static const char *add_segment(struct rfs_elf *elf, const Elf64_Phdr *phdr)
{
	struct rfs_segment segment = {.vaddr = phdr->p_vaddr,
				      .memsz = phdr->p_memsz,
				      .filesz = phdr->p_filesz,
				      .offset = phdr->p_offset,
				      .read = phdr->p_flags & PF_R,
				      .write = phdr->p_flags & PF_W,
				      .exec = phdr->p_flags & PF_X};

	if (segment.filesz > segment.memsz || segment.vaddr + segment.memsz < segment.vaddr)
		return "has a corrupt program header";
	if (!rfs_elf_bytes(elf, segment.offset, segment.filesz))
		return "is truncated: it ends inside a segment";
	rfs_elf_append(elf, &elf->segments, &segment, sizeof(segment));
	return NULL;
}

/* Finds the GNU build-id among the notes of a segment (elf(5), Notes). */
static void read_notes(struct rfs_elf *elf, uint64_t offset, uint64_t size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		const uint8_t *p = rfs_elf_bytes(elf, offset, size);
		Elf64_Nhdr note;
		uint64_t name_end, end;

		if (!p)
			return;
		memcpy(&note, p, sizeof(note));
		name_end = sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		end = name_end + (((uint64_t)note.n_descsz + 3) & ~3ull);
		if (end > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(p + sizeof(note), "GNU", 4) &&
		    (size_t)note.n_descsz * 2 < sizeof(elf->build_id)) {
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(elf->build_id + 2 * i, 3, "%02x", p[name_end + i]);
			return;
		}
		offset += end;
		size -= end;
	}
}

static char *copy_string(struct rfs_elf *elf, const char *string)
{
	char *copy = strdup(string);

	if (!copy)
		elf->out_of_memory = true;
	return copy;
}

/* The string at this place of the dynamic string table. NULL: there is none, and a warning says so. */
static const char *dynamic_string(struct rfs_elf *elf, uint64_t strings, uint64_t size, uint64_t name)
{
	const struct rfs_segment *segments = elf->segments.data;
	const char *string = NULL;

	for (size_t i = 0; i < elf->segments.n; i++) {
		uint64_t inside = strings - segments[i].vaddr;

		if (strings < segments[i].vaddr || inside >= segments[i].filesz)
			continue;
		if (size > segments[i].filesz - inside)
			size = segments[i].filesz - inside;
		string = rfs_elf_string((const char *)elf->image + segments[i].offset + inside, size, name);
		if (!string)
			rfs_elf_warn(elf, "%s: the dynamic section is damaged", elf->path);
		break;
	}
	return string;
}

/*
 * Reads DT_SONAME, DT_NEEDED and DT_TEXTREL. Finds the string table through the segments, because section headers may
 * be missing.
 */
static void read_dynamic(struct rfs_elf *elf, uint64_t offset, uint64_t size)
{
	uint64_t strings = 0, strings_size = 0;
	struct rfs_list names = {0}; /* Elf64_Dyn */

	for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= size; i += sizeof(Elf64_Dyn)) {
		const uint8_t *p = rfs_elf_bytes(elf, offset + i, sizeof(Elf64_Dyn));
		Elf64_Dyn dyn;

		if (!p) {
			rfs_elf_warn(elf, "%s: the dynamic section is damaged", elf->path);
			names.n = 0;
			break;
		}
		memcpy(&dyn, p, sizeof(dyn));
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_SONAME || dyn.d_tag == DT_NEEDED)
			rfs_elf_append(elf, &names, &dyn, sizeof(dyn));
		else if (dyn.d_tag == DT_TEXTREL || (dyn.d_tag == DT_FLAGS && (dyn.d_un.d_val & DF_TEXTREL)))
			elf->relocates_code = true;
		else if (dyn.d_tag == DT_STRTAB)
			strings = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRSZ)
			strings_size = dyn.d_un.d_val;
	}
	for (size_t i = 0; i < names.n; i++) {
		const Elf64_Dyn *dyn = (const Elf64_Dyn *)names.data + i;
		const char *string = dynamic_string(elf, strings, strings_size, dyn->d_un.d_val);
		char *copy = string ? copy_string(elf, string) : NULL;

		if (copy && dyn->d_tag == DT_NEEDED) {
			rfs_elf_append(elf, &elf->needed, &copy, sizeof(copy));
		} else if (copy) {
			free(elf->soname);
			elf->soname = copy;
		}
	}
	free(names.data);
}

static int by_segment(const void *a, const void *b)
{
	const struct rfs_segment *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* Returns NULL, or what is wrong, in words for the user. *frame_header: the PT_GNU_EH_FRAME entry. Its p_type stays
 * PT_NULL if there is none. */
static const char *read_segments(struct rfs_elf *elf, const Elf64_Ehdr *header, Elf64_Phdr *frame_header)
{
	Elf64_Phdr dynamic = {.p_type = PT_NULL};
	const char *wrong;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr phdr;
		const uint8_t *bytes;

		memcpy(&phdr, elf->image + header->e_phoff + i * sizeof(phdr), sizeof(phdr));
		switch (phdr.p_type) {
		case PT_LOAD:
			wrong = add_segment(elf, &phdr);
			if (wrong)
				return wrong;
			break;
		case PT_INTERP:
			bytes = rfs_elf_bytes(elf, phdr.p_offset, phdr.p_filesz);
			if (!bytes || !rfs_elf_string((const char *)bytes, phdr.p_filesz, 0))
				return "has a corrupt program header (interpreter)";
			free(elf->interpreter);
			elf->interpreter = copy_string(elf, (const char *)bytes);
			break;
		case PT_NOTE:
			if (!*elf->build_id)
				read_notes(elf, phdr.p_offset, phdr.p_filesz);
			break;
		case PT_DYNAMIC:
			elf->dynamic = phdr.p_vaddr;
			dynamic = phdr;
			break;
		case PT_GNU_EH_FRAME:
			*frame_header = phdr;
			break;
		default:
			break;
		}
	}
	if (!elf->segments.n)
		return "has no loadable segment";
	qsort(elf->segments.data, elf->segments.n, sizeof(struct rfs_segment), by_segment);
	if (dynamic.p_type == PT_DYNAMIC)
		read_dynamic(elf, dynamic.p_offset, dynamic.p_filesz);
	return NULL;
}

/* Reads what section headers lead to. They are optional: if there are none, the executable segments are the code. */
static void read_tables(struct rfs_elf *elf, const Elf64_Phdr *frame_header)
{
	Elf *handle;

	elf_version(EV_CURRENT);
	handle = elf_memory((char *)elf->image, elf->image_size);
	if (handle) {
		rfs_elf_read_sections(elf, handle);
		elf_end(handle);
	} else {
		rfs_elf_warn(elf, "%s: the section headers are damaged (%s)", elf->path, elf_errmsg(-1));
	}
	if (!elf->code.n) {
		const struct rfs_segment *segments = elf->segments.data;

		for (size_t i = 0; i < elf->segments.n; i++) {
			struct rfs_code_range range = {segments[i].vaddr, segments[i].vaddr + segments[i].filesz};

			if (segments[i].exec)
				rfs_elf_append(elf, &elf->code, &range, sizeof(range));
		}
	}
	if (!elf->frames.n && frame_header->p_type == PT_GNU_EH_FRAME)
		rfs_elf_find_frames(elf, frame_header->p_offset, frame_header->p_filesz, frame_header->p_vaddr);
	rfs_elf_merge_functions(elf);
	rfs_elf_find_requests(elf);
}

int rfs_elf_open(const char *path, struct rfs_elf **out, char *why, size_t n)
{
	struct rfs_elf *elf = calloc(1, sizeof(*elf));
	Elf64_Phdr frame_header = {.p_type = PT_NULL};
	Elf64_Ehdr header;
	const char *wrong;
	int result;

	if (n)
		*why = '\0';
	if (!elf)
		return -ENOMEM;
	elf->path = copy_string(elf, path);
	result = read_image(elf, path, why, n);
	if (result)
		goto fail;
	wrong = check_header(elf, &header);
	if (!wrong)
		wrong = read_segments(elf, &header, &frame_header);
	if (wrong) {
		snprintf(why, n, "%s %s", path, wrong);
		result = -ENOEXEC;
		goto fail;
	}
	elf->position_independent = header.e_type == ET_DYN;
	elf->entry = header.e_entry;
	read_tables(elf, &frame_header);
	if (elf->out_of_memory) {
		snprintf(why, n, "%s: not enough memory to read it", path);
		result = -ENOMEM;
		goto fail;
	}
	*out = elf;
	return 0;

fail:
	rfs_elf_free(elf);
	return result;
}

void rfs_elf_free(struct rfs_elf *elf)
{
	if (!elf)
		return;
	for (size_t i = 0; i < elf->strings.n; i++)
		free(((char **)elf->strings.data)[i]);
	free(elf->strings.data);
	for (size_t i = 0; i < elf->needed.n; i++)
		free(((char **)elf->needed.data)[i]);
	free(elf->needed.data);
	free(elf->segments.data);
	free(elf->functions.data);
	free(elf->symbols.data);
	free(elf->entries.data);
	free(elf->objects.data);
	free(elf->plt.data);
	free(elf->slots.data);
	free(elf->stubs.data);
	free(elf->code.data);
	free(elf->frames.data);
	free(elf->marks.data);
	free(elf->requests.data);
	free(elf->image);
	free(elf->path);
	free(elf->interpreter);
	free(elf->soname);
	free(elf->warning);
	free(elf);
}

const char *rfs_elf_warning(const struct rfs_elf *elf)
{
	return elf->warning;
}

const char *rfs_elf_path(const struct rfs_elf *elf)
{
	return elf->path;
}

const char *rfs_elf_build_id(const struct rfs_elf *elf)
{
	return elf->build_id;
}

const char *rfs_elf_interpreter(const struct rfs_elf *elf)
{
	return elf->interpreter;
}

const char *rfs_elf_soname(const struct rfs_elf *elf)
{
	return elf->soname;
}

size_t rfs_elf_needed(const struct rfs_elf *elf, char *const **out)
{
	*out = elf->needed.data;
	return elf->needed.n;
}

bool rfs_elf_position_independent(const struct rfs_elf *elf)
{
	return elf->position_independent;
}

bool rfs_elf_is_go(const struct rfs_elf *elf)
{
	return elf->go;
}

rfs_addr rfs_elf_entry(const struct rfs_elf *elf)
{
	return elf->entry;
}

bool rfs_elf_relocates_code(const struct rfs_elf *elf)
{
	return elf->relocates_code;
}

rfs_addr rfs_elf_dynamic(const struct rfs_elf *elf)
{
	return elf->dynamic;
}

size_t rfs_elf_segments(const struct rfs_elf *elf, const struct rfs_segment **out)
{
	*out = elf->segments.data;
	return elf->segments.n;
}

size_t rfs_elf_code(const struct rfs_elf *elf, const struct rfs_code_range **out)
{
	*out = elf->code.data;
	return elf->code.n;
}

bool rfs_elf_is_code(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_code_range *code = elf->code.data;

	for (size_t i = 0; i < elf->code.n; i++)
		if (vaddr >= code[i].start && vaddr < code[i].end)
			return true;
	return false;
}

bool rfs_elf_in_plt(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_code_range *stubs = elf->stubs.data;

	for (size_t i = 0; i < elf->stubs.n; i++)
		if (vaddr >= stubs[i].start && vaddr < stubs[i].end)
			return true;
	return false;
}

size_t rfs_elf_read(const struct rfs_elf *elf, rfs_addr vaddr, void *buf, size_t n)
{
	const struct rfs_segment *segments = elf->segments.data;
	size_t done = 0;

	for (size_t i = 0; i < elf->segments.n && done < n; i++) {
		uint64_t inside = vaddr + done - segments[i].vaddr, part = n - done, from_file = 0;

		if (vaddr + done < segments[i].vaddr || inside >= segments[i].memsz)
			continue;
		if (part > segments[i].memsz - inside)
			part = segments[i].memsz - inside;
		if (inside < segments[i].filesz)
			from_file = part < segments[i].filesz - inside ? part : segments[i].filesz - inside;
		memcpy((char *)buf + done, elf->image + segments[i].offset + inside, from_file);
		memset((char *)buf + done + from_file, 0, part - from_file);
		done += part;
	}
	return done;
}
