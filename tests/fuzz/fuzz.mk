# make fuzz runs each reader of files under libFuzzer, which comes with clang, for FUZZ_SECONDS. Inputs that fail are left in
# build-fuzz. Add them to tests/fuzz/seeds, so that make check runs them. Included by the root Makefile.
FUZZ_READERS ?= record pairs trace input hints reports xml json suppressions journal pack baseline
FUZZ_SECONDS ?= 600
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
fuzz:
	@$(call need,install,build test)
	$(SUBMAKE) fuzz-built BUILD=build-fuzz CC=clang WARN= SANITIZE="-fsanitize=fuzzer-no-link $(FUZZ_SANITIZE)"
# -MMD adds headers to what the program depends on; the compiler must not get them
$(BUILD)/fuzz-%: tests/fuzz/readers.c $(call supervisor_from,cli)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) -DRFS_FUZZ=rfs_fuzz_$* -fsanitize=fuzzer -rdynamic -o $@ \
		$(call link_inputs,$(filter %.c %.a,$^)) $(LIBS)
.PRECIOUS: $(BUILD)/fuzz-%
fuzz-built: $(FUZZ_READERS:%=$(BUILD)/fuzz-%)
	@for r in $(FUZZ_READERS); do \
		mkdir -p $(BUILD)/corpus/$$r; dict=tests/fuzz/$$r.dict; test -e $$dict && dict=-dict=$$dict || dict=; \
		echo "== $$r"; \
		$(BUILD)/fuzz-$$r $$dict -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/$$r- $(BUILD)/corpus/$$r tests/fuzz/seeds/$$r >$(BUILD)/fuzz-$$r.log 2>&1 || \
			{ tail -40 $(BUILD)/fuzz-$$r.log; exit 1; }; \
		grep -E '^(Done|stat::number)|^#.*DONE' $(BUILD)/fuzz-$$r.log; \
	done
.PHONY: fuzz fuzz-built
