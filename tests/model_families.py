"""Every family of models that transformers has, with tiny random weights, against one plain pass per text.

`PYTHONPATH=. python tests/model_families.py` prints the table of docs/families.md, from files in three precisions.
"""

import inspect
import math
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as hf
from tokenizers import processors
from truth.plain_words import Plain, byte_level, unit_texts

from made_models import SPECIAL, train_bytes
from wordworth.contexts import Context, in_template
from wordworth.encode import LanguageModel, encode, load_model
from wordworth.encode.heads import load_with_head
from wordworth.errors import WordworthError
from wordworth.nli.cross_encoder import CrossEncoder, make_cross_encoder
from wordworth.nli.nli import LABELS
from wordworth.whole_words import PredictionRules, WordModel, load_word_model, predict_words

WORDS = """love laughter friend friends friendship kindness sunshine happiness happy unhappy unhappiness garden river
storm knife hatred sickness poison sadness darkness murder word words pleasant unpleasant lovely loveless friendly old
unfriendly""".split()  # noqa: SIM905
TEMPLATES = ("WORD", "It is pleasant to think of WORD", "The WORD of my friends is old, and so are all other words.")
LINES = ("the old garden of friends", "It is unpleasant")
VECTOR_TOLERANCE = 1e-3
"""Largest difference in a vector, relative to its norm, that is rounding."""
LOGP_TOLERANCE = 1e-4
POSITIONS = 512
MAX_PARAMETERS = 2_000_000
"""A family whose sizes are not in the table would be built in full."""

SIZES: dict[str, Any] = {
    "attention_heads": 4, "d_ff": 64, "d_inner": 64, "d_kv": 8, "d_model": 32, "decoder_attention_heads": 4,
    "decoder_ffn_dim": 64, "decoder_layers": 2, "depth": 2, "dff": 64, "dim": 32, "emb_dim": 32, "embed_dim": 32,
    "embedding_size": 16, "encoder_attention_heads": 4, "encoder_ffn_dim": 64, "encoder_layers": 2, "ffn_dim": 64,
    "global_head_dim": 8, "head_dim": 8, "hidden_dim": 64, "hidden_size": 32, "hidden_size_per_layer_input": 8,
    "image_size": 16, "intermediate_size": 64, "kv_lora_rank": 16, "linear_key_head_dim": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_value_head_dim": 8, "mamba_d_head": 8,
    "mamba_n_heads": 8, "max_position_embeddings": POSITIONS, "max_seq_len": POSITIONS, "moe_intermediate_size": 32,
    "moe_top_k": 2, "n_embd": 32, "n_group": 1, "n_head": 4, "n_heads": 4, "n_layer": 2, "n_layers": 2,
    "n_positions": POSITIONS, "n_routed_experts": 4, "num_attention_heads": 4, "num_experts": 4,
    "num_experts_per_tok": 2, "num_global_key_value_heads": 2, "num_heads": 4, "num_hidden_layers": 2,
    "num_key_value_heads": 2, "num_layers": 2, "num_local_experts": 4, "out_hidden_size": 32, "patch_size": 8,
    "projection_dim": 32, "projector_input_dim": 32, "projector_output_dim": 32, "q_lora_rank": 16,
    "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "rotary_dim": 4, "shared_expert_intermediate_size": 32,
    "sliding_window": 128, "state_size": 8, "top_k": 2, "topk_group": 1, "v_head_dim": 8, "vision_output_dim": 32,
    "vocab_size_per_layer_input": 330, "word_embed_proj_dim": 32,
}  # fmt: skip
"""What a configuration takes of these, in itself and in its parts, makes it tiny."""

_LATENT = {"num_key_value_heads": 4}
_LINEAR = {"layer_types": ["linear_attention", "full_attention"]}
_CONV = {"layer_types": ["conv", "full_attention"]}
_C2P = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
_LONG = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0, 3.0, 4.0, 5.0]}
_LONG |= {"rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 128}
_DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}

PLAIN_FAMILIES = """
openai-gpt gpt2 gptj gpt_neox gpt_neox_japanese codegen gpt_bigcode opt bloom mpt falcon ctrl xglm biogpt llama
mistral ministral3 mixtral qwen2 qwen2_moe qwen3 qwen3_moe olmo olmo2 olmo3 olmoe flex_olmo gemma gemma2 gemma3_text
gemma4_text vaultgemma phi phi3 phimoe stablelm starcoder2 cohere cohere2 granite granitemoe granitemoeshared smollm3
gpt_oss minimax minimax_m2 mamba falcon_mamba nemotron xlnet persimmon glm glm4 glm4_moe exaone4 ernie4_5 ernie4_5_moe
helium hunyuan_v1_dense hunyuan_v1_moe seed_oss solar_open apertus arcee afmoe bitnet cwm diffllama doge jetmoe lfm2
llama4_text mimo_v2_flash nanochat trocr bert roberta camembert xlm-roberta xlm-roberta-xl roberta-prelayernorm
data2vec-text ernie xlm flaubert albert distilbert electra mpnet convbert fnet nystromformer yoso mra roformer ibert
megatron-bert nomic_bert eurobert jina_embeddings_v3 gte layoutlm tapas t5 mt5 umt5 longt5 switch_transformers bart
mbart pegasus blenderbot m2m_100 marian plbart gemma3 gemma4 llava llava_next paligemma aya_vision idefics3 smolvlm
internvl mistral3 mllama qwen3_vl qwen3_5 llama4 fuyu
""".split()  # noqa: SIM905

