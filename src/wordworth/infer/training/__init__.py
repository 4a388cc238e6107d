"""Training and fine-tuning NLI models."""
