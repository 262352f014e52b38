#define FIXED
#include "gen_mailbox.c"
