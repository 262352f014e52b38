/* library.c - roles of functions, from their prototypes and names. */
#include "supervisor/generate/library/library.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/abi.h"
#include "supervisor/generate/library/cxx_text.h"
#include "supervisor/generate/library/handles.h"
#include "supervisor/generate/library/holds.h"
#include "supervisor/generate/library/name_words.h"
#include "supervisor/generate/library/shim.h"

/* A reason. */
#define VA_LIST "takes a va_list"
/* The driver's limit (driver/script.h). */
#define PARAMETERS_MAX 64

static bool library_is_record(const struct rfs_c_type *type)
{
	return type->kind == RFS_C_STRUCT || type->kind == RFS_C_UNION;
}

const struct rfs_c_type *rfs_library_object(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type), *to;

	if (plain->kind != RFS_C_POINTER)
		return NULL;
	to = rfs_c_plain(plain->to);
	return library_is_record(to) ? to : rfs_handle_of(plain->to);
}

const struct rfs_c_type *rfs_library_filled_object(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	return plain->kind == RFS_C_POINTER && !rfs_c_is_const(plain->to) ? rfs_library_object(plain->to) : NULL;
}

static bool is_va_list(const struct rfs_c_type *plain)
{
	return library_is_record(plain) && plain->name && strcmp(plain->name, "__va_list_tag") == 0;
}

/* Its caller has no object, but memory. */
static bool is_allocation(const char *name)
{
	return strncmp(name, "operator new", 12) == 0 || strncmp(name, "operator delete", 15) == 0;
}

static const char *method_left_out(const struct rfs_cxx_method *method)
{
	if (!method->is_exported)
		return "has no code in the library: it is inline or a template";
	if (is_allocation(method->name))
		return "allocates or frees memory of the class";
	return method->object->is_abstract && method->kind == RFS_CXX_CONSTRUCTOR
		       ? "makes an object of an abstract class"
		       : NULL;
}

/* A class that is not just its bytes is passed by its address, and the caller ends the object. Only strings are made
 * for calls. */
static const char *class_refused(const struct rfs_c_type *plain)
{
	return plain->is_by_reference && !rfs_library_is_string(plain) ? "takes an object by value" : NULL;
}

bool rfs_library_is_string(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	return plain->is_cxx && plain->name && strncmp(plain->name, "std::__cxx11::basic_string<char, ", 33) == 0;
}

bool rfs_library_is_stream(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	return library_is_record(plain) && plain->name && strcmp(plain->name, "_IO_FILE") == 0;
}

static const char *why_left_out(const char *name, const struct rfs_c_type *function)
{
	static const char unlocked[] = "_unlocked";
	const char *why = rfs_c_plain(function->to)->is_by_reference ? NULL : rfs_abi_refused(function->to);
	size_t n = strlen(name), n_unlocked = sizeof(unlocked) - 1;

	if (n > n_unlocked && strcmp(name + n - n_unlocked, unlocked) == 0)
		return "expects a lock, as its name says";
	if (function->is_variadic)
		return "takes a variable number of arguments";
	if (function->n_parameters > PARAMETERS_MAX)
		return "takes more than 64 arguments";
	for (size_t i = 0; i < function->n_parameters && !why; i++) {
		const struct rfs_c_type *plain = rfs_c_plain(function->parameters[i]);

		/* va_list is an array, so a parameter of this type is a pointer */
		if (plain->kind == RFS_C_POINTER && is_va_list(rfs_c_plain(plain->to)))
			why = VA_LIST;
		else
			why = class_refused(plain)     ? class_refused(plain)
			      : plain->is_by_reference ? NULL
						       : rfs_abi_refused(plain);
	}
	return why;
}

static bool is_one_of(const char *word, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && strncasecmp(word, *words, n) == 0)
			return true;
	return false;
}

/*
 * Whether one of the words, which end with NULL, is the last or the last but one word of the name, as in
 * apr_pool_destroy, xmlFreeDoc and sqlite3_close_v2. What follows it must not be "set" or "get", as in
 * apr_allocator_max_free_set.
 */
