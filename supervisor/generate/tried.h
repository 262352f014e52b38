/* tried.h - which functions of a library were tried in trials, and which of them returned. */
#ifndef RFS_TRIED_H
#define RFS_TRIED_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_library;
struct rfs_sequence;
struct rfs_trial;

struct rfs_tried {
	const struct rfs_library *library; /* borrowed */
	bool *tried, *returned;		   /* one for each function; owned */
};

void rfs_tried_init(const struct rfs_library *library, struct rfs_tried *out);
void rfs_tried_release(struct rfs_tried *tried);
/* Notes the calls that the trial of this sequence reached. */
void rfs_tried_note(struct rfs_tried *tried, const struct rfs_sequence *sequence, const struct rfs_trial *trial);
/* The number of methods that were tried. *returned: how many of them have returned at least once. */
size_t rfs_tried_methods(const struct rfs_tried *tried, size_t *returned);
/* Whether the function is a method that was tried and has never returned. */
bool rfs_tried_in_vain(const struct rfs_tried *tried, size_t function);

#endif
