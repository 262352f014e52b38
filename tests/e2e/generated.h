/* generated.h - sessions of rfsup --generate on libraries of targets/lib, and their reports. */
#ifndef RFS_TESTS_E2E_GENERATED_H
#define RFS_TESTS_E2E_GENERATED_H

#include <jansson.h>
#include <stddef.h>

struct e2e;

/* The report of a session on a library with a header of targets/lib. The caller releases it. */
json_t *generated(struct e2e *e2e, const char *library, const char *header, const char *const *options);

/* A string of an object; "" if it is absent. */
const char *generated_string(const json_t *object, const char *key);
/* The i-th type of a report. Borrowed. */
json_t *generated_type(const json_t *report, size_t i);
/* Some type had tests, and no type has a finding or a failure that was dismissed. */
void generated_nothing(struct e2e *e2e, json_t *report);

#endif
