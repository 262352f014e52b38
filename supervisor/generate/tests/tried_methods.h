/*
 * tried_methods.h - which methods of a library were tried in trials, and which of them returned. A method is tried if
 * it is called on an object, because many methods fail on NULL.
 */
#ifndef RFS_TRIED_METHODS_H
#define RFS_TRIED_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/tests/trial.h"

struct rfs_library;
struct rfs_sequence;
struct rfs_failed_text;

/* The trials whose last call was of a function. The generator calls a function less often if it mostly fails. */
struct rfs_tried_methods_calls {
	unsigned returned, failed;
	unsigned ended;	      /* of those that returned: the function freed the object */
	unsigned deaths;      /* of the driver */
	unsigned made, empty; /* attempts to make an object with it: those that did, and those that did not */
};

struct rfs_tried_methods {
	const struct rfs_library *library; /* borrowed */
	/* One for each function; owned. receivers: the parameters that are the object of a method, as bits; 0: no
	 * method. */
	uint64_t *receivers;
	bool *tried, *returned;
	struct rfs_tried_methods_calls *calls;
	struct rfs_failed_text *failed; /* the texts of trials that failed; owned */
};

void rfs_tried_methods_init(const struct rfs_library *library, struct rfs_tried_methods *out);
void rfs_tried_methods_release(struct rfs_tried_methods *tried);
/* Notes the calls that the trial of this sequence reached. In all its trials before, all but the last call returned. */
void rfs_tried_methods_note(struct rfs_tried_methods *tried, const struct rfs_sequence *sequence,
			    const struct rfs_trial *trial);
/* The driver died in a trial whose last call is of this function. */
void rfs_tried_methods_died(struct rfs_tried_methods *tried, size_t function);
/* The last trial returned, but the function had freed its object. So it is a destructor, at least in that state. */
void rfs_tried_methods_ended(struct rfs_tried_methods *tried, size_t function);
/* An attempt to make an object with this constructor gave one or none. */
void rfs_tried_methods_made(struct rfs_tried_methods *tried, size_t function, bool object);
/* Whether the function may make an object. False: in many attempts, it never gave one. */
bool rfs_tried_methods_makes(const struct rfs_tried_methods *tried, size_t function);
/*
 * How likely the function is to be called, compared with others, from 1 to RFS_TRIED_METHODS_LIKELY. 0: never again,
 * because it has always failed or freed its object, or because the driver died.
 */
#define RFS_TRIED_METHODS_LIKELY 1000
unsigned rfs_tried_methods_likely(const struct rfs_tried_methods *tried, size_t function);
/* Whether the function is not called any more. */
bool rfs_tried_methods_is_dropped(const struct rfs_tried_methods *tried, size_t function);
/* Whether a trial of this text failed. Sets how it ended. A second trial would fail too, and cost time. */
bool rfs_tried_methods_has_failed(const struct rfs_tried_methods *tried, const char *text, size_t size,
				  enum rfs_trial_end *end);
void rfs_tried_methods_note_failed(struct rfs_tried_methods *tried, const char *text, size_t size,
				   enum rfs_trial_end end);

/* The number of methods that were tried. *returned: how many of them have returned at least once. */
size_t rfs_tried_methods_methods(const struct rfs_tried_methods *tried, size_t *returned);
/* Whether the function is a method that was tried and has never returned. */
bool rfs_tried_methods_never_returned(const struct rfs_tried_methods *tried, size_t function);

#endif
