"""Writer of a language model with a few thousand random weights: `python tiny_model.py FILE.gguf`.

A llama of one layer that reads and writes single bytes. Its replies are noise, but a server treats
it like any other model. Needs the package `gguf`, which only `make integration` installs.
"""

from __future__ import annotations

import sys

import numpy as np
from gguf import GGUFWriter, TokenType

WIDTH = 32
HEADS = 2
HIDDEN = 64
CONTEXT = 16384
SEED = 20260101
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "assistant: "
)


def vocabulary():
    """Yield three control tokens, every byte, and every printable character."""
    yield "<unk>", TokenType.UNKNOWN
    yield "<s>", TokenType.CONTROL
    yield "</s>", TokenType.CONTROL
    for byte in range(256):
        yield f"<0x{byte:02X}>", TokenType.BYTE
    for code in range(33, 127):
        yield chr(code), TokenType.NORMAL
    yield "\u2581", TokenType.NORMAL  # a space in this kind of tokenizer


def tensors(words):
    """Yield the weights by name; end-of-text is as likely as any other token."""
    draw = np.random.default_rng(SEED)

    def weights(*shape):
        return draw.normal(0.0, 0.3, shape).astype(np.float32)

    yield "token_embd.weight", weights(words, WIDTH)
    yield "output.weight", weights(words, WIDTH)
    for norm in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        yield f"{norm}.weight", np.ones(WIDTH, dtype=np.float32)
    for part in ("q", "k", "v", "output"):
        yield f"blk.0.attn_{part}.weight", weights(WIDTH, WIDTH)
    for part in ("gate", "up"):
        yield f"blk.0.ffn_{part}.weight", weights(HIDDEN, WIDTH)
    yield "blk.0.ffn_down.weight", weights(WIDTH, HIDDEN)


def write(path):
    """Write the model as a file."""
    words, kinds = zip(*vocabulary(), strict=True)
    writer = GGUFWriter(path, "llama")
    writer.add_name("noise")
    writer.add_vocab_size(len(words))
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(list(words))
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types(list(kinds))
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)
    for name, tensor in tensors(len(words)):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


write(sys.argv[1])
