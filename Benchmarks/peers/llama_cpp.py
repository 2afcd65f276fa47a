#!/usr/bin/env python3
"""Compares this project with llama.cpp on the same file, threads and token counts, interleaved A B B A.

Needs the peer, built for this machine with clang (gcc 12 miscompiles its AMX path):

    CC=clang CXX=clang++ python3 -m pip install --no-binary llama-cpp-python llama-cpp-python

    python3 Benchmarks/peers/llama_cpp.py MODEL.gguf --threads 2 --rounds 5 [--json OUT]

With `--device vulkan:N` both run on that Vulkan device, the peer with all layers; it must have been built with
`CMAKE_ARGS=-DGGML_VULKAN=on`, which needs the package glslc. A software device counts as any other here.

The peer is timed around its decode call alone: no tokenizer, no sampler. Ours is timed by `fmbench speed`, whose
decode figures include sampling. For every row the peer's best setting of flash attention counts.
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import time

# This file has the package's name; without its folder on the path the package is found.
sys.path = [folder for folder in sys.path if os.path.abspath(folder or ".") != os.path.dirname(os.path.abspath(__file__))]
import llama_cpp  # noqa: E402


def vulkan_device():
    """The peer's first Vulkan device, as its handle."""
    folder = os.path.join(os.path.dirname(llama_cpp.__file__), "lib")
    registry = ctypes.CDLL(os.path.join(folder, "libggml.so"))
    base = ctypes.CDLL(os.path.join(folder, "libggml-base.so"))
    registry.ggml_backend_dev_count.restype = ctypes.c_size_t
    registry.ggml_backend_dev_get.restype = ctypes.c_void_p
    registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    base.ggml_backend_dev_name.restype = ctypes.c_char_p
    base.ggml_backend_dev_name.argtypes = [ctypes.c_void_p]
    devices = [registry.ggml_backend_dev_get(index) for index in range(registry.ggml_backend_dev_count())]
    for device in devices:
        if base.ggml_backend_dev_name(device).startswith(b"Vulkan"):
            return device
    sys.exit("the peer has no Vulkan device; was it built with CMAKE_ARGS=-DGGML_VULKAN=on?")


class Peer:
    """One llama.cpp context of one model."""

    def __init__(self, path, threads, context, flash, layers):
        llama_cpp.llama_backend_init()
        silent = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        self.silent = silent
        llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
        settings = llama_cpp.llama_model_default_params()
        settings.n_gpu_layers = layers
        if layers:
            # Software devices are never taken by themselves.
            self.devices = (ctypes.c_void_p * 2)(vulkan_device(), None)
            settings.devices = ctypes.cast(self.devices, ctypes.c_void_p)
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), settings)
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = 2048
        parameters.n_ubatch = 512
        parameters.n_threads = threads
        parameters.n_threads_batch = threads
        parameters.flash_attn_type = 1 if flash else 0
        self.context = llama_cpp.llama_init_from_model(self.model, parameters)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))
        self.random = random.Random(7)

    def clear(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)

    def decode(self, count):
        """Seconds to run `count` random tokens in one call."""
        tokens = (llama_cpp.llama_token * count)(
            *[self.random.randrange(10, self.vocabulary) for _ in range(count)])
        start = time.perf_counter()
        batch = llama_cpp.llama_batch_get_one(tokens, count)
        if llama_cpp.llama_decode(self.context, batch) != 0:
            sys.exit("llama_decode failed")
        llama_cpp.llama_synchronize(self.context)
        return time.perf_counter() - start

    def prefill(self, count):
        self.clear()
        return count / self.decode(count)

    def generate(self, depth, count):
        self.clear()
        if depth:
            self.decode(depth)
        seconds = sum(self.decode(1) for _ in range(count))
        return count / seconds


def ours(arguments, kind, depth, count):
    """One figure of `fmbench speed`, in tokens per second."""
    command = [arguments.fmbench, "speed", "--model", arguments.model, "--threads", str(arguments.threads),
               "--device", arguments.device, "--json", "--trials", "1"]
    command += ["--prefill", str(count)] if kind == "prefill" else ["--decode", str(count), "--depth", str(depth)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["rows"][0]["tokens_per_second"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--fmbench", default=".build/release/fmbench")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or vulkan:N, for both")
    parser.add_argument("--rounds", type=int, default=5, help="A B B A blocks per row")
    parser.add_argument("--rows", default="prefill:512,decode:128@0,decode:64@2048")
    parser.add_argument("--json")
    arguments = parser.parse_args()

    rows = []
    layers = 0
    if arguments.device != "cpu":
        # Named devices are taken even if they are software.
        os.environ["GGML_VK_VISIBLE_DEVICES"] = arguments.device.partition(":")[2] or "0"
        layers = 999
    peers = {flash: Peer(arguments.model, arguments.threads, 4096, flash, layers) for flash in (True, False)}
    print(f"{'row':<18}{'ours':>10}{'llama.cpp':>12}{'ratio':>8}   (medians, tokens/s)")
    for row in arguments.rows.split(","):
        kind, rest = row.split(":")
        count, _, depth = rest.partition("@")
        count, depth = int(count), int(depth or 0)

        def peer(flash):
            return peers[flash].prefill(count) if kind == "prefill" else peers[flash].generate(depth, count)

        for flash in peers:
            peer(flash)  # warm-up, full length
        ours(arguments, kind, depth, count)
        best = max(peers, key=lambda flash: statistics.median(peer(flash) for _ in range(2)))
        a, b = [], []
        for _ in range(arguments.rounds):
            a.append(ours(arguments, kind, depth, count))
            b.append(peer(best))
            b.append(peer(best))
            a.append(ours(arguments, kind, depth, count))
        ratio = statistics.median(a) / statistics.median(b)
        print(f"{row:<18}{statistics.median(a):>10.1f}{statistics.median(b):>12.1f}{ratio:>8.2f}"
              f"   flash attention {'on' if best else 'off'}", flush=True)
        rows.append({"row": row, "ours": a, "peer": b, "ratio": ratio, "flash_attention": best})
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"model": os.path.basename(arguments.model), "threads": arguments.threads,
                       "device": arguments.device,
                       "peer": "llama-cpp-python " + llama_cpp.__version__, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
