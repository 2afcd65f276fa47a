#!/usr/bin/env python3
"""Compares the time of token masks with XGrammar's and llguidance's, on the same documents and tokens.

    pip install xgrammar llguidance gguf
    swift build -c release --product fmbench
    python3 Benchmarks/peers/grammar.py MODEL.gguf [--rounds 3] [--json OUT]

`fmbench grammar masks --json` walks the documents of Benchmarks/guided and times a mask before each token; it names
the tokens, which of them the grammar forced, and its own times. The peers then walk the same tokens, each document
with a grammar compiled for it alone, so that first visits of states count, and their masks are timed at the places
that were not forced. One thread; the rounds of the three alternate.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from gguf import GGUFReader


def byte_alphabet():
    """GPT-2's characters for the bytes, the other way round."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{chr(byte): byte for byte in printable}, **{chr(256 + i): byte for i, byte in enumerate(others)}}


def vocabulary(path):
    """The bytes of each token of a GGUF file, the ids of control tokens, and the end token."""
    fields = GGUFReader(path).fields
    texts = fields["tokenizer.ggml.tokens"].contents()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    alphabet = byte_alphabet() if fields["tokenizer.ggml.model"].contents() == "gpt2" else None
    tokens, controls = [], set()
    for index, (text, kind) in enumerate(zip(texts, kinds)):
        if kind in (2, 3, 5):  # unknown, control, unused
            controls.add(index)
            tokens.append(b"\xff" + text.encode())
        elif kind == 6:
            tokens.append(bytes([int(text[3:5], 16)]))
        elif alphabet and kind == 1 and all(character in alphabet for character in text):
            tokens.append(bytes(alphabet[character] for character in text))
        else:
            tokens.append(text.replace("\u2581", " ").encode())
    return tokens, controls, int(fields["tokenizer.ggml.eos_token_id"].contents())


def schemas(folder):
    with open(os.path.join(folder, "schemas.jsonl"), encoding="utf-8") as lines:
        return {item["name"]: json.loads(item["schema"]) for item in map(json.loads, lines)}


class XGrammar:
    name = "XGrammar"

    def __init__(self, tokens, controls, end):
        import xgrammar

        self.module = xgrammar
        vocabulary = [b"" if index in controls else token for index, token in enumerate(tokens)]
        information = xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[end], vocab_size=len(tokens))
        self.compiler = xgrammar.GrammarCompiler(information, max_threads=1, cache_enabled=False)
        self.mask = xgrammar.allocate_token_bitmask(1, len(tokens))

    def compile(self, schema):
        return self.compiler.compile_json_schema(json.dumps(schema), any_whitespace=False, separators=(", ", ": "))

    def walk(self, grammar, ids, wanted):
        matcher = self.module.GrammarMatcher(grammar)
        times = []
        for token, isWanted in zip(ids, wanted):
            start = time.perf_counter_ns()
            matcher.fill_next_token_bitmask(self.mask)
            if isWanted:
                times.append(time.perf_counter_ns() - start)
            if not matcher.accept_token(token):
                raise ValueError("refused")
        return times


class LLGuidance:
    name = "llguidance"

    def __init__(self, tokens, controls, end):
        import llguidance
        import llguidance.numpy

        class Tokenizer:
            eos_token_id = end
            bos_token_id = None
            special_token_ids = sorted(controls)

            def __init__(self):
                self.tokens = tokens

            def __call__(self, text):
                text = text if isinstance(text, bytes) else text.encode()
                return list(text)

        self.module = llguidance
        self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()), n_vocab=len(tokens))
        self.numpy = llguidance.numpy
        self.mask = llguidance.numpy.allocate_token_bitmask(1, len(tokens))

    def compile(self, schema):
        options = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
        grammar = self.module.LLMatcher.grammar_from_json_schema(json.dumps(schema), defaults=options)
        matcher = self.module.LLMatcher(self.tokenizer, grammar)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def walk(self, matcher, ids, wanted):
        times = []
        for token, isWanted in zip(ids, wanted):
            start = time.perf_counter_ns()
            self.numpy.fill_next_token_bitmask(matcher, self.mask, 0)
            if isWanted:
                times.append(time.perf_counter_ns() - start)
            if not matcher.consume_token(token):
                raise ValueError("refused")
        return times


def percentile(values, share):
    values = sorted(values)
    place = (len(values) - 1) * share
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def ours(options):
    command = [options.fmbench, "grammar", "masks", "--model", options.model, "--folder", options.folder, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def play(peer, documents, all_schemas, result):
    for document in documents:
        key = document["name"]
        try:
            start = time.perf_counter_ns()
            grammar = peer.compile(all_schemas[key])
            compiled = time.perf_counter_ns() - start
            wanted = [not forced for forced in document["forced"]]
            times = peer.walk(grammar, document["tokens"], wanted)
        except Exception as error:  # noqa: BLE001: what a peer can't do is a result
            result["refused"][key] = str(error)[:120]
            continue
        result["masks"] += times
        result["compile"].append(compiled)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fmbench", default=".build/release/fmbench")
    parser.add_argument("--folder", default="Benchmarks/guided")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    all_schemas = schemas(options.folder)
    tokens, controls, end = vocabulary(options.model)
    peers = [XGrammar(tokens, controls, end), LLGuidance(tokens, controls, end)]
    results = {peer.name: {"masks": [], "compile": [], "refused": {}} for peer in peers}
    results["ours"] = {"masks": [], "compile": [], "refused": {}}
    for _ in range(options.rounds):
        report = ours(options)
        for document in report["documents"]:
            results["ours"]["masks"] += [
                value for value, forced in zip(document["nanoseconds"], document["forced"]) if not forced]
            results["ours"]["compile"].append(document["compileNanoseconds"])
        for peer in peers:
            play(peer, report["documents"], all_schemas, results[peer.name])
    print(f"{'':12}{'masks':>8}{'median us':>11}{'p99 us':>9}{'max us':>9}{'compile ms, median':>20}{'max':>8}  refused")
    for name in ["ours", "XGrammar", "llguidance"]:
        result = results[name]
        masks, compiles = result["masks"], result["compile"]
        print(
            f"{name:12}{len(masks):8}{statistics.median(masks) / 1e3:11.2f}{percentile(masks, 0.99) / 1e3:9.1f}"
            f"{max(masks) / 1e3:9.1f}{statistics.median(compiles) / 1e6:20.2f}{max(compiles) / 1e6:8.1f}"
            f"  {', '.join(sorted(result['refused'])) or '-'}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as output:
            json.dump(results, output)


if __name__ == "__main__":
    main()
