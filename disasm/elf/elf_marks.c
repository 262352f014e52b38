/*
 * elf_marks.c - what a program says to tools: the section .note.rfsup, which the marks of policy/rfsup.h write, and the
 * client requests of Valgrind.
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf-priv.h"

#define NAME "rfsup"
#define NAME_SIZE 8u /* with its NUL and padding */

/* The description of a note. */
struct description {
	uint64_t vaddr, target;
};

/* Adds the marks of the section. A note that is damaged ends them. */
void rfs_elf_read_marks(struct rfs_elf *elf, uint64_t offset, uint64_t size)
{
	const uint64_t whole = sizeof(Elf64_Nhdr) + NAME_SIZE + sizeof(struct description);

	for (; size >= whole; offset += whole, size -= whole) {
		const uint8_t *bytes = rfs_elf_bytes(elf, offset, whole);
		struct description description;
		struct rfs_elf_mark mark;
		Elf64_Nhdr note;

		if (!bytes)
			break;
		memcpy(&note, bytes, sizeof(note));
		memcpy(&description, bytes + sizeof(note) + NAME_SIZE, sizeof(description));
		if (note.n_namesz != sizeof(NAME) || note.n_descsz != sizeof(description) ||
		    memcmp(bytes + sizeof(note), NAME, sizeof(NAME)) != 0)
			break;
		mark = (struct rfs_elf_mark){note.n_type, description.vaddr, description.target};
		if (rfs_elf_is_code(elf, mark.vaddr) && (!mark.target || rfs_elf_is_code(elf, mark.target)))
			rfs_elf_append(elf, &elf->marks, &mark, sizeof(mark));
	}
	if (size)
		rfs_elf_warn(elf, "%s: the section .note.rfsup is damaged; its other marks are not used", elf->path);
}

static int compare_marks(const void *a, const void *b)
{
	const struct rfs_elf_mark *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

void rfs_elf_sort_marks(struct rfs_elf *elf)
{
	if (elf->marks.n)
		qsort(elf->marks.data, elf->marks.n, sizeof(struct rfs_elf_mark), compare_marks);
}

size_t rfs_elf_marks(const struct rfs_elf *elf, const struct rfs_elf_mark **out)
{
	*out = elf->marks.data;
	return elf->marks.n;
}

const struct rfs_elf_mark *rfs_elf_mark_at(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_elf_mark key = {.vaddr = vaddr};

	return elf->marks.n ? bsearch(&key, elf->marks.data, elf->marks.n, sizeof(key), compare_marks) : NULL;
}

/*
 * A client request is code that changes nothing: four rotations of rdi by 128 bits in all, and an exchange of rbx with
 * itself. No compiler makes it of anything else. valgrind/valgrind.h: VALGRIND_DO_CLIENT_REQUEST_EXPR for amd64.
 */
static const uint8_t request[] = {
	0x48, 0xc1, 0xc7, 0x03, /* rol $3, %rdi */
	0x48, 0xc1, 0xc7, 0x0d, /* rol $13, %rdi */
	0x48, 0xc1, 0xc7, 0x3d, /* rol $61, %rdi */
	0x48, 0xc1, 0xc7, 0x33, /* rol $51, %rdi */
	0x48, 0x87, 0xdb,	/* xchg %rbx, %rbx */
};

void rfs_elf_find_requests(struct rfs_elf *elf)
{
	const struct rfs_segment *segments = elf->segments.data;

	for (size_t i = 0; i < elf->segments.n; i++) {
		const uint8_t *bytes = rfs_elf_bytes(elf, segments[i].offset, segments[i].filesz), *at = bytes;
		const uint8_t *end = bytes + segments[i].filesz;

		while (segments[i].exec && bytes && (at = memmem(at, (size_t)(end - at), request, sizeof(request)))) {
			const rfs_addr vaddr = segments[i].vaddr + (rfs_addr)(at - bytes);

			if (rfs_elf_is_code(elf, vaddr))
				rfs_elf_append(elf, &elf->requests, &vaddr, sizeof(vaddr));
			at += sizeof(request);
		}
	}
}

size_t rfs_elf_requests(const struct rfs_elf *elf, const rfs_addr **out)
{
	*out = elf->requests.data;
	return elf->requests.n;
}
