#!/bin/sh
# Fetch llama.cpp's vocabulary suites (MIT) into Benchmarks/.cache/vocab-suites.
#
# They are in the source archive of the PyPI package llama-cpp-python: vocabulary-only GGUF files,
# each with texts (.inp) and the token ids Hugging Face gives for them (.out). The tests of
# Tests/FMRuntimeTests/VocabularySuiteTests.swift run when they are there.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache
work=$(mktemp -d .cache/vocab-suites.XXXXXX)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --no-binary llama-cpp-python \
  --dest "$work" llama-cpp-python==0.3.36
archive=$(ls "$work"/llama_cpp_python-*.tar.gz)
mkdir "$work/models"
tar -xzf "$archive" -C "$work/models" --strip-components=4 --wildcards \
  '*/vendor/llama.cpp/models/ggml-vocab-*'
rm -rf .cache/vocab-suites
mv "$work/models" .cache/vocab-suites
ls .cache/vocab-suites | grep -c '\.gguf$' | sed 's/$/ vocabularies in Benchmarks\/.cache\/vocab-suites/'
