/*
 * hints_apply.c - finds the function of each hint, and replaces roles, values and lengths. library/hints.c reads the
 * file.
 */
#include "supervisor/generate/library/hints_apply.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/hints.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/value.h"

struct applying {
	const struct rfs_library_hints *hints;
	const struct rfs_library_hint *hint;
	struct rfs_library *library;
	char *why;
	size_t n;
};

#define REFUSE(a, word, ...) rfs_hint_refuse((a)->hints, (a)->hint->line, (word)->column, (a)->why, (a)->n, __VA_ARGS__)

static struct rfs_library_function *function_named(const struct applying *a)
{
	for (size_t i = 0; i < a->library->n_functions; i++)
		if (strcmp(a->library->functions[i].name, a->hint->name.text) == 0 ||
		    strcmp(a->library->functions[i].shown, a->hint->name.text) == 0)
			return &a->library->functions[i];
	return NULL;
}

/* ---- types, and functions to skip ---- */

static int apply_claim(const struct applying *a)
{
	bool known = false;

	for (size_t i = 0; i < a->library->n_types; i++)
		if (rfs_library_type_matches(&a->library->types[i], a->hint->name.text)) {
			a->library->types[i].claim =
				a->hint->kind == RFS_LIBRARY_HINT_SAFE ? RFS_CLAIM_SAFE : RFS_CLAIM_UNSAFE;
			known = true;
		}
	return known ? 0
		     : REFUSE(a, &a->hint->name, "the library has no type '%s'; --list lists its types",
			      a->hint->name.text);
}

static int apply_skip(const struct applying *a)
{
	bool known = false;

	for (size_t i = 0; i < a->library->n_functions; i++)
		if (fnmatch(a->hint->name.text, a->library->functions[i].name, 0) == 0) {
			rfs_library_leave_out(a->library, i, "left out by the hints");
			known = true;
		}
	return known ? 0
		     : REFUSE(a, &a->hint->name, "the headers declare no function '%s' of the library",
			      a->hint->name.text);
}

/* ---- roles ---- */

static int apply_constructor(const struct applying *a, const struct rfs_library_function *function)
{
	const struct rfs_c_type *type = function->type, *object = rfs_library_object(type->to);
	const size_t index = (size_t)(function - a->library->functions);

	/* it may be a method, too */
	if (object && rfs_library_constructs(a->library, object, index))
		return 0;
	if (object && rfs_library_set_role(a->library, object, index, RFS_ROLE_RETURNS, 0))
		return 0;
	for (size_t i = 0; i < type->n_parameters; i++) {
		object = rfs_library_filled_object(type->parameters[i]);
		if (object && rfs_library_set_role(a->library, object, index, RFS_ROLE_FILLS, i))
			return 0;
	}
	for (size_t i = 0; i < type->n_parameters; i++) {
		object = rfs_library_object(type->parameters[i]);
		if (object && object->size && !object->is_declared &&
		    rfs_library_set_role(a->library, object, index, RFS_ROLE_INITIALISES, i))
			return 0;
	}
	return REFUSE(a, &a->hint->name,
		      "'%s' makes no object that another function uses; name a function that makes one",
		      a->hint->name.text);
}

/* role: DESTRUCTOR or METHOD, for the first object that the function gets */
static int apply_role(const struct applying *a, const struct rfs_library_function *function, enum rfs_role role)
{
	const struct rfs_c_type *type = function->type;

	for (size_t i = 0; i < type->n_parameters; i++) {
		const struct rfs_c_type *object = rfs_library_object(type->parameters[i]);

		if (object &&
		    rfs_library_set_role(a->library, object, (size_t)(function - a->library->functions), role, i))
			return 0;
	}
	return REFUSE(a, &a->hint->name, "'%s' gets no object; name a function with a pointer to one",
		      a->hint->name.text);
}

static int check_thread_function(const struct applying *a, const struct rfs_library_function *function)
{
	return function->type->n_parameters || function->type->is_variadic
		       ? REFUSE(a, &a->hint->name, "'%s' has parameters; name a function without any",
				a->hint->name.text)
		       : 0;
}

/* ---- parameters ---- */

static bool is_text(const struct rfs_c_type *plain)
{
	const struct rfs_c_type *to = plain->kind == RFS_C_POINTER ? rfs_c_plain(plain->to) : NULL;

	return to && (to->kind == RFS_C_VOID || (to->kind == RFS_C_INTEGER && to->is_character));
}

