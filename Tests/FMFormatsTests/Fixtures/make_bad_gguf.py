#!/usr/bin/env python3
"""Writes small GGUF files, one sound and the others hostile, each in one way.

Usage: make_bad_gguf.py FOLDER

Plain Python, no dependency. The files are committed beside this script; run it again after a change.
Every file but ok*.gguf must be refused with a typed error, quickly and without using memory.
"""
import struct
import sys
from pathlib import Path

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value & (1 << 64) - 1)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return u64(len(data)) + data


def key(name, kind, payload):
    return text(name) + u32(kind) + payload


def tensor(name, dims, kind=0, offset=0):
    return text(name) + u32(len(dims)) + b"".join(map(u64, dims)) + u32(kind) + u64(offset)


ARCHITECTURE = key("general.architecture", STR, text("llama"))


def gguf(keys=(ARCHITECTURE,), tensors=(), data=b"\0" * 32, version=3, key_count=None,
         tensor_count=None, magic=b"GGUF", align=32):
    head = magic + u32(version)
    head += u64(len(tensors) if tensor_count is None else tensor_count)
    head += u64(len(keys) if key_count is None else key_count)
    head += b"".join(keys) + b"".join(tensors)
    return head + b"\0" * (-len(head) % align) + data


def nested(levels):
    """An array of one array of one array ..., `levels` deep."""
    return b"".join(u32(ARR) + u64(1) for _ in range(levels)) + u32(U8) + u64(1) + b"\0"


def alignment(kind, payload):
    return (ARCHITECTURE, key("general.alignment", kind, payload))


T = tensor("t", [8])

FILES = {
    "ok": gguf(tensors=[T]),
    "ok_align_64": gguf(alignment(U32, u32(64)), [T], align=64),
    "ok_v2": gguf(tensors=[T], version=2),
    "ok_no_tensors": gguf(data=b""),
    # Alignment.
    "align_0": gguf(alignment(U32, u32(0)), [T]),
    "align_3": gguf(alignment(U32, u32(3)), [T]),
    "align_str": gguf(alignment(STR, text("32")), [T]),
    "align_huge": gguf(alignment(U32, u32(1 << 31)), [T]),
    # Counts.
    "arr_2e63": gguf((key("k", ARR, u32(U8) + u64(1 << 63)),), data=b""),
    "arr_str_2e60": gguf((key("k", ARR, u32(STR) + u64(1 << 60)),)),
    "arr_wrap": gguf((key("k", ARR, u32(F64) + u64(1 << 61)),)),
    "nkv_2e63": gguf(tensors=[T], key_count=1 << 63),
    "nt_2e63": gguf(tensors=[T], tensor_count=1 << 63),
    "nkv_one_more": gguf(data=b"", key_count=2, align=1),
    # Strings.
    "str_huge": gguf((key("k", STR, u64((1 << 64) - 1)),)),
    "str_one_past": gguf((key("k", STR, u64(33) + b"x" * 32),), data=b"", align=1),
    "key_huge": gguf((u64(1 << 40) + b"k" * 64,)),
    "key_not_utf8": gguf((key(b"\xff\xfe", U8, b"\0"),)),
    "tensor_not_utf8": gguf(tensors=[tensor(b"t\x80", [8])]),
    # Types and nesting.
    "type_13": gguf((key("k", 13, b"\0" * 8),)),
    "type_big": gguf((key("k", 0xFFFFFFFF, b"\0" * 8),)),
    "arr_type_99": gguf((key("k", ARR, u32(99) + u64(1)),)),
    "nested_bomb": gguf((key("k", ARR, nested(2000)),)),
    "nested_count": gguf((key("k", ARR, u32(ARR) + u64(1 << 62)),)),
    "bool_2": gguf((key("k", BOOL, b"\2"),)),
    # Names.
    "key_twice": gguf((ARCHITECTURE, ARCHITECTURE)),
    "tensor_twice": gguf(tensors=[T, tensor("t", [8], offset=32)], data=b"\0" * 64),
    # Dimensions.
    "dim_zero": gguf(tensors=[tensor("t", [0])]),
    "dims_none": gguf(tensors=[tensor("t", [])]),
    "dims_five": gguf(tensors=[tensor("t", [2, 1, 1, 1, 1])]),
    "dims_2e32": gguf(tensors=[text("t") + u32(0xFFFFFFFF) + u64(1) * 4]),
    "dims_one_past": gguf(tensors=[tensor("t", [1152, (1 << 42) + 1])]),
    "dims_wrap": gguf(tensors=[tensor("t", [1 << 32, 1 << 32])]),
    "dims_65536": gguf(tensors=[tensor("t", [65536] * 4)]),
    "dims_sign": gguf(tensors=[tensor("t", [1 << 63])]),
    "dims_bytes_wrap": gguf(tensors=[tensor("t", [1 << 61, 2])]),
    "row_not_blocks": gguf(tensors=[tensor("t", [33], kind=2)]),
    "tensor_type_99": gguf(tensors=[tensor("t", [8], kind=99)]),
    # Extents.
    "off_past_eof": gguf(tensors=[tensor("t", [8], offset=1 << 24)]),
    "off_wrap": gguf(tensors=[tensor("t", [8], offset=-32)]),
    "off_unaligned": gguf(tensors=[tensor("t", [4], offset=8)]),
    "size_past_eof": gguf(tensors=[tensor("t", [9])]),
    "overlap": gguf(tensors=[T, tensor("u", [8])]),
    # Whole files.
    "empty": b"",
    "magic_only": b"GGUF",
    "magic_other": b"GGML" + gguf()[4:],
    "big_endian": struct.pack(">4sIQQ", b"GGUF", 3, 0, 0) + b"\0" * 32,
    "version_0": gguf(version=0),
    "version_1": gguf(version=1),
    "version_4": gguf(version=4),
    "zip": b"PK\3\4" + b"\0" * 60,
    "split_huge": gguf((ARCHITECTURE, key("split.count", U16, struct.pack("<H", 65535)))),
    "split_str": gguf((ARCHITECTURE, key("split.count", STR, text("2")))),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / f"{name}.gguf").write_bytes(data)
    print(f"{len(FILES)} files in {folder}")


if __name__ == "__main__":
    main()
