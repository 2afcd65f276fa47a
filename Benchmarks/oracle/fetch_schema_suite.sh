#!/bin/sh
# Fetches the JSON-Schema-Test-Suite (MIT) into Benchmarks/.cache/schema-suite, out of the source
# archive of the PyPI package jsonschema. Nothing of it is committed.
# The tests of Tests/FMGrammarTests/JSONSchemaSuiteTests.swift then run.
#
# Usage: Benchmarks/oracle/fetch_schema_suite.sh [PYTHON]
set -eu
cd "$(dirname "$0")/../.."
python=${1:-python3}
cache=Benchmarks/.cache
mkdir -p "$cache/sdist"
if ! ls "$cache"/sdist/jsonschema-*.tar.gz >/dev/null 2>&1; then
  "$python" -m pip download --quiet --no-deps --no-binary jsonschema \
    --dest "$cache/sdist" jsonschema==4.26.0
fi
# A folder of its own first, so that the tests never see half a suite.
rm -rf "$cache/schema-suite" "$cache/schema-suite.part"
mkdir "$cache/schema-suite.part"
for archive in "$cache"/sdist/jsonschema-*.tar.gz; do
  tar -xzf "$archive" -C "$cache/schema-suite.part" --strip-components=3 --wildcards \
    '*/json/tests/draft2020-12/*'
done
mv "$cache/schema-suite.part" "$cache/schema-suite"
ls "$cache"/schema-suite/draft2020-12/*.json | wc -l
