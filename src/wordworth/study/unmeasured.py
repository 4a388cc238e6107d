"""What applies to a model and was not run, for a card that must say so."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from wordworth.errors import listed
from wordworth.study import STUDIES, study


def unmeasured(
    facts: Mapping[str, Any], done: Mapping[str, Mapping[str, Any]], measured: Collection[str] = ()
) -> Iterator[str]:
    """A sentence for each study of an audit that applies to a model and was not run, and for those of which a part was
    asked for. `facts` are what a manifest says of the model, `done` the settings of the studies that were run, and
    `measured` the experiments that have scores in any of them."""
    kind = facts.get("family") or ("static" if facts.get("words") else "")  # blank: it may be any
    for declared in filter(lambda one: one.audited, map(study, STUDIES)):
        if declared.name not in done:
            if not kind or kind in declared.kinds:
                yield f"The study {declared.name} was not run: {declared.summary.rstrip('.')}."
            continue
        field = next((one for one in declared.settings.fields() if one.name == "experiments"), None)
        asked = done[declared.name].get("experiments") or ()
        had = {*asked, *measured}
        left = [name for name in field.declared.choices if name not in had] if field and asked else []
        if left:
            yield f"Of the study {declared.name}, these were not asked for: {listed(left, 20)}."
