#define FIXED
#include "event_reply_first.c"
