"""Whole-word prediction by causal and masked language models (Dudy & Bedrick 2020). Importing this room loads torch and
transformers, so import it where it is used."""

from wordworth.predict.completion import Completion, complete
from wordworth.predict.model import WordModel, load_word_model, wrap_word_model
from wordworth.predict.predict import predict_words, scan_words, surprisal
from wordworth.predict.predictions import PREDICTIONS
from wordworth.predict.search import Boundary, PredictionRules
