/* doctor.h - rfsup --doctor: whether rfsup works on this machine, and what it will not control of a program. */
#ifndef RFS_DOCTOR_H
#define RFS_DOCTOR_H

#include "supervisor/base/error.h"

/*
 * Writes a line for each check to standard output, with what to do if it fails. words: the program and its arguments;
 * the first one NULL: only the machine is checked. RFS_EXIT_INPUT if rfsup cannot work, otherwise RFS_EXIT_CLEAN.
 */
enum rfs_exit rfs_doctor(char *const *words);

#endif
