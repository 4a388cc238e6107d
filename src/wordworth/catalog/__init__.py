"""What can be named: models, lexica, word sets, association tests, pairs, analogies, corpora, templates."""
