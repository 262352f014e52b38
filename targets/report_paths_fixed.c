#define FIXED
#include "report_paths.c"
