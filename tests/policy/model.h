/*
 * model.h - the model machine: abstract programs, lists of operations for each thread, that run under any policy and
 * any detectors without a process. It plays the part of a controlled run (docs/INTERNALS.md, "The run loop"): every
 * thread is parked before its next visible operation, the policy picks one, that one executes and goes on to its next.
 *
 * It checks the policy as it goes: a choice of a thread that cannot run, an impossible outcome, a waiter that does not
 * wait, or a race that does not exist ends the run with MODEL_BAD_CHOICE.
 */
#ifndef RFS_TEST_MODEL_H
#define RFS_TEST_MODEL_H

#include "policy/policy.h"

#define MODEL_BYTES 8192    /* of shared memory, zero at first; addresses in programs are offsets */
#define MODEL_BASE 0x10000u /* as policies and detectors see it */
#define MODEL_OBJECTS 32    /* locks, condition variables, semaphores and barriers share one numbering */
#define MODEL_OBJECT_BASE 0x400000u
#define MODEL_REGISTERS 6
#define MODEL_THREADS 64
#define MODEL_DETECTORS 2

enum model_code {
	/* Local: no other thread can see when they happen. */
	M_SET,	  /* reg = value */
	M_ADD,	  /* reg += value */
	M_IF,	  /* goes to target if reg == value */
	M_UNLESS, /* goes to target if reg != value */
	M_GOTO,	  /* goes to target */
	M_ERROR,  /* the program fails: result->error = value */
	/* Memory: object is the offset, size 1 to 8, 0 means 8. */
	M_READ,	      /* reg = memory */
	M_WRITE,      /* memory = value */
	M_STORE,      /* memory = reg */
	M_INC,	      /* memory += 1 without lock prefix: a read and a write */
	M_ATOMIC_INC, /* with it: one operation */
	M_FILL,	      /* size bytes = value; any size; may be parked half way */
	M_SPIN,	      /* reads until memory == value */
	M_FREE,	      /* of size bytes */
	M_RESET,      /* size bytes get a new life (an event, no operation) */
	/* Synchronisation: object is the number of the object. */
	M_LOCK,
	M_TRYLOCK,   /* reg = 1 if it has the lock now, else 0 */
	M_TIMEDLOCK, /* the same; may time out */
	M_UNLOCK,
	M_RDLOCK,
	M_WRLOCK,
	M_RWUNLOCK,
	M_COND_WAIT,	  /* object2: the mutex */
	M_COND_TIMEDWAIT, /* reg = 1 if it was signalled, 0 if it timed out */
	M_SIGNAL,
	M_BROADCAST,
	M_SEM_WAIT,
	M_SEM_POST,
	M_BARRIER, /* value: parties */
	M_CREATE,  /* a thread that runs body value; reg = its number */
	M_JOIN,	   /* thread reg */
	M_YIELD,
	M_SLEEP, /* until the moment value; 0: may end at once. Later ones end once nothing else can run, or time passes
		  */
};

struct model_op {
	enum model_code code;
	int reg;
	uint64_t object, object2;
	int64_t value;
	size_t target; /* index in the body */
	uint64_t size;
	rfs_site site;	   /* of an access; 0: MODEL_SITE(body, index) */
	uint64_t function; /* that the body has called here; 0: it has called none */
};

/* On the stack of every thread that runs the body; names in model_op.function are of the same kind. */
#define MODEL_FUNCTION(body) ((uint64_t)1 << 32 | (body))
#define MODEL_SITE(body, index) ((rfs_site)((body) + 1) << 32 | (index))

/* A thread runs one body from its first operation to the end after its last. */
struct model_body {
	const struct model_op *ops;
	size_t n;
};
#define MODEL_BODY(ops)                                                                                                \
	{                                                                                                              \
		ops, sizeof(ops) / sizeof(*(ops))                                                                      \
	}

struct model_program {
	const struct model_body *bodies;
	size_t n_bodies;
	size_t n_started; /* threads 0 to n_started - 1 are there from the beginning, and run the body of their number
			   */
};

struct model_config {
	const struct rfs_policy_ops *policy;
	const char *options;
	const struct rfs_blob *blob; /* for the policy; NULL: none */
	struct rfs_blob *saved;	     /* what it saves, the caller's to free; NULL: not asked for */
	uint64_t seed;
	const struct rfs_detector_ops *detectors[MODEL_DETECTORS];
	bool hints;	    /* the policy is not asked as long as its hint holds */
	bool all_accesses;  /* every access is visible; else those of the pair, atomic ones and spin reads */
	rfs_site pair[2];   /* under test; 0, 0: none */
	uint64_t max_steps; /* 0: a million */
};

enum model_end { MODEL_DONE, MODEL_ERROR, MODEL_DEADLOCK, MODEL_STEPS, MODEL_BAD_CHOICE };

struct model_pair {
	rfs_site low, high;
};

struct model_step {
	int thread;
	enum rfs_outcome outcome;
	int waiter;
	int race[2];
};

struct model_result {
	enum model_end end;
	int64_t error;	       /* MODEL_ERROR */
	const char *complaint; /* MODEL_BAD_CHOICE */
	uint64_t n_steps;
	struct model_step *steps;
	uint64_t n_picks;    /* of n_steps: those that the policy was asked for */
	uint64_t n_races;    /* choices that resolved a race */
	uint64_t reached[2]; /* operations executed at each statement of the pair */
	uint64_t stat_races, stat_postponed, stat_releases, stat_livelocks, stat_thrashings; /* the policy's own */
	struct model_pair *pairs[MODEL_DETECTORS]; /* reported, in that order */
	size_t n_pairs[MODEL_DETECTORS];
	unsigned char memory[MODEL_BYTES]; /* at the end */
};

/* Runs it. The caller releases *out with model_release(). */
void model_run(const struct model_program *program, const struct model_config *config, struct model_result *out);
void model_release(struct model_result *result);

/* The 8-byte value at an offset at the end of the run. */
int64_t model_value(const struct model_result *result, uint64_t offset);

#endif
