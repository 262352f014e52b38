#define FIXED
#include "folder_changed.c"
