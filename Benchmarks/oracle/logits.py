"""Writes the goldens that the logits of this project are compared with.

    python3 -m venv oracle && oracle/bin/pip install torch transformers gguf tokenizers numpy
    oracle/bin/python logits.py MODEL.gguf texts/harbour.txt OUT.gguf [--skip N]

Float32 logits by Hugging Face transformers on the same decoded weights, at 500 consecutive
positions of one sequence. The output is a small GGUF file with these tensors:

    tokens        i32 [all]       the text's token ids, no special tokens
    sequence      i32 [length]    what was run: a beginning-of-sequence token where the model adds one
    positions     i32 [500]
    top_ids       i32 [500, 8]    best tokens, best first
    top_logits    f32 [500, 8]
    even_ids      i32 [500, 32]   tokens drawn evenly from the vocabulary (for the error's size)
    even_logits   f32 [500, 32]
    likely_ids    i32 [500, 32]   tokens drawn by their probability among those not in the top 8
    likely_logits f32 [500, 32]     (the mean of log p - log q over them estimates that part of KL)
    log_sum_exp   f32 [500]

and metadata: oracle.model_bytes, oracle.tokens_scored, oracle.mean_nll, oracle.window: the text's
perplexity in consecutive windows of 512 tokens, a beginning-of-sequence token counted inside where
the model adds one, every token of a window but its first scored, the last short window included.
"""

import argparse
import os

import numpy as np
import torch
from gguf import GGUFWriter

import gguf_model
import gguf_tokens

POSITIONS = 500
WINDOW = 512
TOP = 8
SAMPLES = 32


def perplexity(net, tokens, beginning):
    size = WINDOW - len(beginning)
    total, count = 0.0, 0
    for start in range(0, len(tokens), size):
        window = beginning + tokens[start:start + size]
        if len(window) < 2:
            continue
        scores = torch.log_softmax(gguf_model.logits(net, window).double(), dim=-1)
        picked = scores[:-1].gather(1, torch.tensor(window[1:])[:, None])
        total -= picked.sum().item()
        count += len(window) - 1
    return total / count, count


def sampled(rows, seed):
    """Top, evenly drawn and likely tokens of each row, with the log-sum-exp."""
    generator = torch.Generator().manual_seed(seed)
    top = torch.topk(rows, TOP, dim=-1)
    even = torch.randint(rows.shape[1], (rows.shape[0], SAMPLES), generator=generator)
    rest = torch.softmax(rows.double(), dim=-1).scatter(1, top.indices, 0)
    likely = torch.multinomial(rest, SAMPLES, replacement=True, generator=generator)
    return {
        "top_ids": top.indices, "top_logits": top.values,
        "even_ids": even, "even_logits": rows.gather(1, even),
        "likely_ids": likely, "likely_logits": rows.gather(1, likely),
        "log_sum_exp": torch.logsumexp(rows.double(), dim=-1).float(),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("out")
    parser.add_argument("--skip", type=int, default=0, help="positions before the 500")
    arguments = parser.parse_args()

    model = gguf_model.Model(arguments.model)
    with open(arguments.text, encoding="utf-8") as file:
        tokens = gguf_tokens.encoder(model)(file.read())
    adds = model.value("tokenizer.ggml.add_bos_token", False)
    beginning = [int(model.value("tokenizer.ggml.bos_token_id"))] if adds else []
    sequence = (beginning + tokens)[:arguments.skip + POSITIONS]

    net = gguf_model.network(model)
    mean, count = perplexity(net, tokens, beginning)
    print(f"{len(tokens)} tokens, {count} scored, mean NLL {mean:.6f}, perplexity {np.exp(mean):.4f}")
    rows = gguf_model.logits(net, sequence)[arguments.skip:]
    golden = {
        "tokens": torch.tensor(tokens), "sequence": torch.tensor(sequence),
        "positions": torch.arange(arguments.skip, len(sequence)),
    } | sampled(rows, seed=1)

    writer = GGUFWriter(arguments.out, "oracle")
    writer.add_uint64("oracle.model_bytes", os.path.getsize(arguments.model))
    writer.add_uint32("oracle.tokens_scored", count)
    writer.add_float64("oracle.mean_nll", mean)
    writer.add_uint32("oracle.window", WINDOW)
    for name, values in golden.items():
        kind = np.float32 if values.is_floating_point() else np.int32
        writer.add_tensor(name, np.ascontiguousarray(values.numpy().astype(kind)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    torch.set_num_threads(2)
    main()
