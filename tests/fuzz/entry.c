/* entry.c - what libFuzzer calls. RFS_FUZZ is one of the functions of readers.h. */
#include "tests/fuzz/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return RFS_FUZZ(data, size);
}
