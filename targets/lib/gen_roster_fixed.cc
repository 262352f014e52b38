#define FIXED
#include "gen_roster.cc"