FAMILIES: dict[str, dict[str, Any]] = {name: {} for name in PLAIN_FAMILIES} | {
    "bamba": {"attn_layer_indices": [1], "mamba_chunk_size": 8},
    "bert-generation": {"is_decoder": True},
    "big_bird": {"block_size": 8, "num_random_blocks": 2},
    "bigbird_pegasus": {"block_size": 8, "num_random_blocks": 2},
    "deberta": _C2P,
    "deberta-v2": _C2P,
    "deepseek_v2": _LATENT,
    "deepseek_v3": _LATENT,
    "deepseek_v32": _LATENT,
    "dots1": {"n_shared_experts": 1},
    "esm": {"mask_token_id": 4, "emb_layer_norm_before": False},
    "falcon_h1": {"mamba_n_heads": 8, "mamba_d_ssm": 64, "mamba_chunk_size": 8},
    "funnel": {"block_sizes": [1, 1], "d_head": 8},
    "gemma3n_text": {"num_kv_shared_layers": 0, "laurel_rank": 8, "activation_sparsity_pattern": [0.0, 0.0]}
    | {"layer_types": ["sliding_attention", "full_attention"], "altup_num_inputs": 2},
    "glm4_moe_lite": _LATENT,
    "glm_moe_dsa": _LATENT,
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "window_size": 256},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"], "mamba_chunk_size": 8},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "mamba_dt_rank": 4},
    "lfm2_moe": _CONV,
    "llama, long-rope": {"rope_parameters": _LONG},
    "llama, dynamic rope": {"max_position_embeddings": 128, "rope_parameters": _DYNAMIC},
    "longformer": {"attention_window": 16},
    "luke": {"entity_vocab_size": 8},
    "mamba2": {"num_heads": 8, "n_groups": 1, "chunk_size": 8},
    "minicpm3": _LATENT,
    "mobilebert": {"true_hidden_size": 16, "intra_bottleneck_size": 16},
    "modernbert": {"local_attention": 64},
    "modernbert-decoder": {"local_attention": 64},
    "nemotron_h": {"layer_types": ["mamba", "attention"], "mamba_num_heads": 8, "mamba_head_dim": 8, "chunk_size": 8},
    "opt, 350m": {"word_embed_proj_dim": 16},
    "qwen3_5_text": _LINEAR,
    "qwen3_5_moe_text": _LINEAR,
    "qwen3_next": _LINEAR,
    "recurrent_gemma": {"num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 128},
    "reformer": {"attention_head_size": 8, "feed_forward_size": 64, "axial_pos_shape": [16, 32], "is_decoder": False}
    | {"axial_pos_embds_dim": [16, 16], "attn_layers": ["local", "lsh"]},
    "rembert": {"input_embedding_size": 16, "output_embedding_size": 16},
    "roc_bert": {"pronunciation_embed_dim": 16, "shape_embed_dim": 16, "pronunciation_vocab_size": 400}
    | {"shape_vocab_size": 400},
    "rwkv": {"attention_hidden_size": 32, "context_length": POSITIONS},
    "squeezebert": {"embedding_size": 32},
    "xlstm": {"num_heads": 2, "hidden_size": 64, "embedding_dim": 64, "qk_dim_factor": 1.0},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "youtu": _LATENT,
    "zamba": {"num_hidden_layers": 3, "layer_types": ["mamba", "hybrid", "hybrid"], "mamba_n_heads": 2},
    "zamba2": {"layer_types": ["mamba", "hybrid"], "layers_block_type": ["mamba", "hybrid"], "n_mamba_heads": 8}
    | {"mamba_headdim": 8, "chunk_size": 8},
}


@cache
def make_tokenizer(*, masked: bool, max_length: int = POSITIONS) -> Any:
    """Train a byte-level tokenizer with a mask token; that of a masked model frames a text."""
    tokenizer = train_bytes([make_text(400)], 330, [*SPECIAL, "<mask>"])
    if masked:
        ends = [("<s>", 0), ("</s>", 2)]
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=ends
        )
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", mask_token="<mask>", model_max_length=max_length
    )


