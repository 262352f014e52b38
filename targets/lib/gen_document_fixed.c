#define FIXED
#include "gen_document.c"