static bool read_integer(const char *word, int64_t *out)
{
	char *end;

	errno = 0;
	*out = word[0] == '-' ? strtoll(word, &end, 0) : (int64_t)strtoull(word, &end, 0);
	return end != word && !*end && !errno;
}

static bool is_constant(const struct rfs_c_type *plain, const char *word, int64_t *out)
{
	for (size_t i = 0; plain->kind == RFS_C_ENUM && i < plain->n_values; i++)
		if (strcmp(plain->values[i].name, word) == 0) {
			*out = plain->values[i].value;
			return true;
		}
	return false;
}

/* The value of a word for a parameter of this type. False: they do not fit. */
static bool hints_apply_read_value(const struct rfs_c_type *type, const struct rfs_hint_word *word,
				   struct rfs_value *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);
	char *end;

	*out = (struct rfs_value){.type = type};
	switch (plain->kind) {
	case RFS_C_POINTER:
		out->kind = word->quoted ? RFS_VALUE_STRING : RFS_VALUE_NULL;
		out->string = word->text;
		return word->quoted ? is_text(plain) : strcmp(word->text, "null") == 0;
	case RFS_C_FLOAT:
		out->kind = RFS_VALUE_REAL;
		out->real = strtod(word->text, &end);
		return !word->quoted && end != word->text && !*end;
	case RFS_C_BOOL:
	case RFS_C_INTEGER:
	case RFS_C_ENUM:
		out->kind = RFS_VALUE_INTEGER;
		return !word->quoted &&
		       (is_constant(plain, word->text, &out->integer) || read_integer(word->text, &out->integer));
	default:
		return false;
	}
}

static const char *values_of(const struct rfs_c_type *type)
{
	switch (rfs_c_plain(type)->kind) {
	case RFS_C_POINTER:
		return is_text(rfs_c_plain(type)) ? "a string in quotes, or null" : "null";
	case RFS_C_FLOAT:
		return "a number";
	case RFS_C_ENUM:
		return "a constant of its type, or an integer";
	case RFS_C_BOOL:
	case RFS_C_INTEGER:
		return "an integer";
	default:
		return "no values from hints; remove this line";
	}
}

static struct rfs_parameter_rule *new_rule(struct rfs_library_function *function, size_t parameter)
{
	if (!function->rules)
		function->rules = xcalloc(function->type->n_parameters, sizeof(*function->rules));
	free(function->rules[parameter].values);
	function->rules[parameter] = (struct rfs_parameter_rule){0};
	return &function->rules[parameter];
}

static int apply_length(const struct applying *a, struct rfs_library_function *function)
{
	const struct rfs_library_hint *hint = a->hint;
	const struct rfs_c_type *const *parameters = function->type->parameters;

	if (rfs_c_plain(parameters[hint->parameter])->kind != RFS_C_INTEGER)
		return REFUSE(a, &hint->numbers[0],
			      "parameter %zu of '%s' is not an integer; name the one that has the length",
			      hint->parameter, hint->name.text);
	if (rfs_c_plain(parameters[hint->buffer])->kind != RFS_C_POINTER)
		return REFUSE(a, &hint->numbers[1],
			      "parameter %zu of '%s' is not a pointer; name the one that has this length", hint->buffer,
			      hint->name.text);
	*new_rule(function, hint->parameter) = (struct rfs_parameter_rule){.is_length = true, .buffer = hint->buffer};
	return 0;
}

static int apply_values(const struct applying *a, struct rfs_library_function *function)
{
	const struct rfs_library_hint *hint = a->hint;
	const struct rfs_c_type *type = function->type->parameters[hint->parameter];
	struct rfs_value *values = xcalloc(hint->n_values, sizeof(*values));
	struct rfs_parameter_rule *rule;

	for (size_t i = 0; i < hint->n_values; i++)
		if (!hints_apply_read_value(type, &hint->values[i], &values[i])) {
			free(values);
			return REFUSE(a, &hint->values[i], "'%s' does not fit; parameter %zu of '%s' takes %s",
				      hint->values[i].text, hint->parameter, hint->name.text, values_of(type));
		}
	rule = new_rule(function, hint->parameter);
	rule->values = values;
	rule->n_values = hint->n_values;
	return 0;
}

