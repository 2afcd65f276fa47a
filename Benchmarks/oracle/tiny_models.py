"""Writes tiny random models as GGUF files with the logits Hugging Face transformers gives for them.

    python3 -m pip install torch transformers gguf numpy
    python3 tiny_models.py ../../Tests/FMModelsTests/Fixtures

Each file is a whole model (F32 or F16 matrices) and two more tensors: oracle.tokens, i32 [length],
and oracle.logits, f32 [length, vocabulary], computed in float32 from the stored weights.
The Llama has frequency factors, attention biases and its own output matrix; the Gemma 3 has linear
scaling of the rotation and a window much shorter than the text.
"""

import os
import sys

import numpy as np
import torch
from gguf import GGUFWriter
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM

import gguf_model

LENGTH = 45


def permuted(weight, heads):
    """Reorders query and key rows as GGUF files of Llama models have them."""
    rows = weight.shape[0]
    grouped = weight.reshape(heads, 2, rows // heads // 2, *weight.shape[1:])
    return grouped.transpose(1, 2).reshape(weight.shape)


def randomize(net, half):
    """Weights that give varied logits; rounded to what the file will store."""
    generator = torch.Generator().manual_seed(5)
    for name, parameter in net.named_parameters():
        values = torch.randn(parameter.shape, generator=generator)
        if parameter.ndim == 2:
            values *= 1.5 / parameter.shape[1] ** 0.5
            values = values.half().float() if half else values
        else:
            values = 0.2 * values + (1 if "norm" in name and not isinstance(net, Gemma3ForCausalLM) else 0)
        parameter.data.copy_(values)


def common(configuration, name):
    return {
        f"{name}.block_count": configuration.num_hidden_layers,
        f"{name}.context_length": configuration.max_position_embeddings,
        f"{name}.embedding_length": configuration.hidden_size,
        f"{name}.feed_forward_length": configuration.intermediate_size,
        f"{name}.attention.head_count": configuration.num_attention_heads,
        f"{name}.attention.head_count_kv": configuration.num_key_value_heads,
        f"{name}.attention.key_length": configuration.head_dim,
        f"{name}.attention.value_length": configuration.head_dim,
        f"{name}.attention.layer_norm_rms_epsilon": float(configuration.rms_norm_eps),
    }


def llama(half):
    configuration = LlamaConfig(
        vocab_size=97, hidden_size=48, intermediate_size=72, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=16, rms_norm_eps=1e-5,
        max_position_embeddings=256, attention_bias=True, tie_word_embeddings=False,
        attn_implementation="eager",
        rope_parameters={
            "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 32,
        })
    net = LlamaForCausalLM(configuration).float().eval()
    randomize(net, half)
    state = net.state_dict()
    plain = 1 / 10000.0 ** (torch.arange(0, 16, 2).double() / 16)
    tensors = {
        "token_embd.weight": state["model.embed_tokens.weight"],
        "output_norm.weight": state["model.norm.weight"],
        "output.weight": state["lm_head.weight"],
        "rope_freqs.weight": (plain / net.model.rotary_emb.inv_freq.double()).float(),
    }
    parts = gguf_model.PARTS | {
        f"attn_{ours}.bias": f"self_attn.{theirs}_proj.bias"
        for ours, theirs in [("q", "q"), ("k", "k"), ("v", "v"), ("output", "o")]
    } | {"attn_norm.weight": "input_layernorm.weight", "ffn_norm.weight": "post_attention_layernorm.weight"}
    for layer in range(configuration.num_hidden_layers):
        for ours, theirs in parts.items():
            weight = state[f"model.layers.{layer}.{theirs}"]
            if ours.startswith("attn_q."):
                weight = permuted(weight, 4)
            if ours.startswith("attn_k."):
                weight = permuted(weight, 2)
            tensors[f"blk.{layer}.{ours}"] = weight
    return net, tensors, common(configuration, "llama") | {"llama.rope.freq_base": 10000.0}


def gemma3(half):
    configuration = Gemma3TextConfig(
        vocab_size=97, hidden_size=48, intermediate_size=72, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=1, head_dim=24, rms_norm_eps=1e-6,
        max_position_embeddings=256, query_pre_attn_scalar=24, sliding_window=9,
        sliding_window_pattern=3, attn_implementation="eager",
        rope_parameters={
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
        })
    net = Gemma3ForCausalLM(configuration).float().eval()
    randomize(net, half)
    state = net.state_dict()
    tensors = {
        "token_embd.weight": state["model.embed_tokens.weight"],
        "output_norm.weight": state["model.norm.weight"] + 1,
    }
    for layer in range(configuration.num_hidden_layers):
        for ours, theirs in gguf_model.PARTS.items():
            tensors[f"blk.{layer}.{ours}"] = state[f"model.layers.{layer}.{theirs}"]
        for ours, theirs in gguf_model.GEMMA_NORMS.items():
            tensors[f"blk.{layer}.{ours}"] = state[f"model.layers.{layer}.{theirs}"] + 1
    return net, tensors, common(configuration, "gemma3") | {
        "gemma3.rope.freq_base": 1000000.0, "gemma3.rope.scaling.type": "linear",
        "gemma3.rope.scaling.factor": 8.0, "gemma3.attention.sliding_window": 9,
        "gemma3.attention.sliding_window_pattern": 3,
    }


def write(path, name, half, build):
    net, tensors, metadata = build(half)
    tokens = [(i * i * 7 + 3 * i) % 97 for i in range(LENGTH)]
    logits = gguf_model.logits(net, tokens)
    writer = GGUFWriter(path, name)
    for key, value in metadata.items():
        add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
        add[type(value)](key, value)
    for tensor, weight in tensors.items():
        kind = np.float16 if half and weight.ndim == 2 else np.float32
        writer.add_tensor(tensor, np.ascontiguousarray(weight.numpy().astype(kind)))
    writer.add_tensor("oracle.tokens", np.array(tokens, dtype=np.int32))
    writer.add_tensor("oracle.logits", logits.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, build in [("llama", llama), ("gemma3", gemma3)]:
        for half in [False, True]:
            kind = "f16" if half else "f32"
            write(os.path.join(sys.argv[1], f"tiny-{name}-{kind}.gguf"), name, half, build)