static bool ends_in(const char *name, const char *const *words)
{
	static const char *const accessors[] = {"set", "get", NULL};
	bool found = false, found_before = false;

	for (const char *at = name; *at;) {
		size_t n = rfs_name_word(at);

		if (n) {
			found_before = found && !is_one_of(at, n, accessors);
			found = is_one_of(at, n, words);
		}
		at += n ? n : 1;
	}
	return found || found_before;
}

/*
 * Whether one of the words is the last one, as in cache_close. A version may follow, as in sqlite3_close_v2, but
 * nothing else, because buffer_delete_last and file_close_line end a part of the object.
 */
static bool ends_exactly_in(const char *name, const char *const *words)
{
	bool found = false;

	for (const char *at = name; *at;) {
		size_t n = rfs_name_word(at);

		if (n && !(n == 1 && (*at == 'v' || *at == 'V') && isdigit((unsigned char)at[1])))
			found = is_one_of(at, n, words);
		at += n ? n : 1;
	}
	return found;
}

static bool sounds_like_the_end(const char *name)
{
	static const char *const words[] = {"free",	"destroy",  "unref",	"dispose",
					    "finalize", "finalise", "destruct", NULL};

	return ends_in(name, words);
}

/* Words that may also refer to a part of an object: cache_put(cache, 7), pool_release(pool, slot). */
static bool may_sound_like_the_end(const char *name)
{
	static const char *const words[] = {"delete", "close", "release", "term", "put", "cleanup", NULL};

	return ends_exactly_in(name, words);
}

static bool sounds_like_initialising(const char *name)
{
	static const char *const words[] = {"init", "initialize", "initialise", "setup", NULL};

	return ends_in(name, words);
}

static bool sounds_like_clearing(const char *name)
{
	static const char *const words[] = {"clear", NULL};

	return sounds_like_the_end(name) || may_sound_like_the_end(name) || ends_in(name, words);
}

/* Whether a word of the name is "new". */
static bool sounds_like_a_constructor(const char *name)
{
	static const char *const words[] = {"new", NULL};

	for (const char *at = name; *at;) {
		size_t n = rfs_name_word(at);

		if (is_one_of(at, n, words))
			return true;
		at += n ? n : 1;
	}
	return false;
}

/* ---- the table of types ---- */

/* The name of the type that a pointer points to: its innermost typedef, or its tag. Caller frees. */
static char *library_name_of(const struct rfs_c_type *pointer, const struct rfs_c_type *object)
{
	const struct rfs_c_type *type = rfs_c_plain(pointer)->to;
	const char *name = object->kind == RFS_C_TYPEDEF ? object->name : NULL;

	while (type != object) {
		if (type->kind == RFS_C_TYPEDEF)
			name = type->name;
		type = type->to;
	}
	if (name)
		return xstrdup(name);
	if (object->is_cxx && object->name)
		return xstrdup(object->name);
	return object->name ? xasprintf("%s %s", object->kind == RFS_C_UNION ? "union" : "struct", object->name)
			    : xstrdup("structure without a name");
}

static struct rfs_type_name *library_name_row(struct rfs_library_type *row, const char *name)
{
	for (size_t i = 0; i < row->n_names; i++)
		if (strcmp(row->names[i].name, name) == 0)
			return &row->names[i];
	row->names = xreallocarray(row->names, row->n_names + 1, sizeof(*row->names));
	row->names[row->n_names] = (struct rfs_type_name){.name = xstrdup(name)};
	return &row->names[row->n_names++];
}

/*
 * All typedefs between a parameter and its object are names of the type: uv_mutex_t of pthread_mutex_t, and XML_Parser
 * of a pointer to a structure. They are not counted, so no report uses them if there is another name.
 */
static void add_typedefs(struct rfs_library_type *row, const struct rfs_c_type *type, const struct rfs_c_type *object)
{
	for (; type && type != object; type = type->to)
		if (type->kind == RFS_C_TYPEDEF)
			(void)library_name_row(row, type->name);
}

static struct rfs_library_type *library_type_row(struct rfs_library *library, const struct rfs_c_type *pointer,
						 const struct rfs_c_type *object)
{
	struct rfs_library_type *row = (struct rfs_library_type *)rfs_library_type_of(library, object);
	char *name;

	if (!row) {
		library->types = xreallocarray(library->types, library->n_types + 1, sizeof(*library->types));
		row = &library->types[library->n_types++];
		*row = (struct rfs_library_type){.type = object};
	}
	name = library_name_of(pointer, object);
	library_name_row(row, name)->n++;
	free(name);
	add_typedefs(row, pointer, object);
	return row;
}

