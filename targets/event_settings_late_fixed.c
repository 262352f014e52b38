#define FIXED
#include "event_settings_late.c"
