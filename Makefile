# Two commands do everything on a fresh Debian 12 machine with the Swift toolchain:
#   make bench   set up, build for release, get the default model, run the quick suite on the CPU
#                and on the GPU (or the small slice on a software device), compare the devices
#   make test    set up, build, and run every test
#
# `make release`, then `make install PREFIX=$HOME/.local` puts both programs in place with their suites,
# completions and manual pages; `make uninstall` with the same PREFIX takes them away.

SWIFT ?= swift

.PHONY: bench test check check-clients docs build release setup model format clean install uninstall

# Where `make install` puts things (behind DESTDIR, for packagers), and where it takes the programs from.
PREFIX ?= /usr/local
BINARIES ?= .build/release
PROGRAMS = fm fmbench
SUITES = agent-v1 agent-v1-l guided pathology
ROOT = $(DESTDIR)$(PREFIX)
SHARE = $(ROOT)/share

bench: release model-release
	.build/release/fmbench run --quick --device all
	.build/release/fmbench compare --by device
	.build/release/fmbench report

test: setup
	scripts/test

check: setup
	scripts/check

# A conversation with llama.cpp's own server; compiles it the first time.
check-clients: setup
	scripts/check-clients

# The reference of the library FoundationModels, in .build/docs.
docs: setup
	scripts/docs

build: setup
	$(SWIFT) build

release: setup
	$(SWIFT) build -c release --product fm
	$(SWIFT) build -c release --product fmbench

.PHONY: model-release
model-release: release
	.build/release/fm pull

# The suites lie where `fmbench` looks for them: below share/ of the folder above its own. Shaders are
# inside the programs; the Swift libraries are those of the toolchain that built them.
install:
	@test -x $(BINARIES)/fm -a -x $(BINARIES)/fmbench || \
	  { echo "error: nothing to install in $(BINARIES)"; echo "hint: make release"; exit 1; } >&2
	mkdir -p $(ROOT)/bin $(SHARE)/fmbench $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	  $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	for suite in $(SUITES); do \
	  mkdir -p $(SHARE)/fmbench/$$suite && \
	  install -m 644 Benchmarks/$$suite/*.json* $(SHARE)/fmbench/$$suite || exit 1; \
	done
	for program in $(PROGRAMS); do \
	  install -m 755 $(BINARIES)/$$program $(ROOT)/bin/$$program && \
	  $(BINARIES)/$$program man > $(SHARE)/man/man1/$$program.1 && \
	  $(BINARIES)/$$program completions bash > $(SHARE)/bash-completion/completions/$$program && \
	  $(BINARIES)/$$program completions zsh > $(SHARE)/zsh/site-functions/_$$program && \
	  $(BINARIES)/$$program completions fish \
	    > $(SHARE)/fish/vendor_completions.d/$$program.fish || exit 1; \
	done

uninstall:
	for program in $(PROGRAMS); do \
	  rm -f $(ROOT)/bin/$$program $(SHARE)/man/man1/$$program.1 \
	    $(SHARE)/bash-completion/completions/$$program $(SHARE)/zsh/site-functions/_$$program \
	    $(SHARE)/fish/vendor_completions.d/$$program.fish; \
	done
	for suite in $(SUITES); do rm -rf $(SHARE)/fmbench/$$suite; done
	-rmdir $(SHARE)/fmbench

format:
	$(SWIFT) format --in-place --recursive Package.swift Plugins Shaders Sources Tests

clean:
	$(SWIFT) package clean
