"""What quantized activations cost a model, with nothing else changed.

    oracle/bin/python activations.py MODEL.gguf texts/harbour.txt [--skip N] [--levels L]      (see logits.py)

Runs transformers' own float32 model on 500 positions as it is, and again with the input of every
linear layer quantized as the CPU back end does: blocks of 32, scale = largest magnitude / L, rounded
half to even, with L = 2032 (twelve bits); `--levels 127` shows eight bits. Then the same for one kind
of layer at a time, to see where the error is from.
"""

import argparse

import torch

import gguf_model
import gguf_tokens

KINDS = [["q_proj", "k_proj", "v_proj"], ["o_proj"], ["gate_proj", "up_proj"], ["down_proj"], ["lm_head"]]
POSITIONS = 500


def quantized(x, levels):
    blocks = x.reshape(-1, 32)
    largest = blocks.abs().amax(-1, keepdim=True)
    inverse = torch.where(largest > 0, levels / largest, torch.zeros_like(largest))
    codes = torch.clamp(torch.round(blocks * inverse), -levels, levels)
    return (codes * (largest / levels)).reshape(x.shape)


def report(title, found, expected):
    best = torch.topk(expected, 2, dim=-1)
    gap = best.values[:, 0] - best.values[:, 1]
    same = found.argmax(-1) == best.indices[:, 0]
    clear = gap > 0.2
    ours, theirs = (torch.log_softmax(x.double(), -1) for x in (found, expected))
    divergence = (theirs.exp() * (theirs - ours)).sum(-1).mean()
    error = ((found - expected) ** 2).sum() / (expected ** 2).sum()
    missed = [f"{value:.3f}" for value in gap[clear & ~same].tolist()]
    print(
        f"{title:24} NMSE {error:.3e}  KL {divergence:.3e}  top-1 {same.float().mean():.4f}"
        f"  missed of {int(clear.sum())} clear: {missed}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--levels", type=int, default=2032)
    arguments = parser.parse_args()

    model = gguf_model.Model(arguments.model)
    with open(arguments.text, encoding="utf-8") as file:
        tokens = gguf_tokens.encoder(model)(file.read())
    adds = model.value("tokenizer.ggml.add_bos_token", False)
    beginning = [int(model.value("tokenizer.ggml.bos_token_id"))] if adds else []
    sequence = (beginning + tokens)[:arguments.skip + POSITIONS]
    net = gguf_model.network(model)
    chosen = set()

    def hook(name):
        def quantize(_, inputs):
            return (quantized(inputs[0], arguments.levels),) if name.split(".")[-1] in chosen else None
        return quantize

    for name, module in net.named_modules():
        if isinstance(module, torch.nn.Linear):
            module.register_forward_pre_hook(hook(name))
    expected = gguf_model.logits(net, sequence)[arguments.skip:]
    for kinds in [sum(KINDS, [])] + KINDS:
        chosen.clear()
        chosen.update(kinds)
        found = gguf_model.logits(net, sequence)[arguments.skip:]
        report("all" if len(kinds) > 3 else ", ".join(kinds), found, expected)


if __name__ == "__main__":
    main()
