"""Predict whole words with causal and masked language models (Dudy & Bedrick 2020). Importing this room loads torch and
transformers, so import it where it is used."""

from wordworth.errors import require

require("language models")

from wordworth.whole_words.completion import Completion, complete
from wordworth.whole_words.model import WordModel, load_word_model, wrap_word_model
from wordworth.whole_words.pipeline import PREDICTIONS
from wordworth.whole_words.predict import predict_words, scan_words
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.surprisal import surprisal
