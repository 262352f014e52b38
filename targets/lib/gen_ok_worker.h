/* gen_ok_worker.h - a log that its own thread writes. All functions may be called from any thread. */
#ifndef GEN_OK_WORKER_H
#define GEN_OK_WORKER_H

#include <stdbool.h>
#include <stddef.h>

struct gen_writer;

struct gen_writer *gen_writer_new(void);
/* Ends its thread when all lines are written. */
void gen_writer_free(struct gen_writer *writer);

void gen_writer_add(struct gen_writer *writer, const char *line);
/* Returns when all lines that were put before are written. */
void gen_writer_flush(struct gen_writer *writer);
/* The number of bytes written so far. */
size_t gen_writer_written(struct gen_writer *writer);
/* Drops the lines that are not written yet. */
size_t gen_writer_drop(struct gen_writer *writer);

#endif
