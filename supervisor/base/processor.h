/*
 * processor.h - features of processors, by their names in /proc/cpuinfo.
 *
 * Programs and libraries choose code by what the processor can do. So a run is only the same on another processor if
 * cpuid says the same there. A record has the names of all features that its run could use. A processor that lacks one
 * cannot repeat the run; one that has more hides the others.
 */
#ifndef RFS_PROCESSOR_H
#define RFS_PROCESSOR_H

#include <stdint.h>

/* The names of the features of this processor that programs can use, separated by spaces. A static string. */
const char *rfs_processor_features(void);

/*
 * The names in `features` that this processor lacks, or that this rfsup does not know, separated by ", ". Caller frees;
 * NULL: there are none.
 */
char *rfs_processor_lacks(const char *features);

/* What cpuid returns: EAX, EBX, ECX and EDX. */
enum rfs_cpuid_register { RFS_CPUID_EAX, RFS_CPUID_EBX, RFS_CPUID_ECX, RFS_CPUID_EDX };

/* Removes what is not in `features` from the result of cpuid for this leaf. Features that have no name here stay. */
void rfs_processor_hide(const char *features, uint32_t leaf, uint32_t subleaf, uint32_t result[4]);

#endif
