#define FIXED
#include "gen_label.c"
