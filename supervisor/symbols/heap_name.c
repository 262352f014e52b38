/*
 * heap_name.c - names blocks of the heap.
 *
 * Debug information does not say which type a call of malloc() or operator new allocates. It is found in one of these
 * places, in this order:
 *
 * - the function of the language's library that allocates: std::__new_allocator<T>::allocate(), std::make_unique<T>(),
 *   Box<T>::new() have the type as their template argument
 * - the line of the user's code that allocates: `new T`, `sizeof(T)`, `struct T *p = malloc(sizeof(*p))`
 *
 * The type counts only if its size fits that of the block. A wrong name is worse than none.
 */
#include "supervisor/symbols/heap_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

#define PATH_MAX_BYTES 512
#define FRAMES_MAX 64
#define DEPTH_MAX 4 /* the most functions around malloc() that are looked at: wrappers such as xmalloc() */
/* libstdc++'s control block of a shared_ptr: pointer to its virtual functions, two counts, and from make_shared the
 * object */
#define COUNTS_AT 8
#define SHARED_AT 16

/* What the frames of an allocation say. */
struct allocation {
	const struct rfs_object *object;
	const struct rfs_dwarf *dwarf; /* of the module with the user's code; borrowed */
	char *type;		       /* as in the source: "Registry", "struct node"; NULL: not known */
	bool is_array;		       /* the type is that of an element */
	char *container;	       /* the class of the library whose method allocates: "std::map"; NULL: none */
};

void rfs_cut_library_members(char *name)
{
	for (char *at = strstr(name, "._"); at; at = strstr(at + 1, "._"))
		if (at[2] == '_' || (at[2] >= 'A' && at[2] <= 'Z')) {
			*at = '\0';
			return;
		}
}

static bool heap_name_begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- the library's functions ---- */

/* The first template argument after `open`, which is just behind a '<'. Caller frees; NULL: the text is cut. */
static char *first_argument(const char *open)
{
	int depth = 0;

	for (const char *at = open; *at; at++) {
		if ((*at == ',' || *at == '>') && !depth) {
			while (at > open && at[-1] == ' ')
				at--;
			return xstrndup(open, (size_t)(at - open));
		}
		if (*at == '<' || *at == '(' || *at == '[')
			depth++;
		else if (*at == '>' || *at == ')' || *at == ']')
			depth--;
	}
	return NULL;
}

/* The template argument of the function `name` if it is the library's and allocates one object. Caller frees. */
static char *made_by(const char *function)
{
	static const char *const starts[] = {"std::make_unique<", "std::__detail::_MakeUniq<"};
	const char *at;

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (heap_name_begins(function, starts[i]))
			return first_argument(function + strlen(starts[i]));
	at = heap_name_begins(function, "alloc::boxed::") ? strstr(function, "::new<") : NULL;
	return at ? first_argument(at + strlen("::new<")) : NULL;
}

/* The value_type of the allocator whose method this is. Caller frees; NULL: it is none. */
static char *allocated_by(const char *function)
{
	static const char *const classes[] = {"std::__new_allocator<", "__gnu_cxx::new_allocator<", "std::allocator<",
					      "std::__1::allocator<"};
	const char *end = strstr(function, ">::allocate");

	for (size_t i = 0; end && i < sizeof(classes) / sizeof(*classes); i++)
		if (heap_name_begins(function, classes[i]))
			return first_argument(function + strlen(classes[i]));
	return NULL;
}

/*
 * The class of a method of the C++ library without template arguments: "std::map" of
 * "std::map<int, int>::operator[]". Caller frees; NULL: it is no method of a class template, or the class is internal.
 */
static char *class_of(const char *function)
{
	static const char *const inlined[] = {"__cxx11::", "__1::", "__debug::"};
	const char *name, *open = strchr(function, '<');

	if (!heap_name_begins(function, "std::") || !open)
		return NULL;
	name = function + strlen("std::");
	for (size_t i = 0; i < sizeof(inlined) / sizeof(*inlined); i++)
		if (heap_name_begins(name, inlined[i]))
			name += strlen(inlined[i]);
	if (*name == '_' || memchr(name, ':', (size_t)(open - name)))
		return NULL;
	/* a function template has no "::" behind its arguments */
	for (int depth = 0; *open; open++) {
		depth += (*open == '<') - (*open == '>');
		if (!depth)
			break;
	}
	if (!heap_name_begins(open, ">::"))
		return NULL;
	if (heap_name_begins(name, "basic_string<"))
		return xstrdup("std::string");
	return xasprintf("std::%.*s", (int)strcspn(name, "<"), name);
}

