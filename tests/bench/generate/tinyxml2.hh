/* tinyxml2.hh - the header of tinyxml2 under a name that says that it is C++. */
#include <tinyxml2.h>
