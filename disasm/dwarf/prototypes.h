/*
 * prototypes.h - the types of functions, from debug information. They are read from a shim that rfsup has made. For C,
 * it has a pointer variable for each function, named by a prefix and the name of the function. For C++, its debug
 * information has the classes of the headers.
 */
#ifndef RFS_PROTOTYPES_H
#define RFS_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rfs_c_kind {
	RFS_C_VOID,
	RFS_C_BOOL,
	RFS_C_INTEGER, /* also characters */
	RFS_C_FLOAT,
	RFS_C_ENUM,
	RFS_C_POINTER,
	RFS_C_ARRAY,
	RFS_C_STRUCT,
	RFS_C_UNION,
	RFS_C_FUNCTION,
	RFS_C_TYPEDEF,
	RFS_C_CONST,
	RFS_C_QUALIFIED, /* volatile, restrict or _Atomic */
	RFS_C_COMPLEX,
	RFS_C_VECTOR,
	RFS_C_UNKNOWN, /* any other type */
};

/* A constant of an enumeration. */
struct rfs_c_value {
	char *name;
	int64_t value;
};

/* A member of a structure or union. */
struct rfs_c_member {
	const struct rfs_c_type *type;
	uint64_t offset; /* in bits */
	uint64_t bits;	 /* the width of a bit-field; 0: not a bit-field */
};

/* A type. Types may refer to themselves, but only through a pointer or a function. */
struct rfs_c_type {
	enum rfs_c_kind kind;
	bool is_signed;		       /* INTEGER */
	bool is_character;	       /* INTEGER: char, signed char or unsigned char */
	bool is_declared;	       /* STRUCT, UNION, ENUM: its members are unknown */
	bool is_variadic;	       /* FUNCTION; INTEGER: it is one of a variable number of arguments */
	bool is_cxx;		       /* read by rfs_prototypes_read_classes() */
	bool is_reference;	       /* POINTER: a reference of C++ */
	bool is_rvalue;		       /* POINTER: a reference such as "T &&" */
	bool is_by_reference;	       /* STRUCT, UNION of C++: the caller passes its address in place of a value */
	bool is_abstract;	       /* STRUCT of C++: it has a method without code, so there are no objects of it */
	char *name;		       /* of a typedef, or the tag; NULL: none; of C++: with namespace and class */
	uint64_t size;		       /* in bytes; 0: unknown, or an array without elements */
	uint64_t alignment;	       /* in bytes, if the source says it; 0: otherwise */
	const struct rfs_c_type *to;   /* the inner type; of a FUNCTION: its result */
	const struct rfs_c_type *base; /* STRUCT of C++: its public base class at the same address; NULL: none */
	const struct rfs_c_type **parameters; /* FUNCTION */
	size_t n_parameters;
	struct rfs_c_value *values; /* ENUM */
	size_t n_values;
	struct rfs_c_member *members; /* STRUCT, UNION; without bit-fields of no width */
	size_t n_members;
};

enum rfs_cxx_kind { RFS_CXX_METHOD, RFS_CXX_STATIC, RFS_CXX_CONSTRUCTOR, RFS_CXX_DESTRUCTOR };

/* A public method of a class. Except for STATIC, its first parameter is the object. */
struct rfs_cxx_method {
	enum rfs_cxx_kind kind;
	bool is_virtual;
	bool is_exported; /* as the caller of rfs_prototypes_read_classes() says */
	const struct rfs_c_type *object;
	char *name; /* without the class */
	char *file; /* the source file that declares the method; NULL: unknown */
	unsigned line;
};

struct rfs_prototype {
	const char *function;		     /* its name; of C++: its linkage name */
	const struct rfs_c_type *type;	     /* FUNCTION */
	const struct rfs_cxx_method *method; /* NULL: a function of C */
};

struct rfs_prototypes;

/*
 * Reads all variables of the ELF file at path whose names begin with prefix. Returns 0 and *out (free with
 * rfs_prototypes_free()), or -errno, and the reason in why (n bytes).
 */
int rfs_prototypes_read(const char *path, const char *prefix, struct rfs_prototypes **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Reads the public methods of the classes outside of namespace std. is_exported: whether the library has code for the
 * linkage name. A class without such a method is left out. Returns as above.
 */
int rfs_prototypes_read_classes(const char *path, bool (*is_exported)(void *arg, const char *name), void *arg,
				struct rfs_prototypes **out, char *why, size_t n) __attribute__((warn_unused_result));
/* Sets what debug information does not say of a class. */
void rfs_c_set_traits(const struct rfs_c_type *class, bool is_abstract, bool is_by_reference);
void rfs_prototypes_free(struct rfs_prototypes *prototypes);

/* *out: the functions, in the order of the file. Borrowed. Returns how many. */
size_t rfs_prototypes(const struct rfs_prototypes *prototypes, const struct rfs_prototype **out);

/* Follows typedefs and qualifiers. */
const struct rfs_c_type *rfs_c_plain(const struct rfs_c_type *type);
/* Whether the type is const, perhaps through a typedef. */
bool rfs_c_is_const(const struct rfs_c_type *type);

#endif
