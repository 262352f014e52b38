/* elf_marks.c - reads the section .note.rfsup, which the marks of policy/rfsup.h write. */
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
