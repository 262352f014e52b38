# Target programs (targets/*.c, *.cc): $(BUILD)/targets/VARIANT/NAME for each VARIANT in TARGET_VARIANTS.
# The root Makefile includes this file. `make targets` builds all targets in CHECK_VARIANTS, `make targets-O2g` in one variant.
# Targets have their own flags and never a sanitizer, because rfsup is tested on programs as users have them.
# The variants O0g, O2g and O2 are for most tests. The others cover what gcc and clang generate, with -pie and -no-pie.
# CHECK_VARIANTS has each two of compiler, level, and -pie or -no-pie together at least once. Of the 222 forms (mnemonic and
# sorts of operands) of instructions that access memory in all variants, its programs have all but two plain moves.
TARGET_CODE := $(foreach compiler,gcc clang,$(foreach level,O0g O2g O3g,$(compiler)-$(level) $(compiler)-$(level)-fixed))
CHECK_VARIANTS := O0g O2g O2 gcc-O3g-fixed clang-O0g-fixed clang-O2g-fixed clang-O3g
TARGET_VARIANTS ?= O0g O0 O2g O2 $(filter-out gcc-O0g gcc-O2g,$(TARGET_CODE))
TARGET_CC ?= gcc
TARGET_CXX ?= g++
TARGET_OPT_O0g := -O0 -g
TARGET_OPT_O0 := -O0
TARGET_OPT_O2g := -O2 -g
TARGET_OPT_O2 := -O2
# clang warns about a -pie that has no effect, as for libraries and static programs
target_code_opt = $(if $(findstring O0,$(1)),-O0,$(if $(findstring O2,$(1)),-O2,-O3)) -g \
	$(if $(findstring fixed,$(1)),-no-pie -fno-pie,-pie -fPIE) $(if $(findstring clang,$(1)),-Wno-unused-command-line-argument)
$(foreach variant,$(TARGET_CODE),$(eval TARGET_OPT_$(variant) := $(call target_code_opt,$(variant))))
target_cc = $(if $(findstring clang,$(1)),clang,$(TARGET_CC))
target_cxx = $(if $(findstring clang,$(1)),clang++,$(TARGET_CXX))
TARGET_WARN := -Wall -Wextra $(if $(CI),-Werror)
TARGET_NAMES := $(sort $(basename $(notdir $(wildcard targets/*.c targets/*.cc))))
TARGET_LIBRARIES := $(patsubst %,lib%.so,$(basename $(notdir $(wildcard targets/lib/*.c targets/lib/*.cc))))

$(BUILD)/targets/%: TARGET_FLAGS :=
$(BUILD)/targets/%: TARGET_LIBS :=
$(foreach name,$(filter sync_%,$(TARGET_NAMES)),$(eval \
	$(BUILD)/targets/%/$(name): TARGET_FLAGS = $$(shell pkg-config --cflags glib-2.0)))
$(foreach name,$(filter sync_%,$(TARGET_NAMES)),$(eval \
	$(BUILD)/targets/%/$(name): TARGET_LIBS = $$(shell pkg-config --libs glib-2.0)))
$(BUILD)/targets/%/marked $(BUILD)/targets/%/marked_fixed: TARGET_FLAGS = -I.
$(BUILD)/targets/%/libgen_ok_gmutex.so: TARGET_FLAGS = $(shell pkg-config --cflags glib-2.0)
$(BUILD)/targets/%/libgen_ok_gmutex.so: TARGET_LIBS = $(shell pkg-config --libs glib-2.0)
$(foreach name,$(filter static_%,$(TARGET_NAMES)),$(eval \
	$(BUILD)/targets/%/$(name): TARGET_LIBS = -static))

# $(1): variant. The .d files are in the folder of the programs, where the root Makefile finds them.
define target_rules
$(BUILD)/targets/$(1)/%: targets/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(call target_cc,$(1)) -std=gnu11 -D_GNU_SOURCE -pthread $$(TARGET_OPT_$(1)) $$(TARGET_WARN) -MMD -MP -MF $$@.d -MT $$@ \
		$$(TARGET_FLAGS) -o $$@ $$< $$(TARGET_LIBS)
$(BUILD)/targets/$(1)/%: targets/%.cc
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(call target_cxx,$(1)) -std=c++20 -pthread $$(TARGET_OPT_$(1)) $$(TARGET_WARN) -MMD -MP -MF $$@.d -MT $$@ \
		-o $$@ $$<
$(BUILD)/targets/$(1)/lib%.so: targets/lib/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(call target_cc,$(1)) -std=gnu11 -D_GNU_SOURCE -pthread $$(TARGET_OPT_$(1)) -fPIC -shared $$(TARGET_WARN) \
		-MMD -MP -MF $$@.d -MT $$@ $$(TARGET_FLAGS) -o $$@ $$< $$(TARGET_LIBS)
$(BUILD)/targets/$(1)/lib%.so: targets/lib/%.cc
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(call target_cxx,$(1)) -std=c++20 -pthread $$(TARGET_OPT_$(1)) -fPIC -shared $$(TARGET_WARN) \
		-MMD -MP -MF $$@.d -MT $$@ -o $$@ $$<
endef
$(foreach variant,$(TARGET_VARIANTS),$(eval $(call target_rules,$(variant))))

# dlopen_lib loads this library from its own folder at run time, so the library must be built too.
$(foreach variant,$(TARGET_VARIANTS),$(eval $(BUILD)/targets/$(variant)/dlopen_lib: \
	| $(BUILD)/targets/$(variant)/libdlopen_lib.so))
$(foreach variant,$(TARGET_VARIANTS),$(eval $(BUILD)/targets/$(variant)/dlopen_lib_fixed: \
	| $(BUILD)/targets/$(variant)/libdlopen_lib_fixed.so))

targets: $(foreach variant,$(CHECK_VARIANTS),targets-$(variant))
$(foreach variant,$(TARGET_VARIANTS),$(eval \
	targets-$(variant): $(addprefix $(BUILD)/targets/$(variant)/,$(TARGET_NAMES) $(TARGET_LIBRARIES))))
.PHONY: targets $(addprefix targets-,$(TARGET_VARIANTS))
