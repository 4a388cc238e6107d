"""Sentence encoders: one vector a text, and none of a token. A word's vector is that of the text it stands in."""
