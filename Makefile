# Two commands do everything on a fresh Debian 12 machine with the Swift toolchain:
#   make bench   set up, build for release, get the default model, run the quick suite on the CPU
#                and on the GPU (or the small slice on a software device), compare the devices
#   make test    set up, build, and run every test

SWIFT ?= swift

.PHONY: bench test check check-clients docs build release setup model format clean

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

format:
	$(SWIFT) format --in-place --recursive Package.swift Plugins Shaders Sources Tests

clean:
	$(SWIFT) package clean
