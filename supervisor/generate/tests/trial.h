/* trial.h - executes sequences without concurrency, in forks of a driver process. */
#ifndef RFS_TRIAL_H
#define RFS_TRIAL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rfs_library;
struct rfs_sequence;
struct rfs_tried_methods;

/* BAD: the driver cannot execute it, because it is too long. */
enum rfs_trial_end { RFS_TRIAL_OK, RFS_TRIAL_SIGNAL, RFS_TRIAL_EXIT, RFS_TRIAL_LATE, RFS_TRIAL_BAD, RFS_TRIAL_N_ENDS };

/* How trials ended, and how many of them wanted what the driver refuses (driver/contain.h). */
struct rfs_trial_counts {
	uint64_t n, ends[RFS_TRIAL_N_ENDS];
	uint64_t processes, network, memory;
	uint64_t deaths; /* of the driver */
};

/* Bytes of data that the driver may have while it loads the library. Tests may have less (driver/contain.h). */
#define RFS_DRIVER_LOAD_MEMORY (1UL << 30)

struct rfs_driver {
	pid_t pid;
	int to, from;	 /* pipes; neither blocks */
	int core;	 /* of its processes, and of this one during a trial; -1: any */
	cpu_set_t cores; /* of this process at other times */
	struct rfs_trial_counts counts;
	struct rfs_tried_methods *tried; /* of its trials; borrowed; NULL: they are not noted */
};

#define RFS_TRIAL_CALLS 256

struct rfs_trial {
	enum rfs_trial_end end;
	bool wants_process, wants_network, wants_memory;
	size_t n; /* calls that returned */
	uint64_t results[RFS_TRIAL_CALLS];
	unsigned effects[RFS_TRIAL_CALLS]; /* RFS_DRIVER_ALLOCATES, RFS_DRIVER_FREES */
};

/*
 * Functions without parameters that tests call: before all others, and first and last in each thread. Each array ends
 * with NULL; may be NULL.
 */
struct rfs_driver_functions {
	const char *const *init, *const *thread_start, *const *thread_end;
};

/* What the driver needs to know of a session. */
struct rfs_driver_settings {
	struct rfs_driver_functions functions;
	bool private_network; /* it reaches nothing (network.h), so tests may use it */
	bool binds;	      /* a driver that serves resolves all functions first (environment.h) */
};

/*
 * The words of the driver's command line (driver/main.c). test: the file of "run"; NULL for "serve". The caller frees
 * the words and the array.
 */
char **rfs_driver_words(const char *program, const char *verb, const char *test,
			const struct rfs_driver_settings *settings);
void rfs_driver_words_free(char **words);

/* Starts the driver program in the folder, with the shim and its library. Returns 0, or -errno and a line in why. */
int rfs_driver_start(const char *program, const char *guard, const char *shim, const char *folder,
		     const struct rfs_driver_settings *settings, struct rfs_driver *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_driver_stop(struct rfs_driver *driver);
/*
 * Ends what the driver keeps of the last trial: a process and its files. False: the driver does not answer any more,
 * and the caller must stop it.
 */
bool rfs_driver_rest(struct rfs_driver *driver);

/* False: the driver does not answer any more, and the caller must stop it. */
bool rfs_driver_try(struct rfs_driver *driver, const struct rfs_library *library, const struct rfs_sequence *sequence,
		    struct rfs_trial *out);

#endif
