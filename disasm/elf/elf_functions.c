/*
 * elf_functions.c - sorts symbols, and makes the list of a file's functions from symbols and .eh_frame.
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf-priv.h"

static int elf_functions_by_name(const void *a, const void *b)
{
	const struct rfs_elf_symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->is_default != y->is_default)
		return x->is_default ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->size > y->size ? -1 : x->size < y->size;
}

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

/* Sorts symbols by address. Of the names of one address, the best-known is first: memcpy before __memcpy_alias, global
 * before local. */
static int by_entry(const void *a, const void *b)
{
	const struct rfs_elf_symbol *x = a, *y = b;
	size_t length_x, length_y;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (underscores(x->name) != underscores(y->name))
		return underscores(x->name) < underscores(y->name) ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	length_x = strlen(x->name);
	length_y = strlen(y->name);
	if (length_x != length_y)
		return length_x < length_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void elf_functions_sort(struct rfs_list *list, size_t size, int (*order)(const void *, const void *))
{
	if (list->n)
		qsort(list->data, list->n, size, order);
}

void rfs_elf_sort_symbols(struct rfs_elf *elf)
{
	struct rfs_elf_symbol *symbols = elf->symbols.data;
	size_t n = 0;

	elf_functions_sort(&elf->symbols, sizeof(*symbols), elf_functions_by_name);
	for (size_t i = 0; i < elf->symbols.n; i++) { /* drop duplicates, because .dynsym repeats what .symtab has */
		if (n && !strcmp(symbols[i].name, symbols[n - 1].name) && symbols[i].vaddr == symbols[n - 1].vaddr &&
		    symbols[i].type == symbols[n - 1].type)
			continue;
		symbols[n++] = symbols[i];
	}
	elf->symbols.n = n;
	for (size_t i = 0; i < n; i++) {
		if (symbols[i].type == RFS_SYMBOL_OBJECT)
			rfs_elf_append(elf, &elf->objects, &symbols[i], sizeof(*symbols));
		else if (symbols[i].type != RFS_SYMBOL_TLS && rfs_elf_is_code(elf, symbols[i].vaddr))
			rfs_elf_append(elf, &elf->entries, &symbols[i], sizeof(*symbols));
	}
	elf_functions_sort(&elf->objects, sizeof(*symbols), by_entry);
	elf_functions_sort(&elf->entries, sizeof(*symbols), by_entry);
}

/* The index of the first symbol at or above vaddr. */
static size_t elf_functions_lower_bound(const struct rfs_list *list, rfs_addr vaddr)
{
	const struct rfs_elf_symbol *symbols = list->data;
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *rfs_elf_entry_name(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_elf_symbol *entries = elf->entries.data;
	size_t i = elf_functions_lower_bound(&elf->entries, vaddr);

	return i < elf->entries.n && entries[i].vaddr == vaddr ? entries[i].name : NULL;
}

const char *rfs_elf_entry_match(const struct rfs_elf *elf, rfs_addr vaddr, bool (*wanted)(const char *name))
{
	const struct rfs_elf_symbol *entries = elf->entries.data;

	for (size_t i = elf_functions_lower_bound(&elf->entries, vaddr);
	     i < elf->entries.n && entries[i].vaddr == vaddr; i++)
		if (wanted(entries[i].name))
			return entries[i].name;
	return NULL;
}

const char *rfs_elf_object_at(const struct rfs_elf *elf, rfs_addr vaddr, uint64_t *offset)
{
	const struct rfs_elf_symbol *objects = elf->objects.data;
	size_t i = elf_functions_lower_bound(&elf->objects, vaddr + 1);
	const char *mark = NULL;
	rfs_addr nearest;

	if (vaddr == UINT64_MAX || !i)
		return NULL;
	/* go back through the objects that start before vaddr, because small objects may be inside a large one */
	nearest = objects[i - 1].vaddr;
	for (unsigned tries = 0; i && (objects[i - 1].vaddr == nearest || tries < 64); tries++) {
		size_t first = --i;

		while (first && objects[first - 1].vaddr == objects[i].vaddr)
			first--;
		for (size_t k = first; k <= i; k++) {
			if (vaddr - objects[k].vaddr < objects[k].size) {
				*offset = vaddr - objects[k].vaddr;
				return objects[k].name;
			}
			if (vaddr == objects[k].vaddr && !objects[k].size)
				mark = objects[k].name;
		}
		i = first;
	}
	/* A symbol without a size may be a mark of the linker, such as __TMC_END__, where another variable begins. */
	*offset = 0;
	return mark;
}

bool rfs_elf_symbol(const struct rfs_elf *elf, const char *name, rfs_addr *vaddr, uint64_t *size)
{
	const struct rfs_elf_symbol *symbols = elf->symbols.data;
	size_t low = 0, high = elf->symbols.n;

	while (low < high) { /* find the first symbol with that name, which is the default version */
		size_t middle = low + (high - low) / 2;

		if (strcmp(symbols[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == elf->symbols.n || strcmp(symbols[low].name, name) != 0)
		return false;
	if (vaddr)
		*vaddr = symbols[low].vaddr;
	if (size)
		*size = symbols[low].size;
	return true;
}

void rfs_elf_each_symbol(const struct rfs_elf *elf,
			 void (*f)(void *arg, const char *name, rfs_addr vaddr, uint64_t size,
				   enum rfs_symbol_type type),
			 void *arg)
{
	const struct rfs_elf_symbol *symbols = elf->symbols.data;

	for (size_t i = 0; i < elf->symbols.n; i++)
		f(arg, symbols[i].name, symbols[i].vaddr, symbols[i].size, symbols[i].type);
}

static int by_function(const void *a, const void *b)
{
	const struct rfs_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static rfs_addr code_end(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_code_range *code = elf->code.data;

	for (size_t i = 0; i < elf->code.n; i++)
		if (vaddr >= code[i].start && vaddr < code[i].end)
			return code[i].end;
	return vaddr;
}

/* Makes one candidate for each start address, with the best name and the farthest known end. If no end is known, it
 * equals the start. */
static void collect_candidates(struct rfs_elf *elf, struct rfs_list *out)
{
	const struct rfs_elf_symbol *entries = elf->entries.data;
	const struct rfs_code_range *frames = elf->frames.data;
	struct rfs_function *functions;
	size_t n = 0;

	for (size_t i = 0; i < elf->entries.n; i++) {
		struct rfs_function f = {entries[i].vaddr, entries[i].vaddr + entries[i].size, entries[i].name};

		if (i && entries[i - 1].vaddr == f.start) {
			struct rfs_function *same = (struct rfs_function *)out->data + out->n - 1;

			if (out->n && same->start == f.start && same->end < f.end)
				same->end = f.end;
			continue;
		}
		rfs_elf_append(elf, out, &f, sizeof(f));
	}
	for (size_t i = 0; i < elf->frames.n; i++) {
		struct rfs_function f = {frames[i].start, frames[i].end, NULL};

		rfs_elf_append(elf, out, &f, sizeof(f));
	}
	elf_functions_sort(out, sizeof(struct rfs_function), by_function);
	functions = out->data;
	for (size_t i = 0; i < out->n; i++) {
		rfs_addr limit = code_end(elf, functions[i].start);
		struct rfs_function f = functions[i];

		if (f.end > limit || f.end < f.start)
			f.end = limit;
		if (n && functions[n - 1].start == f.start) {
			if (!functions[n - 1].name)
				functions[n - 1].name = f.name;
			if (f.end > functions[n - 1].end)
				functions[n - 1].end = f.end;
			continue;
		}
		functions[n++] = f;
	}
	out->n = n;
}

static void elf_functions_add_function(struct rfs_elf *elf, rfs_addr start, rfs_addr end, const char *name)
{
	struct rfs_function f = {start, end, name};

	if (start < end)
		rfs_elf_append(elf, &elf->functions, &f, sizeof(f));
}

/*
 * Makes functions from candidates, without overlaps. If a candidate begins inside another one (a second entry point),
 * the outer one is cut there. What remains of the outer one after the inner one becomes a function too, with the outer
 * one's name.
 */
void rfs_elf_merge_functions(struct rfs_elf *elf)
{
	struct rfs_list candidates = {0};
	const struct rfs_function *c;
	rfs_addr tail_end = 0;
	const char *tail_name = NULL;

	collect_candidates(elf, &candidates);
	c = candidates.data;
	for (size_t i = 0; i < candidates.n; i++) {
		rfs_addr next = i + 1 < candidates.n ? c[i + 1].start : UINT64_MAX, end = c[i].end;

		if (end == c[i].start) { /* the size is unknown */
			rfs_addr limit = code_end(elf, c[i].start);

			end = tail_end > c[i].start && tail_end < limit ? tail_end : limit;
			end = end < next ? end : next;
		}
		if (end > next) {
			elf_functions_add_function(elf, c[i].start, next, c[i].name);
			if (end > tail_end) {
				tail_end = end;
				tail_name = c[i].name;
			}
			continue;
		}
		elf_functions_add_function(elf, c[i].start, end, c[i].name);
		if (tail_end > end) {
			elf_functions_add_function(elf, end, tail_end < next ? tail_end : next, tail_name);
			if (tail_end <= next)
				tail_end = 0;
		}
	}
	free(candidates.data);
}

size_t rfs_elf_functions(const struct rfs_elf *elf, const struct rfs_function **out)
{
	*out = elf->functions.data;
	return elf->functions.n;
}

const struct rfs_function *rfs_elf_function_at(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_function *functions = elf->functions.data;
	size_t low = 0, high = elf->functions.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < elf->functions.n && functions[low].start <= vaddr ? &functions[low] : NULL;
}

/* The first range of elf->frames that ends after vaddr, or NULL. */
static const struct rfs_code_range *frame_at(const struct rfs_elf *elf, rfs_addr vaddr)
{
	const struct rfs_code_range *frames = elf->frames.data;
	size_t low = 0, high = elf->frames.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (frames[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < elf->frames.n ? &frames[low] : NULL;
}

bool rfs_elf_is_bounded(const struct rfs_elf *elf, const struct rfs_function *f)
{
	const struct rfs_elf_symbol *entries = elf->entries.data;
	const struct rfs_code_range *frame = frame_at(elf, f->start);
	size_t i = elf_functions_lower_bound(&elf->entries, f->start + 1);

	if (frame && frame->start <= f->start && frame->end >= f->end)
		return true;
	/* find the last symbol with a size at or before the start. The start itself may have no symbol, because a
	 * function is cut at a second entry point */
	while (i--)
		if (entries[i].size)
			return entries[i].vaddr + entries[i].size >= f->end;
	return false;
}
