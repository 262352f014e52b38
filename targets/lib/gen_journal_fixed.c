#define FIXED
#include "gen_journal.c"
