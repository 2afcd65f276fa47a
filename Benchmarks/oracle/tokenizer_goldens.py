#!/usr/bin/env python3
"""Write token ids of 2,000 texts by PyPI `tokenizers` and `sentencepiece` for the two models at hand.

    python3 -m pip install gguf tokenizers sentencepiece protobuf
    python3 Benchmarks/oracle/tokenizer_goldens.py [MODELS_FOLDER] [OUTPUT_FOLDER]

The reference tokenizers are built from the vocabularies in the GGUF files, since those files are all
there is without a network:

- SmolLM2: Hugging Face `tokenizers`, BPE over the file's tokens and merges behind the pre-tokenizers
  of its tokenizer.json: Digits(individual_digits=True), then ByteLevel(add_prefix_space=False).
- Gemma 3: `sentencepiece`, from a model proto with the file's pieces, scores and types, identity
  normalizer, no dummy prefix, whitespace kept, byte fallback: the settings of Google's
  tokenizer.model. The file spells user-defined runs of spaces with spaces; the proto needs U+2581.

Control tokens are not parsed. Output, one line a text: the text as JSON, a tab, the ids, apart by
spaces. sentencepiece reads U+0000 as the end of nothing but its Python wrapper passes it on, so
those texts are kept.
"""

import json
import os
import sys

import gguf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tokenizer_strings import texts  # noqa: E402


def field(reader, key):
    return reader.fields["tokenizer.ggml." + key].contents()


def smollm2(path):
    reader = gguf.GGUFReader(path)
    vocabulary = {token: index for index, token in enumerate(field(reader, "tokens"))}
    merges = [tuple(merge.split(" ", 1)) for merge in field(reader, "merges")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def gemma3(path):
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as pb

    reader = gguf.GGUFReader(path)
    proto = pb.ModelProto()
    kinds = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}
    scores, types = field(reader, "scores"), field(reader, "token_type")
    unknown = field(reader, "unknown_token_id")
    for index, token in enumerate(field(reader, "tokens")):
        kind = 2 if index == unknown else kinds[types[index]]
        piece = token.replace(" ", "\u2581") if kind == 4 else token
        proto.pieces.add(piece=piece, score=scores[index], type=kind)
    trainer = proto.trainer_spec
    trainer.model_type = pb.TrainerSpec.BPE
    trainer.byte_fallback = True
    trainer.vocab_size = len(proto.pieces)
    trainer.unk_id, trainer.bos_id, trainer.eos_id, trainer.pad_id = unknown, 2, 1, 0
    trainer.unk_piece, trainer.bos_piece = "<unk>", "<bos>"
    trainer.eos_piece, trainer.pad_piece = "<eos>", "<pad>"
    normalizer = proto.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = False
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    processor = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    return lambda text: processor.encode(text, out_type=int)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.expanduser(
        "~/.local/share/foundation-models/models")
    root = os.path.dirname(os.path.abspath(__file__))
    output = sys.argv[2] if len(sys.argv) > 2 else os.path.join(
        root, "../../Tests/FMRuntimeTests/Fixtures")
    for name, build, model in [
        ("tokenizer-smollm2.tsv", smollm2, "SmolLM2-135M-Instruct-Q4_1.gguf"),
        ("tokenizer-gemma3.tsv", gemma3, "gemma-3-270m-Q4_K_M.gguf"),
    ]:
        encode = build(os.path.join(folder, model))
        with open(os.path.join(output, name), "w", encoding="utf-8", newline="\n") as file:
            for text in texts():
                ids = " ".join(map(str, encode(text)))
                file.write(f"{json.dumps(text)}\t{ids}\n")
        print(name, os.path.getsize(os.path.join(output, name)))


main()
