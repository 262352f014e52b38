#define FIXED
#include "gen_answers.c"
