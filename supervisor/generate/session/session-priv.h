/*
 * session-priv.h - a session, how it executes a test (session_judge.c), and what it does with tests that failed
 * (session_bugs.c).
 */
#ifndef RFS_SESSION_PRIV_H
#define RFS_SESSION_PRIV_H

#include "supervisor/generate/session/session.h"
#include "supervisor/generate/tests/suite.h"
#include "supervisor/generate/tests/tasks.h"

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
	unsigned restarts;	       /* in a row */
	bool lazy;		       /* the driver cannot resolve all functions of the library first */
	uint64_t n_trials;	       /* before the last restart */
	double started, shown;	       /* when the status line was last drawn */
	int first_core;		       /* on which the session has started */
	bool without_lanes;	       /* they do not work on this machine */
};

/* Whether the session must end. */
bool rfs_session_is_over(struct rfs_session *s);
/* Completes the numbers of the result. */
void rfs_session_count(struct rfs_session *s);

enum rfs_judgement {
	RFS_JUDGED_ENDED, /* no execution can be made any more */
	RFS_JUDGED_FINE,
	RFS_JUDGED_INDEPENDENT,
	RFS_JUDGED_SEQUENTIAL,
	RFS_JUDGED_UNDEFINED, /* it misuses locks in a sequential order; counts as SEQUENTIAL */
	RFS_JUDGED_INCONCLUSIVE,
	RFS_JUDGED_BUG, /* it failed concurrently, but in no sequential order */
};

/* What the executions of a test showed. */
struct rfs_judged {
	enum rfs_judgement judgement;
	struct rfs_session_test counts;
	size_t n_orders; /* sequential ones */
	/* these are valid if the test was judged in this process */
	struct rfs_search_result search;
	struct rfs_test_outcomes outcomes;
	int race; /* that was created and led to the failure; -1: none */
};

void rfs_judged_release(struct rfs_judged *judged);

/* A test of a batch. All tests of a batch are made before the first one is executed. */
struct rfs_planned_test {
	struct rfs_suite_test test;
	uint64_t number; /* tests of its type before it; decides how many schedules it gets */
	bool is_judged;
	char *answer; /* of the lane that has executed it (lanes.h); owned; NULL: none */
	size_t answer_size;
	struct rfs_judged judged;
};

/* Executes the test, and leaves it loaded. */
void rfs_session_judge(struct rfs_session *s, struct rfs_planned_test *planned);

/*
 * The test, which is loaded and was judged as a bug, becomes a finding of the type if its C program fails too. Few runs
 * are made for it. If none fails, the test is put aside.
 */
void rfs_session_note_bug(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_planned_test *failed);
/* Tries the tests that were put aside again, with more runs. */
void rfs_session_try_again(struct rfs_session *s);

#endif