/* Of names that are used equally often, the first one. */
static void choose_name(struct rfs_library_type *row)
{
	size_t best = 0;

	for (size_t i = 1; i < row->n_names; i++)
		if (row->names[i].n > row->names[best].n)
			best = i;
	row->name = row->names[best].name;
}

static void library_append_use(struct rfs_library_type *type, size_t function, enum rfs_role role, size_t parameter)
{
	type->uses = xreallocarray(type->uses, type->n_uses + 1, sizeof(*type->uses));
	type->uses[type->n_uses++] = (struct rfs_use){.function = function, .role = role, .parameter = parameter};
	type->n[role]++;
}

/* Only the first use of a type by a function counts. */
static void library_add_use(struct rfs_library_type *type, size_t function, enum rfs_role role, size_t parameter)
{
	for (size_t i = 0; i < type->n_uses; i++)
		if (type->uses[i].function == function)
			return;
	library_append_use(type, function, role, parameter);
}

/*
 * Whether the function gets a pointer to another object or to data. Then it acts on that, not on the first object, as
 * in apr_allocator_free(allocator, node) and cache_put(cache, key, value). A flag or a function pointer does not count,
 * as in g_string_free(string, true).
 */
static bool takes_a_value(const struct rfs_c_type *function)
{
	for (size_t i = 1; i < function->n_parameters; i++) {
		const struct rfs_c_type *plain = rfs_c_plain(function->parameters[i]);

		if (plain->kind == RFS_C_POINTER && rfs_c_plain(plain->to)->kind != RFS_C_FUNCTION)
			return true;
	}
	return false;
}

/* The last object of several, as in apr_allocator_free(allocator, node). */
static bool ends_argument(const struct rfs_library_function *f, size_t parameter)
{
	size_t last = 0;

	for (size_t i = 1; i < f->type->n_parameters; i++)
		if (rfs_library_object(f->type->parameters[i]))
			last = i;
	return parameter > 0 && parameter == last && !f->method && sounds_like_the_end(f->name);
}

/* Whether the name of the function has that of the type, without "_t" and its tag's keyword: uv_timer_init, uv_timer_t.
 */
static bool names_type(const char *function, const char *type)
{
	const char *tag = strrchr(type, ' ');
	const char *stem = tag ? tag + 1 : type;
	size_t n = strlen(stem);

	if (n > 2 && strcmp(stem + n - 2, "_t") == 0)
		n -= 2;
	return n > 0 && strncasecmp(function, stem, n) == 0 && !isalnum((unsigned char)function[n]);
}

/* The object after the first one that the function makes, as in uv_timer_init(loop, timer). */
static bool initialises_argument(const struct rfs_library_function *f, size_t parameter,
				 const struct rfs_c_type *object)
{
	const struct rfs_c_type *pointer = rfs_c_plain(f->type->parameters[parameter]);
	char *name;
	bool named;

	if (!sounds_like_initialising(f->name) || !object->size || object->is_declared || rfs_c_is_const(pointer->to))
		return false;
	name = library_name_of(f->type->parameters[parameter], object);
	named = names_type(f->name, name);
	free(name);
	return named;
}

static enum rfs_role role_of_method(const struct rfs_cxx_method *method, size_t parameter)
{
	if (parameter == 0 && method->kind == RFS_CXX_CONSTRUCTOR)
		return RFS_ROLE_INITIALISES;
	return parameter == 0 && method->kind == RFS_CXX_DESTRUCTOR ? RFS_ROLE_DESTRUCTOR : RFS_ROLE_METHOD;
}

