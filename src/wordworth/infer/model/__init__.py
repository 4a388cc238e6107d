"""NLI models: networks over word vectors, over ELMo, and cross-encoders."""
