"""The default synthesiser: one dataset, one-cell changes kept when the discrepancy falls; then arithmetic.

Outputs are never refitted inside the search; totals move by a few additions. The run itself is in `search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from divulge.errors import EmbedError
from divulge.kernels.randomness import stream
from divulge.objective.embedding import Embedding, Outcome
from divulge.objective.log import Listener, Log
from divulge.objective.objective import Objective
from divulge.objective.reproduction import Enough
from divulge.settings import Range, check_settings
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.search import Search
from divulge.synthesisers.descent.start import Start, start_codes


@dataclass(frozen=True, kw_only=True)
class Descent:
    """One dataset, mutations kept when the discrepancy falls."""

    kind: ClassVar[str] = "descent"

    start: Annotated[Start, "Where to start: uniform, univariate (the granted marginals), or model."] = "univariate"
    keep: Annotated[Literal["univariate"] | None, "Keep the granted marginals exactly: only swaps are made."] = None
    seconds: Annotated[
        float, "The longest that one run may take, looked at between steps of a second or so.", Range(above=0)
    ] = 600.0
    mae: Annotated[
        float | None, "Stop already at this mean absolute error of every output; absent: as printed.", Range(least=0)
    ] = None

    def __post_init__(self) -> None:
        check_settings(self)

    def embed(
        self,
        objective: Objective,
        n_rows: int,
        seed: int,
        *,
        run: int = 0,
        listener: Listener | None = None,
        snapshots: int = 0,
        enough: Enough | None = None,
    ) -> Embedding:
        """Microdata of n rows that reproduces the objective's outputs, as far as the outcome says."""
        if objective.n_lowered_targets != len(objective.targets):
            names = ", ".join(t.output.kind for t in objective.targets if not t.output.can_lower)
            raise EmbedError(
                f"outputs of kind {names} cannot be lowered, which descent needs.",
                where="synthesiser.kind",
                hint="Use the evolutionary synthesiser, which evaluates them (slowly).",
            )
        log = Log(listener, snapshots)
        key = (seed, run, 0)
        start = start_codes(objective, n_rows, self.start, self.keep is not None, key)
        search = Search(Candidate(self, objective, start, stream(seed, run, 1), log, enough))
        del start  # memory for the evaluation at the end
        try:
            return search.finish(search.run())
        except KeyboardInterrupt:
            # Totals may lag behind codes here; the exact evaluation in finish looks at the codes alone.
            return search.finish(Outcome.INTERRUPTED)
