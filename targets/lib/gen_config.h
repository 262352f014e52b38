/* gen_config.h - log levels that can be changed while messages are logged. Any thread may call all functions. */
#ifndef GEN_CONFIG_H
#define GEN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct gen_config;

struct gen_config *gen_config_new(void);
void gen_config_free(struct gen_config *config);

/* Sets the lowest level of messages that are logged. Takes effect when the configuration is loaded again. */
void gen_config_set(struct gen_config *config, const char *category, int level);
void gen_config_reload(struct gen_config *config);
/* Logs the message if its level is high enough for its category. */
bool gen_config_log(struct gen_config *config, const char *category, int level, const char *message);
/* How many messages were logged. */
size_t gen_config_logged(struct gen_config *config);

#endif
