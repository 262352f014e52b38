/*
 * What the targets for --memory-model tso share: atomic loads and stores that are plain moves on x86, and the fence
 * that the twin has. The word FENCE stands where a store must be visible before a later load.
 */
#ifndef TARGETS_TSO_H
#define TARGETS_TSO_H

#include "target.h"
#include <sched.h>

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELEASE)
#ifdef FIXED
#define FENCE __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE __atomic_signal_fence(__ATOMIC_SEQ_CST)
#endif

#endif
