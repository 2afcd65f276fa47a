#!/bin/sh
# Fetches about 70 published chat templates into Benchmarks/.cache/templates, out of the source
# archive of the PyPI package llama-cpp-python, and writes their goldens beside them. Nothing of it
# is committed. The test `every fetched template renders as Hugging Face does` then runs.
#
# Usage: Benchmarks/oracle/fetch_templates.sh [PYTHON]   (a Python that has jinja2)
set -eu
cd "$(dirname "$0")/../.."
python=${1:-python3}
cache=Benchmarks/.cache
mkdir -p "$cache/sdist" "$cache/templates"
if ! ls "$cache"/sdist/llama_cpp_python-*.tar.gz >/dev/null 2>&1; then
  "$python" -m pip download --quiet --no-deps --no-binary llama-cpp-python \
    --dest "$cache/sdist" llama-cpp-python==0.3.36
fi
for archive in "$cache"/sdist/llama_cpp_python-*.tar.gz; do
  tar -xzf "$archive" -C "$cache/sdist" --wildcards '*/models/templates/*.jinja'
done
find "$cache/sdist" -name '*.jinja' -exec cp {} "$cache/templates/" \;
"$python" Benchmarks/oracle/template_goldens.py cache
ls "$cache"/templates/*.jinja | wc -l
