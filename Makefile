# rfsup: make demo, make check (README.md); all goals: make help
BUILD ?= build
CC ?= gcc
CXX ?= g++
PREFIX ?= /usr/local
OPT ?= -O2
PACKAGES := capstone libelf jansson libunwind-ptrace libunwind-generic libxxhash
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wvla -Wwrite-strings -Wundef -Wformat=2 \
	-Wimplicit-fallthrough
CFLAGS_ALL = -std=gnu11 $(OPT) -g -D_GNU_SOURCE -I. -MMD -MP $(WARN) $(SANITIZE) $(CFLAGS)
ifdef ASAN
override BUILD := build-asan
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
ifdef CI
WARN += -Werror
endif
PKG_CFLAGS = $(shell pkg-config --cflags $(PACKAGES))
LIBS = $(shell pkg-config --libs $(PACKAGES)) -ldwarf -liberty -ldl -lm -lpthread

folder_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)/*.c))
DISASM := $(call folder_objects,disasm)
POLICY := $(call folder_objects,policy)
TRACER := $(call folder_objects,tracer)
SUPERVISOR := $(call folder_objects,supervisor)
MAIN := $(BUILD)/supervisor/main.o

all: rfsup

rfsup: $(BUILD)/rfsup
	cp $< $@
$(BUILD)/rfsup: $(SUPERVISOR) $(TRACER) $(POLICY) $(DISASM)
	$(CC) $(CFLAGS_ALL) -rdynamic -o $@ $^ $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) -c -o $@ $<

# Criterion: one test program a folder, linked with what that folder may use
test_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/$(1)/*.c))
$(BUILD)/test-disasm: $(call test_objects,disasm) $(DISASM)
$(BUILD)/test-policy: $(call test_objects,policy) $(POLICY)
$(BUILD)/test-tracer: $(call test_objects,tracer) $(TRACER) $(DISASM)
$(BUILD)/test-supervisor: $(call test_objects,supervisor) $(filter-out $(MAIN),$(SUPERVISOR)) $(TRACER) $(POLICY) $(DISASM)
$(BUILD)/test-e2e: $(call test_objects,e2e)
$(BUILD)/test-%:
	$(CC) $(CFLAGS_ALL) -rdynamic -o $@ $^ -lcriterion $(LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all
