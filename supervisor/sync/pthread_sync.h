#ifndef RFS_PTHREAD_SYNC_H
#define RFS_PTHREAD_SYNC_H

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

struct rfs_barrier {
	rfs_addr address; /* key */
	unsigned arrived;
	uint64_t round, message;
	UT_hash_handle hh;
};

/* Messages of posts that no wait has taken yet, oldest first. */
struct rfs_semaphore {
	rfs_addr address; /* key */
	uint64_t *tokens;
	size_t n_tokens, initial; /* tokens that nobody posted come first */
	UT_hash_handle hh;
};

enum rfs_then rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
