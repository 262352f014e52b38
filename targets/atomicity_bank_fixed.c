#define FIXED
#include "atomicity_bank.c"
