"""An output computed from data: its figures, what was released of it, and whether the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Mask
from divulge.outputs.figures import Figures, Status
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Computed:
    """figures: from the data. released: as given, or as they would be published (then agrees is None)."""

    output: Output
    figures: Figures
    released: Released
    agrees: Mask | None

    def as_json(self) -> dict[str, Any]:
        """As `divulge compute --json` prints it. `value` is exact, `published` as it would be printed."""
        shown = []
        for i, label in enumerate(self.figures.labels):
            figure: dict[str, Any] = {"label": label, "value": self.figures.values[i]}
            if self.figures.texts is not None and self.figures.texts[i] is not None:
                figure["text"] = self.figures.texts[i]
            if self.figures.se is not None:
                figure["se"] = self.figures.se[i]
            if self.agrees is None:
                figure["published"] = self.released.values[i]
            else:
                figure["released"] = self.released.values[i]
                if self.released.se is not None:
                    figure["released_se"] = self.released.se[i]
                figure["agrees"] = bool(self.agrees[i])
            shown.append(figure)
        return {
            "kind": self.output.kind,
            "name": self.output.name,
            "description": self.output.describe(),
            "statbarn": str(self.output.statbarn),
            "status": str(self.figures.status),
            "precision": self.released.precision.describe(),
            "figures": shown,
        }


def compute(output: Output, table: Table, released: Released | None = None) -> Computed:
    """The output's figures from data, beside what was released. Groups without rows are an error where it says so."""
    if released is not None:
        output = output.as_released(released, table)
    figures = output.evaluate(table)
    _check_rows(output, figures)
    if released is None:
        return Computed(output, figures, output.publish(figures, table.schema), None)
    agrees = released.agrees(figures.values)
    if figures.se is not None:
        agrees = agrees & released.agrees_se(figures.se)
    return Computed(output, figures, released, agrees)


def _check_rows(output: Output, figures: Figures) -> None:
    """Raise where no row is left, or where groups have none and the output does not allow that."""
    fields = vars(output)
    if figures.status is Status.EMPTY:
        raise OutputError(
            "no row is left to compute it from.",
            where="where" if output.where is not None else None,
            hint="Is the condition too narrow, or is a variable missing in every row?",
        )
    if figures.status is Status.EMPTY_GROUP and output.empty == "refuse":
        withheld = set(output.suppressed)
        undefined = [
            label
            for label, value in zip(figures.labels, figures.values, strict=True)
            if np.isnan(value) and label not in withheld
        ]
        if undefined:
            raise OutputError(
                f"{len(undefined):,} of {len(figures.labels):,} figures are undefined: their groups have no rows.",
                where="by" if fields.get("by") else "variables" if "variables" in fields else None,
                hint="Take the groups out with where, or say empty: allow.",
            )