def make_text(words: int) -> str:
    """Return a text of random words of a few sentences."""
    some = [*WORDS, *" ".join(TEMPLATES).replace("WORD", "").split()]
    return " ".join(random.Random(0).choices(some, k=words))


def make_config(kind: Any, vocabulary: int, **own: Any) -> Any:
    """Return a tiny configuration of a kind of models, and of all its parts."""
    accepted = inspect.signature(kind.__init__).parameters
    sizes = {name: size for name, size in SIZES.items() if name in accepted and name not in own}
    marks = {"vocab_size": vocabulary, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    if kind.model_type in hf.models.auto.modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
        marks |= {"decoder_start_token_id": 0}
    parts = {name: getattr(kind(), name, None) for name in kind.sub_configs}
    made = {name: make_config(type(part), vocabulary).to_dict() for name, part in parts.items() if part is not None}
    own = FAMILIES.get(kind.model_type, {}) | own
    return kind(**(marks | sizes | made | own))


def make_network(name: str, vocabulary: int, head: Any = None, **own: Any) -> Any:
    """Build the family's network with its head for words; weights are large enough for the context to matter."""
    config = make_config(hf.CONFIG_MAPPING[name.partition(",")[0]], vocabulary, **FAMILIES[name] | own)
    head = head or head_of(config)
    with torch.device("meta"):
        assert sum(one.numel() for one in head.from_config(config).parameters()) < MAX_PARAMETERS, name
    torch.manual_seed(0)
    network = head.from_config(config).eval()
    with torch.no_grad():
        for path, weight in network.named_parameters():
            if weight.dim() > 1 and "norm" not in path:
                weight.normal_(0, 0.2)
    return network


def head_of(config: Any) -> Any:
    """Return the library's class for the family's words: masked, causal or of a text next to images; else without."""
    heads = (
        (hf.AutoModelForSeq2SeqLM, hf.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING),
        (hf.AutoModelForMaskedLM, hf.MODEL_FOR_MASKED_LM_MAPPING),
        (hf.AutoModelForImageTextToText, hf.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING),
        (hf.AutoModelForCausalLM, hf.MODEL_FOR_CAUSAL_LM_MAPPING),
    )
    return next((head for head, mapping in heads if type(config) in mapping), hf.AutoModel)


def is_masked(name: str) -> bool:
    kind = hf.CONFIG_MAPPING[name.partition(",")[0]]
    mappings = (hf.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, hf.MODEL_FOR_MASKED_LM_MAPPING)
    return any(kind in mapping for mapping in mappings)


def compare_vectors(
    model: LanguageModel, words: Sequence[str] = WORDS[:4], templates: Sequence[str] = TEMPLATES
) -> float:
    """Return the largest difference between words encoded together and one text at a time, relative to the norm."""
    contexts = [in_template(template, word) for template in templates for word in words]
    together = encode(model, contexts, ("last",))
    assert not together.failures
    worst = 0.0
    for vectors, context in zip(together.vectors["last"], contexts, strict=True):
        alone = _encode_alone(model, context)
        difference = np.linalg.norm(vectors - alone, axis=-1) / np.linalg.norm(alone, axis=-1)
        worst = float(np.maximum(worst, difference.max()))  # not a number stays so
    return worst


def _encode_alone(model: LanguageModel, context: Context) -> Any:
    """Return layers × dim of the word's last token; the library's own pass over one text."""
    inputs = model.tokenizer(context.text, return_tensors="pt")
    inputs.pop("token_type_ids", None)
    last = inputs.char_to_token(context.end - 1)
    with torch.no_grad():
        states = model.network(**inputs, output_hidden_states=True).hidden_states
    return torch.stack([layer[0, last].float() for layer in states]).numpy()


def compare_words(model: WordModel, network: Any, lines: Sequence[str] = LINES, every: int = 2) -> float:
    """Return the largest difference in ln P of a word from a plain loop with a query of the whole network per step.

    Where a guess or a hit differs, it is not a number. Of each line the last word is compared, and every so many
    before it.
    """
    tokenizer, is_framed = model.tokenizer, model.family == "masked"
    plain = Plain(
        network, tokenizer, unit_texts(tokenizer, model.reader.width, byte_level), k=5, apart=False,
        before=(0,) if is_framed else (), behind=(tokenizer.mask_token_id, 2) if is_framed else (),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        table = predict_words(model, lines, PredictionRules(k=5, punctuation="attached"), kept=Path(folder))
    worst = 0.0
    for number, line in enumerate(lines):
        words = line.split()
        ids = plain.ids(words)
        starts = [0, *(len(plain.ids(words[:at])) for at in range(1, len(words) + 1))]
        for at in range(len(words) - 1, 0, -every):
            own = ids[starts[at] : starts[at + 1]]
            guess, hit1, hitk, logp, _ = plain.word(ids[: starts[at]], own, words[at - 1])
            (row,) = table.filter(line=number, at=at).iter_rows(named=True)
            is_same = (row["guess"], row["hit1"], row["hitk"]) == (guess, hit1, hitk)
            worst = float(np.maximum(worst, abs(row["logp"] - logp) if is_same else math.nan))
    return worst


def compare_pairs(model: CrossEncoder) -> float:
    """Return the largest difference in a probability between pairs that go together and each by itself."""
    sentences = ["a friend", "my old friends think of a river", "words"]
    pairs = np.array([[0, 1], [1, 2], [2, 2]])
    alone = np.concatenate([model.probabilities(sentences, pair[None]) for pair in pairs])
    return float(np.abs(model.probabilities(sentences, pairs) - alone).max())


def write_family(name: str, folder: Path) -> None:
    """Write a family's network with its head for words, and where there is one, another with three labels."""
    tokenizer = make_tokenizer(masked=is_masked(name))
    heads: dict[str, tuple[Any, dict[str, Any]]] = {"words": (None, {})}
    if hf.CONFIG_MAPPING[name.partition(",")[0]] in hf.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING:
        labels = {"id2label": dict(enumerate(LABELS)), "label2id": {label: at for at, label in enumerate(LABELS)}}
        heads["pairs"] = hf.AutoModelForSequenceClassification, labels
    for kind, (head, own) in heads.items():
        make_network(name, len(tokenizer), head, **own).save_pretrained(folder / kind)
        tokenizer.save_pretrained(folder / kind)


def try_family(name: str, folder: Path, dtype: str) -> dict[str, str]:
    """Return what comes of vectors, words and NLI, from files: how far off, or why a part is refused.

    In half precision, that the numbers are finite is all that is tried.
    """

    def try_vectors() -> float:
        return compare_vectors(load_model(folder / "words", dtype=dtype))

    def try_words() -> float:
        model = load_word_model(folder / "words", dtype=dtype)
        network: Any = model.reader.logits.network
        return compare_words(model, type(network).from_pretrained(folder / "words").eval(), LINES[:1])

    def try_pairs() -> float:
        headed = load_with_head(hf.AutoModelForSequenceClassification, folder / "pairs", dtype=dtype)
        return compare_pairs(make_cross_encoder(headed))

    parts: dict[str, Callable[[], float]] = {"vectors": try_vectors, "words": try_words}
    if (folder / "pairs").exists():
        parts["NLI"] = try_pairs
    outcomes = {}
    for part, run in parts.items():
        try:
            worst = run()
            limit = LOGP_TOLERANCE if part == "words" else VECTOR_TOLERANCE
            is_right = worst <= limit if dtype == "float32" else not (part == "vectors" and math.isnan(worst))
            outcomes[part] = "yes" if is_right else f"differs by {worst:.0e}"
        except WordworthError as error:
            outcomes[part] = str(error).replace(str(folder), "")
    return outcomes


def main() -> None:
    """Print the table of all families as Markdown, a row per kind of outcome; then what works, and how often."""
    hf.logging.set_verbosity_error()
    hf.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    dtypes, parts = ("float32", "bfloat16", "float16"), ("vectors", "words", "NLI")
    reasons: dict[str, int] = {}
    rows: dict[tuple[str, ...], list[str]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for name in sys.argv[1:] or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            write_family(name, Path(folder))
            outcomes = {dtype: try_family(name, Path(folder), dtype) for dtype in dtypes}
        cells = []
        for part in parts:
            for dtype in dtypes:
                cell = state = outcomes[dtype].get(part, "–")
                if " " in cell and not cell.startswith("differs"):
                    sentence = re.sub(r" ?\(.*\)", "", cell.replace("/words", "it")).replace(dtype, "this precision")
                    cell, state = f"({reasons.setdefault(sentence, len(reasons) + 1)})", "refused"
                counts[part, dtype, state] += 1
                cells.append(cell)
        rows.setdefault(tuple(cells), []).append(name)
        print(name, *cells, file=sys.stderr, flush=True)
    print("| families | " + " | ".join(f"{part}, {dtype}" for part in parts for dtype in dtypes) + " |")
    print("|---|" + "---|" * len(dtypes) * len(parts))
    for row, names in sorted(rows.items(), key=lambda row: -len(row[1])):
        print(f"| {', '.join(names)} | {' | '.join(row)} |")
    print("\n" + "\n".join(f"{number}. {reason}" for reason, number in reasons.items()))
    print("\n" + "\n".join(f"{' '.join(key)}: {count}" for key, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
