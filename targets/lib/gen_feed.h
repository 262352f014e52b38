/* gen_feed.h - collects the bytes of files. All functions may be called from any thread. */
#ifndef GEN_FEED_H
#define GEN_FEED_H

#include <stddef.h>

struct gen_feed;

struct gen_feed *gen_feed_new(void);
void gen_feed_free(struct gen_feed *feed);

/* Reads some bytes of the file. Returns how many there are now, or -1 if the file cannot be read. */
long gen_feed_read(struct gen_feed *feed, int fd);
size_t gen_feed_length(struct gen_feed *feed);

#endif
