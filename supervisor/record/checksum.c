/* checksum.c - XXH3 of the library xxHash, in one piece or in chunks of a file. */
#include "supervisor/record/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <xxhash.h>

static void digits(XXH128_hash_t hash, char out[RFS_CHECKSUM_SIZE])
{
	snprintf(out, RFS_CHECKSUM_SIZE, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
}

void rfs_checksum(const void *data, size_t n, char out[RFS_CHECKSUM_SIZE])
{
	digits(XXH3_128bits(data, n), out);
}

int rfs_checksum_file(const char *path, char out[RFS_CHECKSUM_SIZE])
{
	FILE *file = fopen(path, "rbe");
	XXH3_state_t *state;
	char buf[65536];
	size_t n;
	int error = 0;

	if (!file)
		return -errno;
	state = XXH3_createState();
	if (!state) {
		fclose(file);
		return -ENOMEM;
	}
	XXH3_128bits_reset(state);
	while ((n = fread(buf, 1, sizeof(buf), file)) > 0)
		XXH3_128bits_update(state, buf, n);
	if (ferror(file))
		error = -EIO;
	else
		digits(XXH3_128bits_digest(state), out);
	XXH3_freeState(state);
	fclose(file);
	return error;
}
