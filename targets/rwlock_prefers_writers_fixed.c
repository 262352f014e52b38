/*
 * rwlock_prefers_writers_fixed: a reader takes a readers-writer lock a second time. The lock prefers readers, so the
 * reader never waits for a writer.
 */
#define FIXED
#include "rwlock_prefers_writers.c"
