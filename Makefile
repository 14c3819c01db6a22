# acpdbg: see README.md. `make run` and `make test` work as the first command after a clone.

BUILD ?= build
CC ?= cc
PACKAGES = ncursesw libcjson libpcre2-8 libzstd libutf8proc
CSTD = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
# no fused multiply-add: the kernel's numbers are plain IEEE doubles (kernel.md, conventions)
OPT ?= -O2 -g
CFLAGS_ALL = $(CSTD) $(WARN) $(OPT) -ffp-contract=off -I. $(filter-out -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=%,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)) $(CFLAGS)
LIBS = $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -lm $(LDFLAGS)

SRC_LIB = $(sort $(wildcard engine/base/*.c engine/kernel/*.c engine/host/*.c replay/*.c replay/readers/*.c replay/view/*.c replay/report/*.c))
SRC_TUI = $(sort $(filter-out tui/main.c,$(wildcard tui/*.c)))
SRC_MAIN = tui/main.c
SRC_TEST = $(sort $(wildcard tests/engine/*.c tests/replay/*.c tests/tui/*.c))
SRC_TEST_LIB = $(sort $(wildcard tests/*.c))
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
TESTS = $(patsubst %.c,$(BUILD)/%,$(SRC_TEST))

.PHONY: all
all: $(BUILD)/acpdbg

$(BUILD)/acpdbg: $(call obj,$(SRC_MAIN)) $(BUILD)/libtui.a $(BUILD)/libacpdbg.a
	$(CC) $(CFLAGS_ALL) -o $@ $^ $(LIBS)

$(BUILD)/libacpdbg.a: $(call obj,$(SRC_LIB))
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/libtui.a: $(call obj,$(SRC_TUI))
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(SRC_TEST_LIB)) $(BUILD)/libtui.a $(BUILD)/libacpdbg.a
	$(CC) $(CFLAGS_ALL) -o $@ $(filter %.o,$^) $(BUILD)/libtui.a $(BUILD)/libacpdbg.a $(LIBS) -lcmocka

.PHONY: tests
tests: $(TESTS)

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
