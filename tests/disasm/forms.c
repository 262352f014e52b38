/*
 * Assembles forms.s. The path in .include is relative to the folder in which make runs. make does not see this
 * dependency: if forms.s changes, touch this file.
 */
#include "forms.h"

__asm__(".include \"tests/disasm/forms.s\"\n");
