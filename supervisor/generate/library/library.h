/*
 * library.h - what the functions of a library are for: which types it has, and which functions make, use and destroy
 * objects of them. All of this is guessed from prototypes and names.
 */
#ifndef RFS_LIBRARY_H
#define RFS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/dwarf/prototypes.h"

struct rfs_library_hint;
struct rfs_library_hints;
struct rfs_shim;
struct rfs_value;

/* How a function uses the objects of one type. */
enum rfs_role {
	RFS_ROLE_RETURNS,     /* a constructor: returns a pointer to an object, and gets none or is called "new" */
	RFS_ROLE_FILLS,	      /* a constructor: stores a pointer to an object where a parameter says */
	RFS_ROLE_INITIALISES, /* a constructor: makes an object in memory of the caller */
	RFS_ROLE_METHOD,
	RFS_ROLE_DESTRUCTOR, /* a method that probably ends the object's life: its name says so */
	RFS_N_ROLES
};

/* What a method does to a lock or the like of its object, as its name says (library/holds.h). */
enum rfs_hold {
	RFS_HOLD_NONE,
	RFS_HOLD_OPENS,	 /* the same thread must call `closer` afterwards: lock */
	RFS_HOLD_TRIES,	 /* the same, but only if the call did not fail: trylock */
	RFS_HOLD_CLOSES, /* only after one of these: unlock */
	RFS_HOLD_NEEDS,	 /* the thread must hold the lock that is parameter `lock`: cond_wait(cond, mutex) */
};

/* A function that is used for an object of a type. */
struct rfs_use {
	size_t function; /* index in the library's functions */
	enum rfs_role role;
	size_t parameter; /* the object's; unused for RETURNS */
	enum rfs_hold hold;
	size_t closer; /* a function; valid for OPENS and TRIES. Its arguments are the first ones of the opening call */
	size_t lock;   /* valid for NEEDS */
};

/* What the user's hints say of a parameter. Zero: nothing. */
struct rfs_parameter_rule {
	bool is_length; /* of what parameter `buffer` points to */
	size_t buffer;
	struct rfs_value *values; /* the only values; owned; their strings are borrowed from the hints */
	size_t n_values;
};

struct rfs_library_function {
	const char *name;		     /* borrowed from the shim; of C++: the linkage name */
	char *shown;			     /* for people: the same, or "Foo::add(int)"; owned */
	const struct rfs_cxx_method *method; /* borrowed; NULL: a function of C */
	const struct rfs_c_type *type;
	const char *left_out;		     /* why it cannot be called; NULL: it can be */
	struct rfs_parameter_rule *rules;    /* one for each parameter; owned; NULL: none */
	const struct rfs_library_hint *call; /* the hint that names this call with its arguments; NULL: none */
};

/* What the library's documentation says of a type, as the user's hints tell. */
enum rfs_claim { RFS_CLAIM_NONE, RFS_CLAIM_SAFE, RFS_CLAIM_UNSAFE };

/* A typedef's name, or "struct TAG". */
struct rfs_type_name {
	char *name;
	size_t n; /* how many parameters and results of functions are declared with it; 0: a typedef of a name */
};

/* A structure or union whose objects are handled through pointers, or a handle (library/handles.h). */
struct rfs_library_type {
	const char *name; /* the one of its names that most functions use */
	struct rfs_type_name *names;
	size_t n_names;
	const struct rfs_c_type *type;
	struct rfs_use *uses; /* one for each function; a function may have uses in several types */
	size_t n_uses;
	size_t n[RFS_N_ROLES]; /* the number of uses with each role */
	enum rfs_claim claim;
};

struct rfs_library {
	bool is_cxx;
	struct rfs_library_function *functions;
	size_t n_functions, n_left_out;
	struct rfs_library_type *types; /* those with methods; in the order in which they are first used */
	size_t n_types;
	struct rfs_c_type **made; /* types that the hints need; owned */
	size_t n_made;
};

/* hints: those for handles and calls are used; NULL: none. They must outlive the library. */
void rfs_library_classify(const struct rfs_shim *shim, const struct rfs_library_hints *hints, struct rfs_library *out);
void rfs_library_release(struct rfs_library *library);

/* Whether the type is that of a FILE of the C library. */
bool rfs_library_is_stream(const struct rfs_c_type *type);
/* Whether the type is std::string. */
bool rfs_library_is_string(const struct rfs_c_type *type);

/* Marks a function that must not be called, if it is not marked. why: static. */
void rfs_library_leave_out(struct rfs_library *library, size_t function, const char *why);
/* Sets how the function uses objects of a type. False: the library has no such type. */
bool rfs_library_set_role(struct rfs_library *library, const struct rfs_c_type *object, size_t function,
			  enum rfs_role role, size_t parameter);
/* Whether the function is a constructor that returns such objects. It may be a method, too. */
bool rfs_library_constructs(const struct rfs_library *library, const struct rfs_c_type *object, size_t function);
/*
 * Whether the constructor gets an object of the type that it makes, and no other function makes one. Then it gets NULL,
 * which is an empty list: curl_slist_append(NULL, string).
 */
bool rfs_library_makes_from_null(const struct rfs_library *library, const struct rfs_library_type *type,
				 const struct rfs_use *use);

/* The structure, union or handle in T of T *; NULL if the type is something else. */
const struct rfs_c_type *rfs_library_object(const struct rfs_c_type *type);
/* The structure, union or handle in T of T **, if T is not const; NULL if the type is something else. */
const struct rfs_c_type *rfs_library_filled_object(const struct rfs_c_type *type);

/* The type of the objects; NULL if the library has none. */
const struct rfs_library_type *rfs_library_type_of(const struct rfs_library *library, const struct rfs_c_type *object);

/*
 * Whether one of the type's names matches the glob; "struct TAG" also without "struct". Typedefs of the type and of
 * pointers to it are names, and "NAME *" means NAME, as functions declare it.
 */
bool rfs_library_type_matches(const struct rfs_library_type *type, const char *glob);

/*
 * Whether a method tells the state of an object, as a size or a string: it gets nothing but the object, which is const
 * or the name of the method says so.
 */
bool rfs_library_tells_state(const struct rfs_library *library, const struct rfs_use *use);

/* The name of the function, without class and namespace if it is a method of C++. Borrowed. */
const char *rfs_library_name(const struct rfs_library_function *function);
/* Whether the function only tries to do something, as its name says: it may fail because another thread has a lock. */
bool rfs_library_tries(const struct rfs_library_function *function);

/*
 * Whether the function ends the life of the object that it gets there, and not of the first one, as in
 * apr_allocator_free(allocator, node).
 */
bool rfs_library_ends_argument(const struct rfs_library *library, size_t function, size_t parameter);

/* Whether the library has a constructor of the type that can be called. */
bool rfs_library_type_is_made(const struct rfs_library *library, const struct rfs_library_type *type);

#endif
