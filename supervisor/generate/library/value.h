/* value.h - an argument of a call. */
#ifndef RFS_GENERATED_VALUE_H
#define RFS_GENERATED_VALUE_H

#include <stdint.h>

struct rfs_c_type;

enum rfs_value_kind {
	RFS_VALUE_INTEGER,
	RFS_VALUE_REAL,
	RFS_VALUE_STRING,
	RFS_VALUE_NULL,
	RFS_VALUE_VARIABLE,
	RFS_VALUE_ADDRESS, /* of a variable */
	RFS_VALUE_MEMORY,  /* fresh bytes, zeroed, or the members of a structure */
	RFS_VALUE_CALLBACK_ZERO,
	RFS_VALUE_CALLBACK_IDENTITY,
	RFS_VALUE_CXX_STRING, /* a std::string of the literal */
	RFS_VALUE_RECORD,     /* a structure; integer: the number of its value (record_value.h) */
	RFS_VALUE_DESCRIPTOR, /* of a file that is opened for the call */
	RFS_VALUE_STREAM,     /* a FILE in memory, empty */
};

struct rfs_value {
	enum rfs_value_kind kind;
	int64_t integer; /* also the number of a variable, or of bytes */
	int64_t members; /* of MEMORY: the number of the structure's value (record_value.h); 0: zeroed */
	double real;
	const char *string;	       /* a literal; never freed */
	const struct rfs_c_type *type; /* of the parameter */
};

#endif
