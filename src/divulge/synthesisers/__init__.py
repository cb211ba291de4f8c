"""ROOM. Ways to make microdata that reproduces outputs, one per file; none of them is given original data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from divulge.errors import EmbedError, suggest
from divulge.synthesisers.descent.descent import Descent
from divulge.synthesisers.evolutionary.evolutionary import Evolutionary
from divulge.synthesisers.synthesiser import Synthesiser, embed_runs

SYNTHESISERS = (Descent, Evolutionary)
"""Every synthesiser; the first is the default."""


def synthesiser_of(kind: str | None = None, settings: Mapping[str, Any] | None = None) -> Synthesiser:
    """The synthesiser that a spec names, with its settings; an error that names the field where one is wrong."""
    known: dict[str, type[Any]] = {s.kind: s for s in SYNTHESISERS}
    chosen = known.get(kind or SYNTHESISERS[0].kind)
    if chosen is None:
        raise EmbedError(
            f"there is no synthesiser {kind!r}.",
            where="synthesiser.kind",
            hint=suggest(str(kind), known) or f"There are: {', '.join(known)}.",
        )
    names = [f.name for f in fields(chosen)]
    for name in settings or {}:
        if name not in names:
            raise EmbedError(
                f"{chosen.kind} has no setting {name!r}.",
                where=f"synthesiser.{name}",
                hint=suggest(name, names) or f"Its settings are: {', '.join(names)}.",
            )
    try:
        made: Synthesiser = chosen(**dict(settings or {}))
    except EmbedError as error:
        error.where = f"synthesiser.{error.where}" if error.where else "synthesiser"
        raise
    except (TypeError, ValueError):
        raise EmbedError(f"the settings of {chosen.kind} cannot be read.", where="synthesiser") from None
    return made


__all__ = ["SYNTHESISERS", "Descent", "Evolutionary", "Synthesiser", "embed_runs", "synthesiser_of"]