static int apply_parameter(const struct applying *a, struct rfs_library_function *function)
{
	const size_t n = function->type->n_parameters;
	const struct rfs_library_hint *hint = a->hint;

	for (size_t i = 0; i < (hint->kind == RFS_LIBRARY_HINT_LENGTH ? 2 : 1); i++) {
		if ((i ? hint->buffer : hint->parameter) < n)
			continue;
		if (!n)
			return REFUSE(a, &hint->numbers[i], "'%s' has no parameters; remove this line",
				      hint->name.text);
		return REFUSE(a, &hint->numbers[i], "'%s' has no parameter %s; its parameters are 0 to %zu",
			      hint->name.text, hint->numbers[i].text, n - 1);
	}
	return hint->kind == RFS_LIBRARY_HINT_LENGTH ? apply_length(a, function) : apply_values(a, function);
}

/* ---- handles and calls (library/handles.h), which are there if they fit ---- */

static int apply_handle(const struct applying *a)
{
	const struct rfs_hint_word *maker = &a->hint->values[0];
	bool known = false;

	for (size_t i = 0; i < a->library->n_types; i++)
		known |= strcmp(a->library->types[i].name, a->hint->name.text) == 0 &&
			 rfs_library_type_is_made(a->library, &a->library->types[i]);
	return known ? 0
		     : REFUSE(a, maker,
			      "'%s' returns no void * that a function gets; name the function that makes the objects, "
			      "then those that get one",
			      maker->text);
}

static int apply_call(const struct applying *a)
{
	const struct rfs_library_hint *hint = a->hint;
	const struct rfs_library_function *named = function_named(a);
	struct rfs_library_function *function = NULL;

	if (!named)
		return REFUSE(a, &hint->name, "the headers declare no function '%s' of the library", hint->name.text);
	for (size_t i = 0; i < a->library->n_functions && !function; i++)
		if (a->library->functions[i].call == hint)
			function = &a->library->functions[i];
	if (!function)
		return REFUSE(a, &hint->name, "'%s' takes %zu arguments%s; write \"_\" for those that may be any value",
			      hint->name.text, named->type->n_parameters, named->type->is_variadic ? " or more" : "");
	for (size_t i = 0; i < hint->n_values; i++) {
		const struct rfs_c_type *type = function->type->parameters[i];
		const struct rfs_hint_word *word = &hint->values[i];
		struct rfs_value *value;

		if (!word->quoted && strcmp(word->text, "_") == 0 && i < named->type->n_parameters)
			continue;
		value = xcalloc(1, sizeof(*value));
		if (!hints_apply_read_value(type, word, value)) {
			free(value);
			return REFUSE(a, word, "'%s' does not fit; argument %zu of '%s' is %s", word->text, i,
				      hint->name.text, values_of(type));
		}
		*new_rule(function, i) = (struct rfs_parameter_rule){.values = value, .n_values = 1};
	}
	return 0;
}

/* ---- all hints ---- */

static int apply_all_hints(const struct applying *a)
{
	struct rfs_library_function *function;

	if (a->hint->kind == RFS_LIBRARY_HINT_SAFE || a->hint->kind == RFS_LIBRARY_HINT_UNSAFE)
		return apply_claim(a);
	if (a->hint->kind == RFS_LIBRARY_HINT_SKIP)
		return apply_skip(a);
	if (a->hint->kind == RFS_LIBRARY_HINT_HANDLE)
		return apply_handle(a);
	if (a->hint->kind == RFS_LIBRARY_HINT_CALL)
		return apply_call(a);
	function = function_named(a);
	if (!function)
		return REFUSE(a, &a->hint->name, "the headers declare no function '%s' of the library",
			      a->hint->name.text);
	switch (a->hint->kind) {
	case RFS_LIBRARY_HINT_CONSTRUCTOR:
		return apply_constructor(a, function);
	case RFS_LIBRARY_HINT_DESTRUCTOR:
		return apply_role(a, function, RFS_ROLE_DESTRUCTOR);
	case RFS_LIBRARY_HINT_METHOD:
		return apply_role(a, function, RFS_ROLE_METHOD);
	case RFS_LIBRARY_HINT_LENGTH:
	case RFS_LIBRARY_HINT_VALUES:
		return apply_parameter(a, function);
	default:
		return check_thread_function(a, function);
	}
}

int rfs_hints_apply(const struct rfs_library_hints *hints, struct rfs_library *library, char *why, size_t n)
{
	int error = 0;

	for (size_t i = 0; i < hints->n && !error; i++) {
		const struct applying applying = {hints, &hints->list[i], library, why, n};

		error = apply_all_hints(&applying);
	}
	return error;
}