static enum rfs_role role_of_parameter(const struct rfs_library_function *f, size_t parameter,
				       const struct rfs_c_type *object)
{
	if (f->method)
		return role_of_method(f->method, parameter);
	if (parameter > 0)
		return ends_argument(f, parameter)		    ? RFS_ROLE_DESTRUCTOR
		       : initialises_argument(f, parameter, object) ? RFS_ROLE_INITIALISES
								    : RFS_ROLE_METHOD;
	if ((sounds_like_the_end(f->name) && !takes_a_value(f->type)) ||
	    (may_sound_like_the_end(f->name) && f->type->n_parameters == 1))
		return RFS_ROLE_DESTRUCTOR;
	if (sounds_like_initialising(f->name) && object->size && !object->is_declared)
		return RFS_ROLE_INITIALISES;
	return RFS_ROLE_METHOD;
}

/*
 * A function that stores an object before it gets one makes it: apr_pool_create_ex(&pool, parent, …). So does one that
 * returns an object and is called "new": g_variant_type_new_array(element). Any other function that gets an
 * object uses it. Only the first use of a type counts. So the parameters come in their order and the result last, but
 * the result comes first if the name has the word "new".
 */
static void add_uses(struct rfs_library *library, size_t index)
{
	const struct rfs_library_function *f = &library->functions[index];
	const struct rfs_c_type *type = f->type, *object, *made = rfs_library_object(type->to);

	if (made && rfs_c_is_const(rfs_c_plain(type->to)->to))
		made = NULL;
	if (made && sounds_like_a_constructor(f->name))
		library_add_use(library_type_row(library, type->to, made), index, RFS_ROLE_RETURNS, 0);
	for (size_t i = 0; i < type->n_parameters; i++) {
		object = rfs_library_object(type->parameters[i]);
		if (object)
			library_add_use(library_type_row(library, type->parameters[i], object), index,
					role_of_parameter(f, i, object), i);
		object = rfs_library_filled_object(type->parameters[i]);
		if (object && !sounds_like_clearing(f->name))
			library_add_use(library_type_row(library, rfs_c_plain(type->parameters[i])->to, object), index,
					RFS_ROLE_FILLS, i);
	}
	if (made)
		library_add_use(library_type_row(library, type->to, made), index, RFS_ROLE_RETURNS, 0);
}

/*
 * Classes of the standard library are parameters of methods, but not what is tested. The same holds for a FILE, unless
 * the library makes some.
 */
static bool has_methods(const struct rfs_library_type *type)
{
	if (type->type->is_cxx && type->type->name && strncmp(type->type->name, "std::", 5) == 0)
		return false;
	if (rfs_library_is_stream(type->type) && !type->n[RFS_ROLE_RETURNS] && !type->n[RFS_ROLE_FILLS])
		return false;
	return type->n[RFS_ROLE_METHOD] || type->n[RFS_ROLE_DESTRUCTOR] || type->n[RFS_ROLE_INITIALISES];
}

/* Whether a public method of the class has this name. Then it hides those of the base class. */
static bool has_method(const struct rfs_library *library, const struct rfs_c_type *class, const char *name)
{
	for (size_t i = 0; i < library->n_functions; i++)
		if (library->functions[i].method && library->functions[i].method->object == class &&
		    strcmp(library->functions[i].method->name, name) == 0)
			return true;
	return false;
}

/* Methods of base classes are methods of the class too, if it has none of the same name. */
static void add_inherited(struct rfs_library *library, struct rfs_library_type *type)
{
	for (const struct rfs_c_type *base = type->type->base; base; base = base->base)
		for (size_t i = 0; i < library->n_functions; i++) {
			const struct rfs_cxx_method *method = library->functions[i].method;

			if (method && method->object == base && method->kind == RFS_CXX_METHOD &&
			    !has_method(library, type->type, method->name))
				library_add_use(type, i, RFS_ROLE_METHOD, 0);
		}
}

static void release_type(struct rfs_library_type *type)
{
	for (size_t i = 0; i < type->n_names; i++)
		free(type->names[i].name);
	free(type->names);
	free(type->uses);
}

/* The parameter that is an object of the type; SIZE_MAX: none. */
static size_t own_parameter(const struct rfs_library *library, const struct rfs_library_type *type, size_t function)
{
	const struct rfs_c_type *f = library->functions[function].type;

	for (size_t i = 0; i < f->n_parameters; i++)
		if (rfs_library_object(f->parameters[i]) == type->type)
			return i;
	return SIZE_MAX;
}

