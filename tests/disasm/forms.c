/*
 * The assembler takes the forms in as they stand; the path is relative to where make runs. make does not see this
 * dependency: a change of forms.s wants this file touched.
 */
#include "forms.h"

__asm__(".include \"tests/disasm/forms.s\"\n");
