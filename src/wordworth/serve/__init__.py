"""A local page over a folder of runs: it lists, filters, opens reports, compares two, and shows what is running."""

from wordworth.serve.server import make_server, serve
