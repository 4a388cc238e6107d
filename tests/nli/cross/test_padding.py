"""A pair's probabilities do not depend on the other pairs of its batch, whatever the network does with padding."""

import numpy as np
import torch
import transformers as hf
from benchmarks.families import FAMILIES, make_tokenizer

from wordworth.encode.heads import Headed
from wordworth.nli.cross_encoder import make_cross_encoder

LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}


def test_a_network_that_sees_padding_is_run_without() -> None:
    tokenizer = make_tokenizer(masked=True)
    torch.manual_seed(0)
    config = hf.MobileBertConfig(
        vocab_size=len(tokenizer), pad_token_id=1, id2label=LABELS, **FAMILIES["MobileBERT"][1]
    )
    network = hf.MobileBertForSequenceClassification(config).eval()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() > 1 and "norm" not in name:
                weight.normal_(0, 0.2)
    model = make_cross_encoder(Headed("tiny", "", network, tokenizer, 64))
    sentences = ["a friend", "my old friends think of a river", "words", "the storm"]
    pairs = np.array([[0, 1], [2, 3], [1, 0], [3, 3], [1, 1]])
    alone = np.concatenate([model.probabilities(sentences, pair[None]) for pair in pairs])
    np.testing.assert_allclose(model.probabilities(sentences, pairs), alone, atol=1e-5)
