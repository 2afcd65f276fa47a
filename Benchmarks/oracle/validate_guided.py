#!/usr/bin/env python3
"""Checks guided answers with PyPI jsonschema: the oracle is independent of the grammar that made them.

    pip install jsonschema rfc3339-validator
    fmbench grammar random --model M --count 50 --output answers.jsonl
    python3 Benchmarks/oracle/validate_guided.py answers.jsonl [--schemas Benchmarks/guided/schemas.jsonl]

Each line of the answers has `name` (the schema's), `text` and `isComplete`. A complete answer must parse, have no key
twice and satisfy its schema, formats included; an incomplete one must not be a whole document that violates it.
Prints the counts and the first faults; ends with 1 where there is a fault.
"""
import argparse
import collections
import json
import sys

import jsonschema


class RepeatedKey(Exception):
    pass


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise RepeatedKey(f"a key comes twice: {keys}")
    return dict(pairs)


def fault(answer, validator):
    """Why a complete answer is wrong, or None."""
    try:
        value = json.loads(answer["text"], object_pairs_hook=unique)
    except (ValueError, RepeatedKey) as error:
        return f"does not parse: {error}"
    error = next(validator.iter_errors(value), None)
    return None if error is None else f"{error.json_path}: {error.message}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers")
    parser.add_argument("--schemas", default="Benchmarks/guided/schemas.jsonl")
    options = parser.parse_args()
    validators = {}
    with open(options.schemas, encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            schema = json.loads(item["schema"])
            dialect = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
            validators[item["name"]] = dialect(schema, format_checker=dialect.FORMAT_CHECKER)
    counts = collections.Counter()
    faults = []
    seen = set()
    with open(options.answers, encoding="utf-8") as lines:
        for answer in map(json.loads, lines):
            seen.add(answer["name"])
            if not answer["isComplete"]:
                counts["cut"] += 1
                continue
            counts["complete"] += 1
            reason = fault(answer, validators[answer["name"]])
            if reason:
                counts["wrong"] += 1
                faults.append(f"{answer['name']}: {reason}\n  {answer['text'][:300]}")
    print(f"{counts['complete']} complete answers over {len(seen)} schemas, {counts['wrong']} wrong; {counts['cut']} cut")
    for text in faults[:20]:
        print(text)
    sys.exit(1 if faults or not counts["complete"] else 0)


if __name__ == "__main__":
    main()
