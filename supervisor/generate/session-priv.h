/* session-priv.h - a session, and what it does with tests that failed (session_bugs.c). */
#ifndef RFS_SESSION_PRIV_H
#define RFS_SESSION_PRIV_H

#include "supervisor/generate/session.h"
#include "supervisor/generate/tasks.h"

struct rfs_place;

/* A failed test whose C program did not fail yet. */
struct rfs_put_aside {
	struct rfs_generated_bug *bug; /* owned */
	const struct rfs_place *race;  /* that leads to the failure; NULL: unknown; of the session's races */
	char *name;		       /* of its files; owned */
};

struct rfs_type_state {
	struct rfs_generator generator;
	struct rfs_suite *suite;
	struct rfs_type_result *result;
	bool finished;
	struct rfs_put_aside *aside;
	size_t n_aside;
};

struct rfs_session {
	const struct rfs_session_settings *settings;
	struct rfs_session_result *result;
	struct rfs_executor *executor;
	struct rfs_driver driver;
	struct rfs_races *races;
	struct rfs_type_state *states; /* one for each type of the result */
	struct rfs_session_test test;  /* that is executed */
	unsigned restarts;	       /* in a row */
	bool lazy;		       /* the driver cannot resolve all functions of the library first */
	uint64_t n_trials;	       /* before the last restart */
	double started, shown;	       /* when the status line was last drawn */
};

/* Whether the session must end. */
bool rfs_session_is_over(struct rfs_session *s);
/* Completes the numbers of the result. */
void rfs_session_count(struct rfs_session *s);

/* A test that failed concurrently, but in no sequential order. */
struct rfs_failed_test {
	const struct rfs_sequence *test; /* it is still loaded */
	const struct rfs_search_result *search;
	int race; /* that was created and led to the failure; -1: none */
	const struct rfs_test_outcomes *outcomes;
	size_t n_orders;
};

/*
 * The test becomes a finding of the type if its C program fails too. Few runs are made for it. If none fails, the test
 * is put aside.
 */
void rfs_session_note_bug(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_failed_test *failed);
/* Tries the tests that were put aside again, with more runs. */
void rfs_session_try_again(struct rfs_session *s);

#endif
