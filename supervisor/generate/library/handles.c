/*
 * handles.c - copies the types of functions. The copies belong to the library, because those of the shim are shared by
 * all functions.
 */
#include "supervisor/generate/library/handles.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/hints.h"
#include "supervisor/generate/library/library.h"

/* More typedefs than this are a mistake of the debug information. */
#define DEPTH_MAX 64

const struct rfs_c_type *rfs_handle_of(const struct rfs_c_type *type)
{
	const struct rfs_c_type *found = NULL;

	for (int i = 0; i < DEPTH_MAX && type; i++, type = type->to) {
		if (type->kind == RFS_C_VOID)
			return found;
		if (type->kind == RFS_C_TYPEDEF)
			found = type;
		else if (type->kind != RFS_C_CONST && type->kind != RFS_C_QUALIFIED)
			return NULL;
	}
	return NULL;
}

/* A type that belongs to the library. */
static struct rfs_c_type *new_type(struct rfs_library *library, const struct rfs_c_type *like)
{
	struct rfs_c_type *type = xmalloc(sizeof(*type));

	*type = *like;
	library->made = xreallocarray(library->made, library->n_made + 1, sizeof(*library->made));
	library->made[library->n_made++] = type;
	return type;
}

/* A copy of a function's type with room for more parameters. */
static struct rfs_c_type *copy_function(struct rfs_library *library, const struct rfs_c_type *function, size_t more)
{
	struct rfs_c_type *copy = new_type(library, function);

	copy->parameters = xcalloc(function->n_parameters + more + 1, sizeof(*copy->parameters));
	for (size_t i = 0; i < function->n_parameters; i++)
		copy->parameters[i] = function->parameters[i];
	return copy;
}

/* ---- handles ---- */

static bool is_plain_void(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	return plain->kind == RFS_C_POINTER && rfs_c_plain(plain->to)->kind == RFS_C_VOID && !rfs_c_is_const(plain->to);
}

/* Makes the first void * or void ** of the function's parameters a pointer to the handle. */
static void take_handle(struct rfs_library *library, struct rfs_library_function *function,
			const struct rfs_c_type *handle, bool result)
{
	struct rfs_c_type *copy = copy_function(library, function->type, 0);
	struct rfs_c_type *pointer = new_type(library, &(struct rfs_c_type){.kind = RFS_C_POINTER, .size = 8});

	pointer->to = handle;
	function->type = copy;
	if (result)
		copy->to = pointer;
	for (size_t i = 0; i < copy->n_parameters && !result; i++) {
		const struct rfs_c_type *plain = rfs_c_plain(copy->parameters[i]);

		if (is_plain_void(plain) && !rfs_handle_of(plain->to)) {
			copy->parameters[i] = pointer;
			return;
		}
		if (plain->kind == RFS_C_POINTER && is_plain_void(plain->to)) {
			struct rfs_c_type *outer = new_type(library, plain);

			outer->to = pointer;
			copy->parameters[i] = outer;
			return;
		}
	}
}

static void add_handle(struct rfs_library *library, const struct rfs_library_hint *hint)
{
	static const struct rfs_c_type nothing = {.kind = RFS_C_VOID};
	struct rfs_c_type *handle =
		new_type(library, &(struct rfs_c_type){.kind = RFS_C_TYPEDEF, .name = hint->name.text, .to = &nothing});

	for (size_t i = 0; i < library->n_functions; i++) {
		struct rfs_library_function *function = &library->functions[i];

		if (strcmp(function->name, hint->values[0].text) == 0 && is_plain_void(function->type->to))
			take_handle(library, function, handle, true);
		for (size_t k = 1; k < hint->n_values; k++)
			if (fnmatch(hint->values[k].text, function->name, 0) == 0) {
				take_handle(library, function, handle, false);
				break;
			}
	}
}

/* ---- calls ---- */

/* The type of an argument behind the named parameters. A number is long, because most such functions expect that. */
static const struct rfs_c_type *argument_type(const struct rfs_hint_word *word)
{
	static const struct rfs_c_type character = {
		.kind = RFS_C_INTEGER, .is_signed = true, .is_character = true, .size = 1};
	static const struct rfs_c_type constant = {.kind = RFS_C_CONST, .to = &character};
	static const struct rfs_c_type string = {.kind = RFS_C_POINTER, .size = 8, .to = &constant};
	static const struct rfs_c_type number = {
		.kind = RFS_C_INTEGER, .is_signed = true, .size = 8, .is_variadic = true};
	static const struct rfs_c_type real = {.kind = RFS_C_FLOAT, .size = 8};

	if (word->quoted || strcmp(word->text, "null") == 0)
		return &string;
	return strchr(word->text, '.') ? &real : &number;
}

/* "curl_easy_setopt(_, CURLOPT_VERBOSE, 1)". Caller frees. */
static char *text_of(const struct rfs_library_hint *hint)
{
	char *text = xasprintf("%s(", hint->name.text);

	for (size_t i = 0; i < hint->n_values; i++) {
		const char *quote = hint->values[i].quoted ? "\"" : "";
		char *longer = xasprintf("%s%s%s%s%s", text, i ? ", " : "", quote, hint->values[i].text, quote);

		free(text);
		text = longer;
	}
	return strcat(xrealloc(text, strlen(text) + 2), ")");
}

static void add_call(struct rfs_library *library, const struct rfs_library_hint *hint)
{
	const struct rfs_library_function *named = NULL;
	struct rfs_library_function row;
	struct rfs_c_type *type;

	for (size_t i = 0; i < library->n_functions && !named; i++)
		if (strcmp(library->functions[i].name, hint->name.text) == 0)
			named = &library->functions[i];
	/* rfs_hints_apply() refuses such hints */
	if (!named || hint->n_values < named->type->n_parameters ||
	    (hint->n_values > named->type->n_parameters && !named->type->is_variadic))
		return;
	row = *named;
	type = copy_function(library, named->type, hint->n_values);
	for (size_t i = type->n_parameters; i < hint->n_values; i++)
		type->parameters[i] = argument_type(&hint->values[i]);
	type->n_parameters = hint->n_values;
	type->is_variadic = false;
	row.type = type;
	row.shown = text_of(hint);
	row.rules = NULL;
	row.call = hint;
	library->functions = xreallocarray(library->functions, library->n_functions + 1, sizeof(row));
	library->functions[library->n_functions++] = row;
}

void rfs_handles_add(const struct rfs_library_hints *hints, struct rfs_library *library)
{
	for (size_t i = 0; hints && i < hints->n; i++)
		if (hints->list[i].kind == RFS_LIBRARY_HINT_HANDLE)
			add_handle(library, &hints->list[i]);
	for (size_t i = 0; hints && i < hints->n; i++)
		if (hints->list[i].kind == RFS_LIBRARY_HINT_CALL)
			add_call(library, &hints->list[i]);
}

void rfs_handles_release(struct rfs_library *library)
{
	for (size_t i = 0; i < library->n_made; i++) {
		if (library->made[i]->kind == RFS_C_FUNCTION)
			free(library->made[i]->parameters);
		free(library->made[i]);
	}
	free(library->made);
}
