"""Model families with tiny random weights: vectors and guesses against one text, or one query, at a time."""

import copy
import dataclasses
import importlib.util
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from wordworth.contexts import Context, in_template
from wordworth.encode import encode, wrap
from wordworth.errors import WordworthError
from wordworth.whole_words import PredictionRules, predict_words, wrap_word_model
from wordworth.whole_words.chunks import windows

LINES = [
    "love laughter friend friends friendship kindness sunshine happiness happy unhappy unhappiness garden river storm",
    "knife hatred sickness poison sadness darkness murder word words pleasant unpleasant lovely loveless friendly old",
    "unfriendly",
]
WORDS = [word for line in LINES for word in line.split()]
TEMPLATES = ("WORD", "It is pleasant to think of WORD", "The WORD of my friends is old, and so are all other words.")
TOLERANCE = 1e-3
"""Largest difference in a vector, relative to its norm, that is rounding."""
TEXT_TOKENS = (30, 300)
POSITIONS = 512

_D = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
_P = {"max_position_embeddings": POSITIONS}
_ENCODER = _D | _P
_DECODER = _ENCODER | {"num_key_value_heads": 2}
_GPT = {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": POSITIONS}
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 3, "num_heads": 4}
_XLM = {"pad_index": 1, "emb_dim": 32, "n_layers": 3, "n_heads": 4, "max_position_embeddings": POSITIONS}
_MOE = _DECODER | {"moe_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2}
_BART = {
    "d_model": 32, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": POSITIONS,
}  # fmt: skip
_LONG = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0, 3.0, 4.0, 5.0]}
_LONG |= {"rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 128}

FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "GPT": ("openai-gpt", _GPT),
    "GPT-2": ("gpt2", _GPT),
    "GPT-Neo": ("gpt_neo", {"hidden_size": 32, "num_layers": 4, "num_heads": 4, "intermediate_size": 64}
                | {"attention_types": [[["global", "local"], 2]], "window_size": 256} | _P),
    "GPT-J": ("gptj", _GPT | {"rotary_dim": 4}),
    "GPT-NeoX (Pythia)": ("gpt_neox", _ENCODER),
    "CodeGen": ("codegen", _GPT | {"rotary_dim": 4, "n_ctx": POSITIONS}),
    "GPT-BigCode": ("gpt_bigcode", _GPT),
    "OPT": ("opt", _ENCODER | {"ffn_dim": 64, "word_embed_proj_dim": 32}),
    "BLOOM": ("bloom", {"hidden_size": 32, "n_layer": 3, "n_head": 4}),
    "MPT": ("mpt", {"d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": POSITIONS}),
    "Falcon": ("falcon", _ENCODER),
    "CTRL": ("ctrl", {"n_embd": 32, "n_layer": 3, "n_head": 4, "dff": 64, "n_positions": POSITIONS}),
    "XGLM": ("xglm", {"d_model": 32, "num_layers": 3, "attention_heads": 4, "ffn_dim": 64} | _P),
    "BioGPT": ("biogpt", _ENCODER),
    "Llama": ("llama", _DECODER),
    "Llama, long-rope": ("llama", _DECODER | {"rope_parameters": _LONG}),
    "Llama, dynamic rope": ("llama", _DECODER | {"max_position_embeddings": 128}
                            | {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}}),
    "Mistral": ("mistral", _DECODER | {"sliding_window": 128, "head_dim": 8}),
    "Mixtral": ("mixtral", _DECODER | {"num_local_experts": 4, "head_dim": 8}),
    "Qwen2": ("qwen2", _DECODER),
    "Qwen3": ("qwen3", _DECODER | {"head_dim": 8}),
    "Qwen3-MoE": ("qwen3_moe", _MOE | {"head_dim": 8}),
    "OLMo": ("olmo", _DECODER),
    "OLMo 2": ("olmo2", _DECODER),
    "Gemma": ("gemma", _DECODER | {"head_dim": 8}),
    "Gemma 2": ("gemma2", _DECODER | {"head_dim": 8, "sliding_window": 128}),
    "Gemma 3": ("gemma3_text", _DECODER | {"head_dim": 8, "sliding_window": 128}),
    "Phi": ("phi", _DECODER),
    "Phi-3": ("phi3", _DECODER),
    "StableLM": ("stablelm", _DECODER),
    "StarCoder 2": ("starcoder2", _DECODER),
    "Cohere": ("cohere", _DECODER),
    "Granite": ("granite", _DECODER),
    "SmolLM3": ("smollm3", _DECODER),
    "GPT-OSS": ("gpt_oss", _DECODER | {"num_local_experts": 4, "head_dim": 8, "sliding_window": 128}),
    "Mamba": ("mamba", {"hidden_size": 32, "num_hidden_layers": 3, "state_size": 8}),
    "RWKV": ("rwkv", {"hidden_size": 32, "num_hidden_layers": 3, "attention_hidden_size": 32}
             | {"context_length": POSITIONS}),
    "RecurrentGemma": ("recurrent_gemma", _DECODER | {"lru_width": 32, "attention_window_size": 128, "head_dim": 8}),
    "XLNet": ("xlnet", {"d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 64}),
    "BERT": ("bert", _ENCODER),
    "RoBERTa": ("roberta", _ENCODER),
    "XLM-RoBERTa": ("xlm-roberta", _ENCODER),
    "XLM": ("xlm", _XLM),
    "FlauBERT": ("flaubert", _XLM),
    "ALBERT": ("albert", _ENCODER | {"embedding_size": 16}),
    "DistilBERT": ("distilbert", {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 64} | _P),
    "ELECTRA": ("electra", _ENCODER | {"embedding_size": 16}),
    "MPNet": ("mpnet", _ENCODER),
    "DeBERTa": ("deberta", _ENCODER | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "DeBERTa-v2": ("deberta-v2", _ENCODER | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "MobileBERT": ("mobilebert", _ENCODER | {"embedding_size": 16, "true_hidden_size": 16}
                   | {"intra_bottleneck_size": 16}),
    "ConvBERT": ("convbert", _ENCODER | {"embedding_size": 16}),
    "FNet": ("fnet", _ENCODER),
    "Funnel": ("funnel", {"d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64, "block_sizes": [1, 1, 1]}),
    "Nyströmformer": ("nystromformer", _ENCODER),
    "YOSO": ("yoso", _ENCODER),
    "MRA": ("mra", _ENCODER),
    "BigBird": ("big_bird", _ENCODER | {"block_size": 8, "num_random_blocks": 2}),
    "Longformer": ("longformer", _ENCODER | {"attention_window": 16}),
    "Reformer": ("reformer", {"hidden_size": 32, "num_attention_heads": 4, "attention_head_size": 8}
                 | {"feed_forward_size": 64, "axial_pos_shape": [16, 32], "axial_pos_embds_dim": [16, 16]}
                 | {"is_decoder": False} | _P),
    "RemBERT": ("rembert", _ENCODER | {"input_embedding_size": 16, "output_embedding_size": 16}),
    "RoFormer": ("roformer", _ENCODER),
    "SqueezeBERT": ("squeezebert", _ENCODER | {"embedding_size": 32}),
    "I-BERT": ("ibert", _ENCODER),
    "Megatron-BERT": ("megatron-bert", _ENCODER),
    "ESM": ("esm", _ENCODER | {"pad_token_id": 1, "mask_token_id": 4}),
    "ModernBERT": ("modernbert", _ENCODER | {"local_attention": 64}),
    "LUKE": ("luke", _ENCODER | {"entity_emb_size": 16, "entity_vocab_size": 8}),
    "T5": ("t5", _T5),
    "mT5": ("mt5", _T5),
    "UMT5": ("umt5", _T5),
    "BART": ("bart", _BART),
    "mBART": ("mbart", _BART),
    "Pegasus": ("pegasus", _BART),
    "BigBird-Pegasus": ("bigbird_pegasus", _BART | {"block_size": 8, "num_random_blocks": 2}),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """How one family compares with the plain way."""

    vectors: float | None = None
    """Largest difference in a word's vector, relative to the vector's norm."""
    guesses: tuple[str, ...] = ()
    """Words whose guess, top-1, top-10 and probability agree, of those compared, per length of text."""
    note: str = ""

    @property
    def agrees(self) -> bool:
        return (0.0 if self.vectors is None else self.vectors) <= TOLERANCE and all(
            len(set(one.split("/"))) == 1 for one in self.guesses
        )


def make_tokenizer(*, masked: bool, max_length: int = POSITIONS) -> Any:
    """Train a byte-level tokenizer with a mask token; that of a masked model frames a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    tokenizer.train_from_iterator([make_text(400)], trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    if masked:
        ends = [("<s>", 0), ("</s>", 2)]
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", mask_token="<mask>", model_max_length=max_length
    )


def make_network(name: str, vocabulary: int) -> Any:
    """Build the family's network with its head; weights are large enough for the context to matter."""
    kind, sizes = FAMILIES[name]
    marks = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    config = transformers.AutoConfig.for_model(kind, vocab_size=vocabulary, **(marks | sizes))
    torch.manual_seed(0)
    networks: Any = transformers.AutoModel
    if type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING:
        networks = transformers.AutoModelForMaskedLM
    elif type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        networks = transformers.AutoModelForCausalLM
    network = (transformers.AutoModel if config.is_encoder_decoder else networks).from_config(config).eval()
    with torch.no_grad():
        for path, weight in network.named_parameters():
            if weight.dim() > 1 and "norm" not in path:
                weight.normal_(0, 0.2)
    return network


def make_text(words: int) -> str:
    """Return a text of random words of a few sentences."""
    some = [*WORDS, *" ".join(TEMPLATES).replace("WORD", "").split()]
    return " ".join(random.Random(0).choices(some, k=words))


def cut_text(tokenizer: Any, tokens: int) -> list[str]:
    """Return the words of a text of at most so many tokens."""
    words = make_text(tokens).split()
    while len(tokenizer(" ".join(words), add_special_tokens=False)["input_ids"]) > tokens:
        words.pop()
    return words


def compare_vectors(network: Any, tokenizer: Any, words: Sequence[str] = WORDS) -> float:
    """Return the largest difference between words encoded together and one text at a time, relative to the norm."""
    model = wrap(copy.deepcopy(network), tokenizer, name="it")
    tokens = min(TEXT_TOKENS[-1], model.max_length or POSITIONS) - 20
    long = f"{' '.join(cut_text(tokenizer, tokens))} WORD"
    contexts = [in_template(template, word) for template in (*TEMPLATES, long) for word in words]
    together = encode(model, contexts, ("last",))
    if together.failures:
        raise SystemExit(f"{together.failures[0].word} was not located")
    worst = 0.0
    for vectors, context in zip(together.vectors["last"], contexts, strict=True):
        alone = _encode_alone(copy.deepcopy(network), tokenizer, context)
        difference = np.linalg.norm(vectors - alone, axis=-1) / np.linalg.norm(alone, axis=-1)
        worst = float(np.maximum(worst, difference.max()))  # not a number stays so
    return worst


def _encode_alone(network: Any, tokenizer: Any, context: Context) -> Any:
    """Return layers × dim of the word's last token; the library's own pass over one text."""
    inputs = tokenizer(context.text, return_tensors="pt")
    inputs.pop("token_type_ids", None)
    last = inputs.char_to_token(context.end - 1)
    with torch.no_grad():
        states = network(**inputs, output_hidden_states=True).hidden_states
    return torch.stack([layer[0, last] for layer in states]).numpy()


def compare_guesses(network: Any, tokenizer: Any, tokens: int, every: int = 1) -> str:
    """Return how many words of a text of so many tokens are predicted as by the plain way, of how many."""
    plain_words = _load_plain_words()
    model = wrap_word_model(copy.deepcopy(network), tokenizer, name="it")
    masked = model.family == "masked"
    plain = plain_words.Plain(
        network,
        tokenizer,
        plain_words.unit_texts(tokenizer, network.config.vocab_size, plain_words.byte_level),
        before=(0,) if masked else (),
        behind=(tokenizer.mask_token_id, 2) if masked else (),
    )
    words = cut_text(tokenizer, tokens)
    starts = [0, *(len(plain.ids(words[:at])) for at in range(1, len(words)))]
    ids = plain.ids(words)
    rules = PredictionRules(punctuation="attached")
    with tempfile.TemporaryDirectory() as folder:
        table = predict_words(model, [" ".join(words)], rules, kept=Path(folder))
    agree = compared = 0
    plain = dataclasses.replace(plain, apart=False)
    for window in windows(starts, len(ids), *rules.sizes(model)):
        for at in range(max(1, window.first), window.last):
            if (len(words) - 1 - at) % every:
                continue
            row, end = table.row(at, named=True), starts[at + 1] if at + 1 < len(words) else len(ids)
            guess, hit1, hitk, logp, _ = plain.word(
                ids[window.begin : starts[at]], ids[starts[at] : end], words[at - 1]
            )
            same = (row["guess"], row["hit1"], row["hitk"]) == (guess, hit1, hitk)
            agree += same and abs(row["logp"] - logp) < TOLERANCE
            compared += 1
    return f"{agree}/{compared}"


@cache
def _load_plain_words() -> ModuleType:
    path = Path(__file__).parents[1] / "tests" / "whole_words" / "plain_words.py"
    spec = importlib.util.spec_from_file_location("plain_words", path)
    if spec is None or spec.loader is None:
        raise SystemExit("the plain way is not among the tests; run this in the project's folder")
    module = importlib.util.module_from_spec(spec)
    sys.modules["plain_words"] = module
    spec.loader.exec_module(module)
    return module


def compare_family(name: str) -> Comparison:
    """Compare one family with the plain way."""
    kind = transformers.CONFIG_MAPPING[FAMILIES[name][0]]
    seq2seq = kind in transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    masked = seq2seq or kind in transformers.MODEL_FOR_MASKED_LM_MAPPING
    tokenizer = make_tokenizer(masked=masked)
    network = make_network(name, len(tokenizer))
    base = network.get_encoder() if seq2seq else network.base_model
    vectors, guesses = None, list[str]()
    try:
        model = wrap(copy.deepcopy(base), tokenizer, name="it")
        vectors = compare_vectors(base, tokenizer)
        if not seq2seq:
            guesses = [compare_guesses(network, tokenizer, size, every=max(1, size // 30)) for size in TEXT_TOKENS]
    except WordworthError as error:
        return Comparison(vectors, tuple(guesses), f"refused: {error}")
    notes = [] if model.ignores_padding else ["run without padding"]
    if model.max_length is not None and model.max_length < POSITIONS - 2:
        notes.append(f"texts of at most {model.max_length} tokens")
    return Comparison(vectors, tuple(guesses), "; ".join(notes))


def families() -> bool:
    """Print the table of all families as Markdown; true where each agrees with the plain way or is refused."""
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    headings = ["family", "vectors", *(f"guesses, {tokens} tokens" for tokens in TEXT_TOKENS), "note"]
    print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    all_agree = True
    for name in FAMILIES:
        found = compare_family(name)
        vectors = "" if found.vectors is None else f"{found.vectors:.0e}"
        cells = [name, vectors, *(*found.guesses, "", "")[:2], found.note or ("" if found.agrees else "differs")]
        print(f"| {' | '.join(cells)} |", flush=True)
        all_agree &= found.agrees
    return all_agree
