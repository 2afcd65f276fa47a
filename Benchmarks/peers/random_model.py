#!/usr/bin/env python3
"""Writes a Llama-type model of about 1.07 billion random weights in one element type.

For speed comparisons only: it has the shape of Llama 3.2 1B and the tokenizer of another model, and answers nonsense.

    python3 -m pip install numpy gguf
    python3 Benchmarks/peers/random_model.py TOKENIZER.gguf Q4_K out.gguf [--layers 16]

Blocks are random bits with scales set so that weights have a standard deviation near 0.02.
"""
import argparse

import gguf
import numpy as np

BLOCK_SCALES = {  # type: byte offsets of half-precision fields and their values
    "Q4_0": {0: 0.0045},
    "Q4_1": {0: 0.0045, 2: -0.034},
    "Q5_0": {0: 0.0022},
    "Q5_1": {0: 0.0022, 2: -0.034},
    "Q8_0": {0: 0.00027},
    "Q2_K": {80: 0.0011, 82: 0.0017},
    "Q3_K": {108: 0.00048},
    "Q4_K": {0: 0.00014, 2: 0.001},
    "Q5_K": {0: 0.00007, 2: 0.001},
    "Q6_K": {208: 0.000015},
    "IQ4_NL": {0: 0.0003},
    "IQ4_XS": {0: 0.0000165},
    "MXFP4": {},
}


def random_tensor(generator, kind, rows, columns):
    if kind == "F32":
        return (generator.standard_normal((rows, columns), dtype=np.float32) * 0.02)
    if kind == "F16":
        return (generator.standard_normal((rows, columns), dtype=np.float32) * 0.02).astype(np.float16)
    if kind == "BF16":
        numbers = generator.standard_normal((rows, columns), dtype=np.float32) * 0.02
        return np.ascontiguousarray(numbers.view(np.uint16)[:, 1::2]).view(np.uint8)
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    blocks = generator.integers(0, 256, (rows * columns // elements, size), dtype=np.uint8)
    if kind == "MXFP4":
        # Scales 2^-9 and 2^-8, as the exponent's byte less 128.
        blocks[:, 0] = 119 + blocks[:, 0] % 2
    for offset, value in BLOCK_SCALES[kind].items():
        blocks[:, offset:offset + 2] = np.frombuffer(np.float16(value).tobytes(), np.uint8)
    return blocks.reshape(rows, columns // elements * size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizer")
    parser.add_argument("type", choices=["F32", "F16", "BF16", *BLOCK_SCALES])
    parser.add_argument("output")
    parser.add_argument("--layers", type=int, default=16)
    arguments = parser.parse_args()

    width, feed_forward, heads, kv_heads, head_width = 2048, 8192, 32, 8, 64
    generator = np.random.default_rng(1)
    source = gguf.GGUFReader(arguments.tokenizer)
    writer = gguf.GGUFWriter(arguments.output, "llama")
    writer.add_name(f"Random 1B {arguments.type}")
    writer.add_block_count(arguments.layers)
    writer.add_context_length(8192)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(head_width)
    writer.add_rope_freq_base(500000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    for field in source.fields.values():
        if field.name.startswith("tokenizer."):
            subtype = field.types[1] if len(field.types) > 1 else None
            writer.add_key_value(field.name, field.contents(), field.types[0], subtype)
    vocabulary = len(source.fields["tokenizer.ggml.tokens"].contents())

    kind = gguf.GGMLQuantizationType[arguments.type]

    def matrix(name, rows, columns):
        writer.add_tensor(name, random_tensor(generator, arguments.type, rows, columns), raw_dtype=kind)

    def vector(name, count):
        writer.add_tensor(name, np.ones(count, np.float32))

    matrix("token_embd.weight", vocabulary, width)
    vector("output_norm.weight", width)
    for layer in range(arguments.layers):
        prefix = f"blk.{layer}."
        vector(prefix + "attn_norm.weight", width)
        vector(prefix + "ffn_norm.weight", width)
        matrix(prefix + "attn_q.weight", heads * head_width, width)
        matrix(prefix + "attn_k.weight", kv_heads * head_width, width)
        matrix(prefix + "attn_v.weight", kv_heads * head_width, width)
        matrix(prefix + "attn_output.weight", width, heads * head_width)
        matrix(prefix + "ffn_gate.weight", feed_forward, width)
        matrix(prefix + "ffn_up.weight", feed_forward, width)
        matrix(prefix + "ffn_down.weight", width, feed_forward)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
