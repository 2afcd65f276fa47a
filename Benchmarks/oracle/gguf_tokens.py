"""Turns text into token ids with the vocabulary of a GGUF file; adds no special tokens."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers


def byte_level(model):
    """SmolLM2's: digits one by one, then GPT-2's pattern, then byte-level BPE."""
    tokens = model.value("tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ")) for merge in model.value("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def sentence_pieces(model):
    """Gemma's: the pair whose merged piece has the best score is merged first, leftmost on ties."""
    scores = model.value("tokenizer.ggml.scores")
    ids = {token: i for i, token in enumerate(model.value("tokenizer.ggml.tokens"))}

    def encode(text):
        # Newlines never merge with letters, so lines can be merged apart; that keeps this fast.
        result, line = [], ""
        for character in text.replace(" ", "\u2581"):
            if line and (character == "\n") != (line[-1] == "\n"):
                result += merged(line)
                line = ""
            line += character
        return result + merged(line)

    def merged(line):
        parts = list(line)
        while True:
            best = None
            for i in range(len(parts) - 1):
                found = ids.get(parts[i] + parts[i + 1])
                if found is not None and (best is None or scores[found] > scores[best[1]]):
                    best = (i, found)
            if best is None:
                break
            parts[best[0]:best[0] + 2] = [parts[best[0]] + parts[best[0] + 1]]
        result = []
        for part in parts:
            known = ids.get(part)
            result += [known] if known is not None else [ids[f"<0x{b:02X}>"] for b in part.encode()]
        return result

    return encode


def encoder(model):
    kind = model.value("tokenizer.ggml.model")
    return {"gpt2": byte_level, "llama": sentence_pieces}[kind](model)
