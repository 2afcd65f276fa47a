#!/bin/sh
# Fetches llama.cpp's vocabulary suites (MIT) into Benchmarks/.cache/vocab-suites, out of the source
# archive of the PyPI package llama-cpp-python. Nothing of it is committed. They are GGUF files with
# a vocabulary only, some with texts (.inp) and the token ids Hugging Face gives for them (.out).
# The tests of Tests/FMRuntimeTests/VocabularySuiteTests.swift then run.
#
# Usage: Benchmarks/oracle/fetch_vocab_suites.sh [PYTHON]
set -eu
cd "$(dirname "$0")/../.."
python=${1:-python3}
cache=Benchmarks/.cache
mkdir -p "$cache/sdist"
if ! ls "$cache"/sdist/llama_cpp_python-*.tar.gz >/dev/null 2>&1; then
  "$python" -m pip download --quiet --no-deps --no-binary llama-cpp-python \
    --dest "$cache/sdist" llama-cpp-python==0.3.36
fi
# A folder of its own first, so that the tests never see half a suite.
rm -rf "$cache/vocab-suites" "$cache/vocab-suites.part"
mkdir "$cache/vocab-suites.part"
for archive in "$cache"/sdist/llama_cpp_python-*.tar.gz; do
  tar -xzf "$archive" -C "$cache/vocab-suites.part" --strip-components=4 --wildcards \
    '*/vendor/llama.cpp/models/ggml-vocab-*'
done
mv "$cache/vocab-suites.part" "$cache/vocab-suites"
ls "$cache"/vocab-suites/*.gguf | wc -l