/* ---- the user's line ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next place where word is a whole word; NULL: there is none. */
static const char *find_word(const char *text, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
			return at;
	return NULL;
}

/* The length of a type's name: words, "::", and template arguments. */
static size_t type_length(const char *text)
{
	size_t n = 0;

	while (is_word(text[n]) || (text[n] == ':' && text[n + 1] == ':') || (n && text[n] == ':'))
		n++;
	if (n && text[n] == '<') {
		int depth = 0;

		for (size_t i = n; text[i]; i++) {
			depth += (text[i] == '<') - (text[i] == '>');
			if (!depth)
				return i + 1;
		}
	}
	return n;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* The type of a variable that the line declares: "struct node *n = ...". Caller frees; NULL: it declares none. */
static char *declared_type(const char *line, const char *variable, size_t n)
{
	char *name = xstrndup(variable, n);
	const char *at = find_word(line, name), *end, *start = skip_blanks(line);

	free(name);
	if (!at || at == start)
		return NULL;
	for (end = at; end > start && (end[-1] == ' ' || end[-1] == '*'); end--)
		;
	/* exactly one star, so that the variable points to the type */
	if (end == at || memchr(end, '*', (size_t)(at - end)) != memrchr(end, '*', (size_t)(at - end)) ||
	    !memchr(end, '*', (size_t)(at - end)))
		return NULL;
	if (heap_name_begins(start, "static "))
		start = skip_blanks(start + strlen("static "));
	if (heap_name_begins(start, "const "))
		start = skip_blanks(start + strlen("const "));
	for (const char *p = start; p < end; p++)
		if (!is_word(*p) && *p != ' ' && *p != ':')
			return NULL;
	return end > start ? xstrndup(start, (size_t)(end - start)) : NULL;
}

/* The type in the only sizeof of the line. Caller frees; NULL: there is none, or several. */
static char *sized_type(const char *line, bool *is_array)
{
	const char *at = find_word(line, "sizeof"), *operand, *end;
	size_t n;

	if (!at || find_word(at + 1, "sizeof") || strchr(line, '+'))
		return NULL;
	operand = skip_blanks(at + strlen("sizeof"));
	if (*operand == '(')
		operand = skip_blanks(operand + 1);
	n = strcspn(operand, ")");
	end = operand + n;
	/* calloc(n, sizeof(T)), calloc(sizeof(T), n), n * sizeof(T), sizeof(T) * n */
	*is_array = find_word(line, "calloc") || strchr(end, '*') ||
		    (at > line && memchr(line, '*', (size_t)(at - line)) != NULL);
	if (*operand == '*') {
		operand = skip_blanks(operand + 1);
		for (n = 0; is_word(operand[n]); n++)
			;
		return n ? declared_type(line, operand, n) : NULL;
	}
	while (n && operand[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < n; i++)
		if (!is_word(operand[i]) && operand[i] != ' ' && operand[i] != ':')
			return NULL;
	return n ? xstrndup(operand, n) : NULL;
}

/* The type behind the only `new` of the line. Caller frees; NULL: there is none, or several. */
static char *new_type(const char *line, bool *is_array)
{
	const char *at = find_word(line, "new"), *type;
	size_t n;

	if (!at || find_word(at + 1, "new"))
		return NULL;
	type = skip_blanks(at + strlen("new"));
	n = type_length(type);
	if (!n || type[n] == '*' || type[n] == ' ')
		return NULL; /* a pointer, or a name of several words */
	*is_array = type[n] == '[';
	return xstrndup(type, n);
}

/* ---- all together ---- */

/* Whether a function of this name may do nothing but allocate for its caller. */
static bool is_wrapper(const char *function)
{
	return function && (strstr(function, "alloc") || strstr(function, "ALLOC"));
}

/* Looks for the type in lines of the user's code: those of the function that allocates, and of callers of wrappers. */
static void read_lines(const struct rfs_source_stack *frames, size_t own, struct allocation *out)
{
	for (size_t i = own; i < frames->n_frames && i < own + DEPTH_MAX && !out->type; i++) {
		const struct rfs_source_place *frame = &frames->frames[i];
		char *line = frame->file && frame->line ? rfs_source_line(frame->file, frame->line) : NULL;

		if (line) {
			char *comment = strstr(line, "//");

			if (comment)
				*comment = '\0';
			out->type = i == own ? new_type(line, &out->is_array) : NULL;
			if (!out->type)
				out->type = sized_type(line, &out->is_array);
		}
		free(line);
		if (!is_wrapper(frame->function))
			break;
	}
}

/* Looks at the functions of the language's library that the allocation came through. */
static void read_library(struct rfs_symbols *symbols, const struct rfs_object *object, struct allocation *out)
{
	for (size_t i = 0; i < object->n_stack; i++) {
		const struct rfs_place *place = &object->stack[i];
		const struct rfs_dwarf *dwarf = place->module ? rfs_symbols_dwarf(symbols, place->module) : NULL;
		struct rfs_frame found[FRAMES_MAX];
		size_t n = dwarf && place->offset ? rfs_dwarf_frames(dwarf, place->offset - 1, found, FRAMES_MAX) : 0;

		for (size_t k = 0; k < n; k++) {
			char *class;

			if (!heap_name_begins(found[k].qualified, "std::") &&
			    !heap_name_begins(found[k].qualified, "__gnu_cxx::") &&
			    !heap_name_begins(found[k].qualified, "alloc::") &&
			    !heap_name_begins(found[k].qualified, "core::"))
				return;
			out->dwarf = dwarf;
			if (!out->type) {
				out->type = allocated_by(found[k].qualified);
				out->is_array = out->type != NULL;
			}
			if (!out->type)
				out->type = made_by(found[k].qualified);
			class = class_of(found[k].qualified);
			if (class) {
				free(out->container);
				out->container = class;
			}
		}
		/* the function itself is the last one: an unknown one may be anything */
		if (!n && out->dwarf)
			return;
	}
}

static void find_allocation(struct rfs_symbols *symbols, const struct rfs_object *object, struct allocation *out)
{
	struct rfs_source_stack frames = {0};
	size_t own;

	*out = (struct allocation){.object = object};
	read_library(symbols, object, out);
	if (out->type || out->container)
		return;
	/* the frames of rfs_symbols_stack() begin with an instruction, but these are all return addresses */
	for (size_t i = 0; i < object->n_stack; i++) {
		struct rfs_place place = object->stack[i];

		place.offset -= place.offset ? 1 : 0;
		rfs_symbols_stack(symbols, &place, 1, &frames);
	}
	own = rfs_source_stack_first_own(&frames);
	if (frames.n_frames && !rfs_source_place_is_foreign(&frames.frames[own])) {
		out->dwarf = frames.frames[own].module ? rfs_symbols_dwarf(symbols, frames.frames[own].module) : NULL;
		read_lines(&frames, own, out);
	}
	rfs_source_stack_release(&frames);
}

/* "next of struct node", "[3].next of struct node[10]", "struct node". Caller frees; NULL: the size does not fit. */
static char *typed_name(const struct allocation *from, const char *type, uint64_t size, uint64_t offset,
			enum rfs_block_part part)
{
	static const char *const tags[] = {"struct ", "class ", "union ", "enum "};
	const char *plain = type;
	char path[PATH_MAX_BYTES] = "", of[32] = "";
	uint64_t count = 0;

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (heap_name_begins(plain, tags[i]))
			plain = skip_blanks(plain + strlen(tags[i]));
	if (!rfs_dwarf_in_type(from->dwarf, plain, size, offset, path, sizeof(path), &count) ||
	    (count > 1 && !from->is_array))
		return NULL;
	rfs_cut_library_members(path);
	if (count > 1)
		snprintf(of, sizeof(of), "[%llu]", (unsigned long long)count);
	if (!path[0] || part == RFS_BLOCK_WHOLE)
		return xasprintf("%s%s", type, of);
	return xasprintf("%s of %s%s", path + (path[0] == '.'), type, of);
}

/* The name of a block that std::make_shared<T>() or std::shared_ptr<T>(pointer) has allocated. Caller frees. */
static char *shared_name(const struct allocation *from, enum rfs_block_part part)
{
	static const char with_object[] = "std::_Sp_counted_ptr_inplace<";
	const struct rfs_object *object = from->object;
	char *type = first_argument(strchr(from->type, '<') + 1), *name = NULL;
	uint64_t size = 0;

	if (!type)
		return NULL;
	if (part == RFS_BLOCK_MEMBER && object->offset >= COUNTS_AT && object->offset < SHARED_AT)
		name = xasprintf("count of std::shared_ptr<%s>", type);
	/* the object ends with the block, but for padding */
	for (size = object->size - SHARED_AT;
	     !name && heap_name_begins(from->type, with_object) && part == RFS_BLOCK_MEMBER &&
	     object->offset >= SHARED_AT && size && size + 8 > object->size - SHARED_AT;
	     size--)
		name = typed_name(&(struct allocation){.dwarf = from->dwarf}, type, size, object->offset - SHARED_AT,
				  part);
	if (!name)
		name = xasprintf("std::shared_ptr<%s>", type);
	free(type);
	return name;
}

/* "name of Account" for the object in Rust's Arc or Rc. Caller frees; NULL: the block is neither. */
static char *counted_name(const struct allocation *from, enum rfs_block_part part)
{
	static const char *const kinds[][2] = {
		{"alloc::sync::ArcInner<", "Arc"}, {"alloc::rc::RcInner<", "Rc"}, {"alloc::rc::RcBox<", "Rc"}};
	const struct rfs_object *object = from->object;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *type, *name = NULL;

		if (!heap_name_begins(from->type, kinds[i][0]))
			continue;
		type = first_argument(from->type + strlen(kinds[i][0]));
		if (!type)
			return NULL;
		/* two counts, then the object, whatever padding is behind it */
		for (uint64_t size = object->size - SHARED_AT;
		     object->size > SHARED_AT && !name && size && size + 8 > object->size - SHARED_AT &&
		     part == RFS_BLOCK_MEMBER && object->offset >= SHARED_AT;
		     size--)
			name = typed_name(&(struct allocation){.dwarf = from->dwarf}, type, size,
					  object->offset - SHARED_AT, part);
		if (!name && part == RFS_BLOCK_MEMBER && object->offset < SHARED_AT)
			name = xasprintf("count of %s<%s>", kinds[i][1], type);
		if (!name)
			name = xasprintf("%s<%s>", kinds[i][1], type);
		free(type);
		return name;
	}
	return NULL;
}

/* Caller frees; NULL: neither type nor container is known. */
static char *name_of(const struct allocation *from, enum rfs_block_part part)
{
	const struct rfs_object *object = from->object;
	char *name = NULL;

	if (from->type && from->dwarf) {
		if (heap_name_begins(from->type, "std::_Sp_counted_"))
			return shared_name(from, part);
		name = counted_name(from, part);
		if (!name && !from->container)
			name = typed_name(from, from->type, object->size, object->offset, part);
	}
	if (!name && from->container)
		name = xasprintf("memory of %s", from->container);
	return name;
}

/*
 * Where a block was allocated, as text: the innermost line of the user's code or, if the stack has none, the function
 * that allocated it. Caller frees; NULL: unknown.
 */
static char *allocation_text(struct rfs_symbols *symbols, const struct rfs_object *object)
{
	struct rfs_source_place place = {0};
	char *text;

	if (!object->n_stack)
		return NULL;
	rfs_symbols_caller(symbols, &object->stack[0], true, object->stack + 1, object->n_stack - 1, &place);
	if (rfs_source_place_is_foreign(&place) && place.function)
		/* that a block comes from here says nothing */
		text = strncmp(place.function, "operator new", strlen("operator new")) ? xstrdup(place.function) : NULL;
	else
		text = rfs_symbols_short(&place);
	rfs_source_place_release(&place);
	return text;
}

char *rfs_symbols_block(struct rfs_symbols *symbols, const struct rfs_object *object, enum rfs_block_part part)
{
	char *at = allocation_text(symbols, object), *name, by[32] = "", inside[32] = "", *text;
	struct allocation allocation;

	find_allocation(symbols, object, &allocation);
	name = name_of(&allocation, part);
	free(allocation.type);
	free(allocation.container);
	if (object->thread >= 0)
		snprintf(by, sizeof(by), " by thread %d", object->thread);
	if (object->offset)
		snprintf(inside, sizeof(inside), " + %llu", (unsigned long long)object->offset);
	if (!name)
		name = xasprintf("heap block of %llu bytes%s", (unsigned long long)object->size, inside);
	text = xasprintf("%s%s%s%s%s", name, at || by[0] ? ", allocated" : "", by, at ? " at " : "", at ? at : "");
	free(name);
	free(at);
	return text;
}
