"""Whole-word prediction by causal and masked language models (Dudy & Bedrick 2020)."""
