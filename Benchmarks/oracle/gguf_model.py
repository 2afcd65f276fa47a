"""Loads a GGUF file into the Hugging Face model of its architecture, in float32.

Weights are decoded by PyPI gguf's own `dequantize`, so that the comparison is of the arithmetic of
the forward pass alone. No tokenizer is needed: everything works on token ids.
"""

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM


class Model:
    """A GGUF file's metadata and decoded tensors."""

    def __init__(self, path):
        self.reader = GGUFReader(path)
        self.architecture = self.value("general.architecture")
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}

    def value(self, key, default=None):
        field = self.reader.fields.get(key)
        return default if field is None else field.contents()

    def own(self, key, default=None):
        """The value of `<architecture>.<key>`."""
        return self.value(f"{self.architecture}.{key}", default)

    def weight(self, name):
        tensor = self.tensors[name]
        shape = [int(n) for n in reversed(tensor.shape)]
        decoded = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        return torch.from_numpy(np.ascontiguousarray(decoded.reshape(shape)))


def unpermuted(weight, heads):
    """Undoes the reordering of query and key rows that GGUF files of Llama models have."""
    rows = weight.shape[0]
    grouped = weight.reshape(heads, rows // heads // 2, 2, *weight.shape[1:])
    return grouped.transpose(1, 2).reshape(weight.shape)


PARTS = {
    "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight",
    "attn_v.weight": "self_attn.v_proj.weight",
    "attn_output.weight": "self_attn.o_proj.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
}

GEMMA_NORMS = {
    "attn_norm.weight": "input_layernorm.weight",
    "post_attention_norm.weight": "post_attention_layernorm.weight",
    "ffn_norm.weight": "pre_feedforward_layernorm.weight",
    "post_ffw_norm.weight": "post_feedforward_layernorm.weight",
    "attn_q_norm.weight": "self_attn.q_norm.weight",
    "attn_k_norm.weight": "self_attn.k_norm.weight",
}


def common_configuration(model):
    heads = model.own("attention.head_count")
    width = model.own("embedding_length")
    return dict(
        vocab_size=int(model.tensors["token_embd.weight"].shape[1]),
        hidden_size=width,
        intermediate_size=model.own("feed_forward_length"),
        num_hidden_layers=model.own("block_count"),
        num_attention_heads=heads,
        num_key_value_heads=model.own("attention.head_count_kv", heads),
        head_dim=model.own("attention.key_length", width // heads),
        rms_norm_eps=model.own("attention.layer_norm_rms_epsilon"),
        max_position_embeddings=model.own("context_length"),
        tie_word_embeddings="output.weight" not in model.tensors,
        attn_implementation="eager",
    )


def llama(model):
    configuration = LlamaConfig(
        **common_configuration(model),
        rope_parameters={"rope_type": "default", "rope_theta": model.own("rope.freq_base", 10000.0)},
    )
    state = {
        "model.embed_tokens.weight": model.weight("token_embd.weight"),
        "model.norm.weight": model.weight("output_norm.weight"),
    }
    if "output.weight" in model.tensors:
        state["lm_head.weight"] = model.weight("output.weight")
    norms = {"attn_norm.weight": "input_layernorm.weight", "ffn_norm.weight": "post_attention_layernorm.weight"}
    for layer in range(configuration.num_hidden_layers):
        for ours, theirs in (PARTS | norms).items():
            weight = model.weight(f"blk.{layer}.{ours}")
            if ours == "attn_q.weight":
                weight = unpermuted(weight, configuration.num_attention_heads)
            if ours == "attn_k.weight":
                weight = unpermuted(weight, configuration.num_key_value_heads)
            state[f"model.layers.{layer}.{theirs}"] = weight
    return filled(LlamaForCausalLM, configuration, state)


def gemma3(model):
    common = common_configuration(model)
    configuration = Gemma3TextConfig(
        **common,
        query_pre_attn_scalar=common["head_dim"],
        sliding_window=model.own("attention.sliding_window"),
        rope_parameters={
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {"rope_type": "default", "rope_theta": model.own("rope.freq_base")},
        },
    )
    state = {
        "model.embed_tokens.weight": model.weight("token_embd.weight"),
        # Converters add the 1 that the reference adds at run time.
        "model.norm.weight": model.weight("output_norm.weight") - 1,
    }
    for layer in range(configuration.num_hidden_layers):
        for ours, theirs in PARTS.items():
            state[f"model.layers.{layer}.{theirs}"] = model.weight(f"blk.{layer}.{ours}")
        for ours, theirs in GEMMA_NORMS.items():
            state[f"model.layers.{layer}.{theirs}"] = model.weight(f"blk.{layer}.{ours}") - 1
    return filled(Gemma3ForCausalLM, configuration, state)


def filled(kind, configuration, state):
    network = kind(configuration).to(torch.float32).eval()
    missing, unexpected = network.load_state_dict(state, strict=False)
    tied = ["lm_head.weight"] if configuration.tie_word_embeddings else []
    if sorted(missing) != tied and missing or unexpected:
        raise SystemExit(f"missing {missing}, unexpected {unexpected}")
    network.tie_weights()
    return network


def network(model):
    return {"llama": llama, "gemma3": gemma3}[model.architecture](model)


@torch.no_grad()
def logits(net, tokens):
    """Float32 logits of every position, `[positions, vocabulary]`."""
    return net(torch.tensor([tokens]), use_cache=False).logits[0].to(torch.float32)
