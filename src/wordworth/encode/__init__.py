"""Sentences become word vectors. Importing this room loads torch and transformers, so import it where it is used."""

from wordworth.errors import require

require("language models")

from wordworth.encode.aggregation import Aggregate, Aggregating, aggregate
from wordworth.encode.encoding import WordVectors, checked_layers, encode, encode_shards
from wordworth.encode.layers import Aggregates, InContexts, in_contexts, over_sentences
from wordworth.encode.loading import load_model
from wordworth.encode.model import LanguageModel, is_sentence_encoder, wrap
from wordworth.encode.named import load_named
from wordworth.encode.pooling import CONTEXT, POOLINGS, POOLINGS_OF_BOTH, SUBWORD, Pooling, pool, split_pooling
from wordworth.encode.spans import Failure, token_counts
from wordworth.encode.store import VectorStore, encode_to_store
from wordworth.encode.tokens import as_read
from wordworth.encode.units import SubwordStates