static bool returns_object(const struct rfs_library *library, const struct rfs_library_type *type, size_t function)
{
	const struct rfs_c_type *to = library->functions[function].type->to;

	return rfs_library_object(to) == type->type && !rfs_c_is_const(rfs_c_plain(to)->to);
}

bool rfs_library_makes_from_null(const struct rfs_library *library, const struct rfs_library_type *type,
				 const struct rfs_use *use)
{
	if (use->role != RFS_ROLE_RETURNS || own_parameter(library, type, use->function) == SIZE_MAX)
		return false;
	for (size_t i = 0; i < type->n_uses; i++)
		if (type->uses[i].role <= RFS_ROLE_INITIALISES &&
		    !library->functions[type->uses[i].function].left_out &&
		    own_parameter(library, type, type->uses[i].function) == SIZE_MAX)
			return false;
	return true;
}

/*
 * If no function makes objects of the type, but some return one and get one, the first object comes from NULL. Such a
 * function is a constructor and a method at once.
 */
static void add_list_heads(const struct rfs_library *library, struct rfs_library_type *type)
{
	const size_t n = type->n_uses;

	if (type->type->is_cxx || rfs_library_type_is_made(library, type))
		return;
	for (size_t i = 0; i < n; i++)
		if (type->uses[i].role == RFS_ROLE_METHOD && !library->functions[type->uses[i].function].left_out &&
		    returns_object(library, type, type->uses[i].function))
			library_append_use(type, type->uses[i].function, RFS_ROLE_RETURNS, 0);
}

void rfs_library_classify(const struct rfs_shim *shim, const struct rfs_library_hints *hints, struct rfs_library *out)
{
	const struct rfs_prototype *prototypes;
	size_t kept = 0;

	*out = (struct rfs_library){.is_cxx = shim->is_cxx,
				    .n_functions = rfs_prototypes(shim->prototypes, &prototypes)};
	out->functions = xcalloc(out->n_functions, sizeof(*out->functions));
	for (size_t i = 0; i < out->n_functions; i++) {
		const struct rfs_c_type *type = prototypes[i].type;

		const struct rfs_cxx_method *method = prototypes[i].method;
		const char *why = method ? method_left_out(method) : NULL;

		out->functions[i] = (struct rfs_library_function){
			.name = prototypes[i].function,
			.shown = method ? rfs_cxx_shown(method, type) : xstrdup(prototypes[i].function),
			.method = method,
			.type = type,
			.left_out = why,
		};
	}
	rfs_handles_add(hints, out);
	for (size_t i = 0; i < out->n_functions; i++) {
		const struct rfs_library_function *f = &out->functions[i];

		if (!f->left_out)
			out->functions[i].left_out = why_left_out(rfs_library_name(f), f->type);
		out->n_left_out += f->left_out != NULL;
		add_uses(out, i);
	}
	for (size_t i = 0; i < out->n_types; i++)
		add_inherited(out, &out->types[i]);
	for (size_t i = 0; i < out->n_types; i++) {
		choose_name(&out->types[i]);
		add_list_heads(out, &out->types[i]);
		if (has_methods(&out->types[i]))
			out->types[kept++] = out->types[i];
		else
			release_type(&out->types[i]);
	}
	out->n_types = kept;
	rfs_holds_find(out);
}

static void release_rules(struct rfs_library_function *function)
{
	for (size_t i = 0; function->rules && i < function->type->n_parameters; i++)
		free(function->rules[i].values);
	free(function->rules);
}

void rfs_library_release(struct rfs_library *library)
{
	for (size_t i = 0; i < library->n_types; i++)
		release_type(&library->types[i]);
	for (size_t i = 0; i < library->n_functions; i++) {
		free(library->functions[i].shown);
		release_rules(&library->functions[i]);
	}
	rfs_handles_release(library);
	free(library->types);
	free(library->functions);
	*library = (struct rfs_library){0};
}

const struct rfs_library_type *rfs_library_type_of(const struct rfs_library *library, const struct rfs_c_type *object)
{
	for (size_t i = 0; i < library->n_types; i++)
		if (library->types[i].type == object)
			return &library->types[i];
	return NULL;
}

