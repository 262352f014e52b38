/*
 * model.h - the model machine. It runs abstract programs, which are lists of operations for each thread, under any
 * policy and with any detectors, without a process. It works like a controlled run (docs/internals/run-loop.md, "The
 * run loop"): each thread is parked before its next visible operation, and the policy picks one, which executes its
 * operation and parks again.
 *
 * The machine checks each choice. If the thread cannot run, the outcome is impossible, the waiter does not wait, or the
 * race does not exist, the run ends with MODEL_BAD_CHOICE.
 */
#ifndef RFS_TEST_MODEL_H
#define RFS_TEST_MODEL_H

#include "policy/detect/lock_graph.h"
#include "policy/policy.h"

#define MODEL_BYTES 8192    /* size of shared memory, zero at first; addresses in programs are offsets */
#define MODEL_BASE 0x10000u /* address of offset 0 for policies and detectors */
#define MODEL_OBJECTS 32    /* numbers of locks, condition variables, semaphores and barriers are below this */
#define MODEL_OBJECT_BASE 0x400000u
#define MODEL_REGISTERS 6
#define MODEL_THREADS 64
#define MODEL_DETECTORS 2

enum model_code {
	/* Local: no other thread can notice when these happen. */
	M_SET,	  /* reg = value */
	M_ADD,	  /* reg += value */
	M_IF,	  /* goes to target if reg == value */
	M_UNLESS, /* goes to target if reg != value */
	M_GOTO,	  /* goes to target */
	M_ERROR,  /* the program fails: result->error = value */
	/* Memory: object is an offset. size is 1 to 8; 0 means 8. */
	M_READ,	      /* reg = memory */
	M_WRITE,      /* memory = value */
	M_STORE,      /* memory = reg */
	M_INC,	      /* memory += 1 as a read and a write, like inc without lock prefix */
	M_ATOMIC_INC, /* memory += 1 in one operation, like lock inc */
	M_FILL,	      /* size bytes = value, in two halves; size has no limit */
	M_SPIN,	      /* reads until memory == value */
	M_FREE,	      /* frees size bytes */
	M_RESET,      /* size bytes get a new life: an event, not an operation */
	M_FENCE,      /* all stores of the thread become visible; an operation if there are delayed ones */
	/* Synchronisation: object is the object's number. */
	M_LOCK,
	M_TRYLOCK,   /* reg = 1 if the lock was acquired, otherwise 0 */
	M_TIMEDLOCK, /* like M_TRYLOCK, but waits until it times out */
	M_UNLOCK,
	M_RDLOCK,
	M_WRLOCK,
	M_RWUNLOCK,
	M_COND_WAIT,	  /* object2 is the mutex */
	M_COND_TIMEDWAIT, /* reg = 1 if it was signalled, 0 if it timed out */
	M_SIGNAL,
	M_BROADCAST,
	M_SEM_WAIT,
	M_SEM_POST,
	M_BARRIER, /* value is the number of parties */
	M_CREATE,  /* creates a thread with body number value; reg = its number */
	M_JOIN,	   /* waits for the thread whose number is in reg */
	M_YIELD,
	M_SLEEP, /* until the moment value; 0: may end at once. Later ones end once nothing else can run, or time passes
		  */
};

struct model_op {
	enum model_code code;
	int reg;
	uint64_t object, object2;
	int64_t value;
	size_t target; /* index of an operation of the body */
	uint64_t size;
	rfs_site site;	   /* site of an access; 0 means MODEL_SITE(body, index) */
	uint64_t function; /* the function in which the operation is, called by the body; 0: the body itself */
};

/* The function on the stack of every thread that runs this body. model_op.function holds names of the same kind. */
#define MODEL_FUNCTION(body) ((uint64_t)1 << 32 | (body))
#define MODEL_SITE(body, index) ((rfs_site)((body) + 1) << 32 | (index))

/* A thread executes the operations of one body, from the first one until it is past the last. */
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
	/* threads 0 to n_started - 1 exist from the beginning; thread i runs body i */
	size_t n_started;
};

struct model_config {
	const struct rfs_policy_ops *policy;
	const char *options;
	const struct rfs_blob *blob; /* given to the policy; NULL: none */
	struct rfs_blob *saved;	     /* what the policy saves, caller frees data; NULL: not asked for */
	uint64_t seed;
	const struct rfs_detector_ops *detectors[MODEL_DETECTORS];
	bool hints;	   /* while a hint holds, pick is not called */
	bool all_accesses; /* every access is visible; otherwise only those of the pair, atomic ones and spin reads */
	bool tso;	   /* stores are delayed, as with --memory-model tso */
	rfs_site pair[2];  /* the pair under test; 0, 0: none */
	rfs_site held;	   /* an operation with RFS_AT_HELD; 0: none */
	/* the byte at which earlier runs saw the accesses of the pair meet: its offset plus 1; 0: none */
	uint64_t address;
	uint64_t max_steps;			 /* 0 means one million */
	uint64_t sleep_race;			 /* as in struct rfs_view; 0: no limit */
	const struct rfs_lock_cycle_part *cycle; /* the deadlock under test; NULL: none */
	size_t n_cycle;
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
	int64_t error;	       /* of MODEL_ERROR */
	const char *complaint; /* of MODEL_BAD_CHOICE */
	uint64_t n_steps;
	struct model_step *steps;
	uint64_t n_picks;    /* how many of the steps the policy picked */
	uint64_t n_races;    /* choices that resolved a race */
	uint64_t reached[2]; /* executed operations at each statement of the pair */
	/* counted by the policy */
	uint64_t stat_races, stat_postponed, stat_releases, stat_livelocks, stat_thrashings, stat_exhausted,
		stat_missed, stat_cycles, stat_violations, stat_steps;
	struct model_pair *pairs[MODEL_DETECTORS]; /* reported pairs of each detector */
	size_t n_pairs[MODEL_DETECTORS];
	unsigned char memory[MODEL_BYTES]; /* at the end */
};

/* Runs the program. The caller releases *out with model_release(). */
void model_run(const struct model_program *program, const struct model_config *config, struct model_result *out);
void model_release(struct model_result *result);

/* The 8-byte value that memory has at this offset at the end of the run. */
int64_t model_value(const struct model_result *result, uint64_t offset);

#endif
