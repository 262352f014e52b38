/*
 * html-priv.h - shared by the parts of a page: html.c (the document), html_lanes.c (the table), html_names.c (text),
 * html_data.c (what the page's script reads).
 */
#ifndef RFS_HTML_PRIV_H
#define RFS_HTML_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <uthash.h>

#include "supervisor/report/html/html_holds.h"
#include "supervisor/report/html/html_style.h"
#include "supervisor/report/text/operation_names.h"

struct rfs_page;
struct rfs_trace_entry;

/* The line that names an operation. Each site with each stack is looked up only once. */
struct rfs_html_site {
	struct {
		uint64_t site;
		uint64_t stack; /* hash of the stack */
	} key;
	char *at;      /* "list.c:14", "libz.so.1+0x4711"; "" if it is not known */
	char *title;   /* function and full path with line; "" if the place is not known */
	char *source;  /* text of the line; "" if it cannot be read */
	size_t number; /* 1 for the first site in the data of the page; 0: not in it yet */
	UT_hash_handle hh;
};

/* An object that has no symbol, and how the program's source calls it. */
struct rfs_html_object {
	struct {
		uint64_t offset;
		uint64_t where; /* members `name` and `index` of struct rfs_trace_entry */
	} key;
	char *name;
	bool is_shared; /* while names are learnt: another object has this name too */
	UT_hash_handle hh;
};

struct rfs_html_names {
	const struct rfs_page *page;
	struct rfs_operation_names operations;
	struct rfs_html_site *sites;
	struct rfs_html_object *objects;
};

/* The number of colours. Locks get them in turn. */
#define RFS_HTML_COLOURS 8

/* A lock that the run took. The key is the lock's address as struct rfs_trace_entry stores it. */
struct rfs_html_lock {
	struct {
		uint64_t offset;
		uint64_t where; /* members `name` and `index` of struct rfs_trace_entry */
	} key;
	uint64_t object; /* rfs_trace_object() */
	unsigned number; /* 0, 1, 2, … in order of appearance */
	char *name;
	UT_hash_handle hh;
};

/* html.c: writes a file that `write` fills. option: the option that names the file, for messages. */
int rfs_html_write_as(const struct rfs_page *page, const char *path, const char *option,
		      void (*write)(const struct rfs_page *page, const struct rfs_trace_entry *entries, size_t n,
				    FILE *out),
		      char *why, size_t n) __attribute__((warn_unused_result));

/* html_names.c */
/* Prepares the names for the operations of the page's record. */
void rfs_html_names_open(struct rfs_html_names *names, const struct rfs_page *page,
			 const struct rfs_trace_entry *entries);
/* The line of operation i. Borrowed. */
const struct rfs_html_site *rfs_html_site(struct rfs_html_names *names, size_t i);
/*
 * Learns the names of the objects of an operation: the argument of a call in the user's source, such as "q->lock", or
 * the variable of the race. Call for all operations before the first name is asked for.
 */
void rfs_html_learn(struct rfs_html_names *names, size_t n);
/* The row before which the race was created. SIZE_MAX: none was. n: how many rows there are. */
size_t rfs_html_race_row(const struct rfs_html_names *names, size_t n);
/* Whether operation i is the access of this side (0 or 1) of the created race. */
bool rfs_html_is_side(const struct rfs_html_names *names, size_t i, int side);
/* The object of operation i. Caller frees; "" if there is none. */
char *rfs_html_object(const struct rfs_html_names *names, size_t i);
/* Operation i as text: "write z = 1", "lock L". Caller frees. */
char *rfs_html_operation(const struct rfs_html_names *names, size_t i);
void rfs_html_names_release(struct rfs_html_names *names);

struct rfs_html_table {
	struct rfs_html_holds holds;
	unsigned slots; /* how many bars a lane has */
	bool narrow;	/* there are many lanes: operations are in a column of their own */
	bool *folded;	/* for each operation, whether it is hidden until the reader asks for it */
	size_t race;	/* rfs_html_race_row() */
	FILE *out;
};

/* html_lanes.c */
/* Writes the table and its data. Returns the locks in it, which the caller frees with rfs_html_locks_free(). */
struct rfs_html_lock *rfs_html_write_lanes(struct rfs_html_names *names, const struct rfs_trace_entry *entries,
					   size_t n, FILE *out);
void rfs_html_locks_free(struct rfs_html_lock *locks);
/* The lock that bar i of the lane shows; NULL: none. */
const struct rfs_html_lock *rfs_html_slot(const struct rfs_html_table *t, const struct rfs_html_lane *lane, unsigned i);
/* What each thread is about to do at the created race; NULL: nothing. Caller frees the texts and the array. */
char **rfs_html_race_texts(const struct rfs_html_table *t);
/* Where they are. Caller frees. */
char *rfs_html_race_at(const struct rfs_html_table *t);
/* How a run that failed ended, and for each thread, what it says of this. Caller frees all; NULL: it did not fail. */
char *rfs_html_end_texts(const struct rfs_html_table *t, char ***texts);
/* Whether the bar of the operation's lock ends below its row. */
bool rfs_html_gives_up(const struct rfs_trace_entry *entry);

/* html_data.c: writes what the page's script (page.js) shows. The holds are before the first operation. */
void rfs_html_write_data(struct rfs_html_table *t);

#endif
