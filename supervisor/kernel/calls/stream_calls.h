/* stream_calls.h - reads, writes, and calls that move data between two descriptors. */
#ifndef RFS_STREAM_CALLS_H
#define RFS_STREAM_CALLS_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

enum rfs_then rfs_sys_read(struct rfs_run *run, struct rfs_thread *thread);
/* mq_timedreceive and mq_timedsend */
enum rfs_then rfs_sys_queue(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_write(struct rfs_run *run, struct rfs_thread *thread);
/* splice, tee, sendfile */
enum rfs_then rfs_sys_move(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_vmsplice(struct rfs_run *run, struct rfs_thread *thread);

#endif
