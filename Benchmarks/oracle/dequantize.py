"""Writes random blocks of every storage format with what PyPI gguf decodes them to.

    python3 -m pip install gguf numpy
    python3 dequantize.py ../../Tests/FMBackendTests/Fixtures/dequantize.bin

For each format, in this order, the file has: its GGUF number (u32), the bytes that follow (u32), the
elements (u32), the blocks, and the elements as f32. All little-endian.
"""

import struct
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

FORMATS = "BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL IQ4_XS MXFP4".split()
# Where the half-precision scales of a block are; random bytes there would be NaN now and then.
SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82],
    "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0],
}


def blocks(name, count, generator):
    size = GGML_QUANT_SIZES[GGMLQuantizationType[name]][1]
    data = generator.integers(0, 256, (count, size), dtype=np.uint8)
    for offset in SCALES.get(name, []):
        scales = generator.normal(0, 0.05, count).astype(np.float16)
        # Zero, subnormal and large scales too.
        scales[:3] = [0, 3e-7, 1000]
        data[:, offset:offset + 2] = scales.view(np.uint8).reshape(count, 2)
    if name == "BF16":
        data = generator.normal(0, 1, count * 64).astype(np.float32).view(np.uint8)
        data = np.ascontiguousarray(data.reshape(-1, 4)[:, 2:]).reshape(1, -1)
    if name == "MXFP4":
        data[:, 0] = generator.integers(100, 140, count)
        data[:4, 0] = [0, 1, 2, 254]
    return data


def main():
    generator = np.random.default_rng(7)
    with open(sys.argv[1], "wb") as file:
        for name in FORMATS:
            kind = GGMLQuantizationType[name]
            elements = GGML_QUANT_SIZES[kind][0]
            data = blocks(name, 6 if elements == 256 else 12, generator)
            decoded = dequantize(data.reshape(-1), kind).astype(np.float32).reshape(-1)
            file.write(struct.pack("<III", int(kind), data.size, decoded.size))
            file.write(data.tobytes())
            file.write(decoded.tobytes())


main()
