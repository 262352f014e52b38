#define FIXED
#include "report_many.c"