void rfs_library_leave_out(struct rfs_library *library, size_t function, const char *why)
{
	if (library->functions[function].left_out)
		return;
	library->functions[function].left_out = why;
	library->n_left_out++;
}

bool rfs_library_set_role(struct rfs_library *library, const struct rfs_c_type *object, size_t function,
			  enum rfs_role role, size_t parameter)
{
	struct rfs_library_type *type = (struct rfs_library_type *)rfs_library_type_of(library, object);

	if (!type)
		return false;
	library_add_use(type, function, role, parameter);
	for (size_t i = 0; i < type->n_uses; i++) {
		struct rfs_use *use = &type->uses[i];

		if (use->function != function)
			continue;
		type->n[use->role]--;
		type->n[role]++;
		use->role = role;
		use->parameter = parameter;
	}
	return true;
}

bool rfs_library_constructs(const struct rfs_library *library, const struct rfs_c_type *object, size_t function)
{
	const struct rfs_library_type *type = rfs_library_type_of(library, object);

	for (size_t i = 0; type && i < type->n_uses; i++)
		if (type->uses[i].function == function && type->uses[i].role == RFS_ROLE_RETURNS)
			return true;
	return false;
}

static bool has_name_like(const struct rfs_library_type *type, const char *glob)
{
	for (size_t i = 0; i < type->n_names; i++) {
		const char *name = type->names[i].name, *tag = strchr(name, ' ');

		if (fnmatch(glob, name, 0) == 0 || (tag && fnmatch(glob, tag + 1, 0) == 0))
			return true;
	}
	return false;
}

bool rfs_library_type_matches(const struct rfs_library_type *type, const char *glob)
{
	static const char pointer[] = " *";
	const size_t n = strlen(glob), n_pointer = sizeof(pointer) - 1;
	bool found = has_name_like(type, glob);

	if (!found && n > n_pointer && strcmp(glob + n - n_pointer, pointer) == 0) {
		char *object = xstrndup(glob, n - n_pointer);

		found = has_name_like(type, object);
		free(object);
	}
	return found;
}

bool rfs_library_type_is_made(const struct rfs_library *library, const struct rfs_library_type *type)
{
	for (size_t i = 0; i < type->n_uses; i++)
		if (type->uses[i].role <= RFS_ROLE_INITIALISES && !library->functions[type->uses[i].function].left_out)
			return true;
	return false;
}

bool rfs_library_ends_argument(const struct rfs_library *library, size_t function, size_t parameter)
{
	return ends_argument(&library->functions[function], parameter);
}

static bool sounds_like_a_state(const char *name)
{
	static const char *const words[] = {"size",   "length", "len",	 "count", "number", "empty",
					    "string", "str",	"value", "total", NULL};

	return ends_in(name, words);
}

const char *rfs_library_name(const struct rfs_library_function *function)
{
	return function->method ? function->method->name : function->name;
}

bool rfs_library_tries(const struct rfs_library_function *function)
{
	for (const char *at = rfs_library_name(function); *at;) {
		size_t n = rfs_name_word(at);

		/* trylock, try_push */
		if (n >= 3 && strncasecmp(at, "try", 3) == 0)
			return true;
		at += n ? n : 1;
	}
	return false;
}

/* Whether the result is a number or a string. */
static bool returns_a_value(const struct rfs_c_type *function)
{
	const struct rfs_c_type *plain = rfs_c_plain(function->to), *to;

	if (plain->kind == RFS_C_POINTER) {
		to = rfs_c_plain(plain->to);
		return to->kind == RFS_C_INTEGER && to->is_character && to->is_signed;
	}
	return plain->kind == RFS_C_BOOL || plain->kind == RFS_C_INTEGER || plain->kind == RFS_C_ENUM ||
	       plain->kind == RFS_C_FLOAT;
}

bool rfs_library_tells_state(const struct rfs_library *library, const struct rfs_use *use)
{
	const struct rfs_library_function *f = &library->functions[use->function];

	return use->role == RFS_ROLE_METHOD && !f->left_out && f->type->n_parameters == 1 && returns_a_value(f->type) &&
	       (rfs_c_is_const(rfs_c_plain(f->type->parameters[0])->to) || sounds_like_a_state(f->name));
}
