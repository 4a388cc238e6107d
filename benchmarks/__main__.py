"""`python -m benchmarks [NAME…]`: runs the benchmarks named, or all, and prints a table."""

import sys
from collections.abc import Callable

from benchmarks import (
    cross_encoder,
    encode,
    end_to_end,
    infer,
    loading,
    measures,
    memory,
    predict,
    report,
    scale,
    static,
)
from benchmarks.common import Result, print_machine, print_results

BENCHMARKS: dict[str, Callable[[], Result | list[Result]]] = {
    "valence": measures.valence_effect_sizes,
    "p-values": measures.permutation_p_values,
    "exact-p": measures.exact_weat_p,
    "analogies": loading.glove_analogies,
    "load": loading.second_load,
    "encode": encode.smollm2,
    "cross-encoder": cross_encoder.cross_encoder,
    "aggregation": static.against_the_bare_network,
    "aggregation-loop": static.against_dictionaries,
    "aggregation-memory": static.memory,
    "loading-memory": memory.loading,
    "items-memory": memory.items,
    "sampling-memory": memory.sampling,
    "report": report.opening,
    "words": predict.words,
    "words-memory": predict.memory,
    "infer": infer.pair_by_pair,
    "infer-probes": infer.whole_probes,
    "scale": scale.scale,
    "end-to-end": end_to_end.end_to_end,
}


def main() -> int:
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    print_machine()
    results: list[Result] = []
    for name in names:
        found = BENCHMARKS[name]()
        results += found if isinstance(found, list) else [found]
    return 0 if print_results(results) else 1


if __name__ == "__main__":
    sys.exit(main())
