/*
 * script.h - a test as the driver executes it: calls of library functions, in a prefix and two suffixes, and calls
 * after both. It is text with one call a line:
 *
 *	SECTION SLOT FUNCTION VALUE...
 *
 * SECTION is 0 for the prefix, 1 and 2 for the suffixes, 3 for the calls after them. SLOT is where the result is kept,
 * or "-". FUNCTION is a name of the shim, without its prefix, or "*memory" for a number of zeroed bytes. A VALUE is a
 * letter and its argument:
 *
 *	iN  an integer                     dN  a double                   fN  a float
 *	sHH the string of these bytes in hexadecimal digits               n   a null pointer
 *	vK  what is in slot K              aK  the address of slot K      mN  N bytes of memory, zeroed
 *	gHH the address of these bytes        cHH the address of a std::string of these bytes
 *	z   a callback that returns 0      y   a callback that returns its first argument
 *	tC:HH a structure of these bytes; C is its class (supervisor/generate/library/abi.h)
 *	o   a descriptor of RFS_DRIVER_FILE, which the call opens
 *	w   a FILE in memory, empty, of RFS_DRIVER_STREAM_BYTES
 *	rC:N  not an argument: the result has this class and N bytes
 *
 * A line that begins with a question mark says which results are kept (results.h).
 */
#ifndef RFS_DRIVER_SCRIPT_H
#define RFS_DRIVER_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors of "serve": tests are read from one, and answers written to the other. */
#define RFS_DRIVER_TESTS 200
#define RFS_DRIVER_ANSWERS 201

/* The first word of the driver's command line (main.c). */
#define RFS_DRIVER_SERVE "serve"
#define RFS_DRIVER_RUN "run"
#define RFS_DRIVER_RUN_LATE "run-late"
/* A later word of it: the network reaches nothing, so sockets can be used. */
#define RFS_DRIVER_PRIVATE_NETWORK "private-network"

#define RFS_DRIVER_TEST_BYTES (1 << 16) /* the longest test */
#define RFS_DRIVER_SECTIONS 4
#define RFS_DRIVER_STATE 3 /* the section that comes after both suffixes */
#define RFS_DRIVER_SLOTS 128
#define RFS_DRIVER_VALUES 64  /* the most parameters of a call */
#define RFS_DRIVER_CALLS 64   /* the most calls of a section */
#define RFS_DRIVER_RESULTS 64 /* the most results that are kept */
#define RFS_DRIVER_TEXT 60    /* the most bytes of a text that are kept */
#define RFS_DRIVER_STACK 256  /* the most words that a call passes on the stack */
#define RFS_DRIVER_CLASS 4    /* bytes for the class of a structure */

/* What a call of "serve" has done, as bits. */
#define RFS_DRIVER_ALLOCATES 1
#define RFS_DRIVER_FREES 2
/* It has freed the object of its argument i: bit RFS_DRIVER_ENDS + i. Only the first RFS_DRIVER_ENDS_MAX are known. */
#define RFS_DRIVER_ENDS 2
#define RFS_DRIVER_ENDS_MAX 16

/* Its bytes are zero. Copies of a process share no position in it, and nothing is stored. */
#define RFS_DRIVER_FILE "/dev/zero"
#define RFS_DRIVER_STREAM_BYTES 4096

enum rfs_driver_kind {
	RFS_DRIVER_INTEGER,
	RFS_DRIVER_DOUBLE,
	RFS_DRIVER_FLOAT,
	RFS_DRIVER_POINTER, /* to a string or memory of the script */
	RFS_DRIVER_SLOT,
	RFS_DRIVER_SLOT_ADDRESS,
	RFS_DRIVER_ZERO, /* callbacks */
	RFS_DRIVER_IDENTITY,
	RFS_DRIVER_RECORD, /* a structure */
	RFS_DRIVER_STRING, /* a std::string */
	RFS_DRIVER_DESCRIPTOR,
	RFS_DRIVER_STREAM,
};

struct rfs_driver_value {
	enum rfs_driver_kind kind;
	bool is_text; /* POINTER: to a string, not to memory */
	union {
		uint64_t integer; /* or the number of a slot */
		double real;
		float single;
		void *pointer; /* owned by the script; of a RECORD: its bytes, in whole words; of a STRING or STREAM: it
				*/
	};
	char class[RFS_DRIVER_CLASS]; /* RECORD */
	size_t n_words;		      /* RECORD */
};

struct rfs_driver_call {
	void *function;		       /* its address */
	int slot;		       /* -1: the result is dropped */
	char result[RFS_DRIVER_CLASS]; /* the class of the result; "": an integer, or nothing */
	void *memory;		       /* for a result in memory; owned by the script; NULL: none */
	size_t n_values;
	struct rfs_driver_value values[RFS_DRIVER_VALUES];
};

struct rfs_driver_script {
	struct rfs_driver_call calls[RFS_DRIVER_SECTIONS][RFS_DRIVER_CALLS];
	size_t n[RFS_DRIVER_SECTIONS];
	uint64_t slots[RFS_DRIVER_SLOTS];
};

/*
 * Reads the n bytes of text. False, and the reason in why, if a line is wrong or the shim does not have its function.
 */
bool rfs_driver_script_read(const char *text, size_t n, struct rfs_driver_script *out, char *why, size_t n_why);
/* Frees what the values own, and empties the script. */
void rfs_driver_script_clear(struct rfs_driver_script *script);

/* The function of the shim, as one without parameters. NULL: there is no such function. */
typedef void rfs_driver_plain_fn(void);
rfs_driver_plain_fn *rfs_driver_plain(const char *name);

/*
 * Executes one call, and keeps its result. returned: the words of the result, or the address of a result in memory; may
 * be NULL.
 */
void rfs_driver_execute(struct rfs_driver_script *script, const struct rfs_driver_call *call, uint64_t returned[2]);

#endif
