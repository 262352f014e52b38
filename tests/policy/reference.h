/*
 * reference.h - hybrid detection by brute force: keeps every access forever, and at the end compares each with each,
 * byte by byte. Shares no code with policy/; slow on purpose. At most 64 threads.
 */
#ifndef RFS_TEST_REFERENCE_H
#define RFS_TEST_REFERENCE_H

#include "policy/policy.h"

extern const struct rfs_detector_ops reference_detector;

#endif
