/*
 * The assembler includes the forms as they are; the path is relative to the directory in which make runs. make does not
 * see this dependency: a change of forms.s wants this file touched.
 */
#include "forms.h"

__asm__(".include \"tests/disasm/forms.s\"\n");
