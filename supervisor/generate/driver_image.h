/* driver_image.h - the driver of generated tests and the guard heap (driver/), as bytes in rfsup's own file. */
#ifndef RFS_DRIVER_IMAGE_H
#define RFS_DRIVER_IMAGE_H

#include <stddef.h>

/* Write the driver, or the guard heap, to the file. Return 0, or -errno and a line in why. */
int rfs_driver_image_write(const char *path, char *why, size_t n) __attribute__((warn_unused_result));
int rfs_guard_image_write(const char *path, char *why, size_t n) __attribute__((warn_unused_result));

#endif
