/*
 * reference.h - hybrid detection by brute force. It keeps every access, and at the end compares all pairs of accesses
 * byte by byte. It shares no code with policy/ and is slow on purpose. At most 64 threads.
 */
#ifndef RFS_TEST_REFERENCE_H
#define RFS_TEST_REFERENCE_H

#include "policy/policy.h"

extern const struct rfs_detector_ops reference_detector;

#endif
