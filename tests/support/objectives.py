"""What a synthesiser is given of small tables: outputs as printed from them, with their marginals granted."""

from __future__ import annotations

from divulge.objective import Objective, Target
from divulge.objective.knowledge import granted
from divulge.outputs import Output
from divulge.table import Table


def objective_of(table: Table, *outputs: Output) -> Objective:
    targets = tuple(Target(o, o.publish(o.evaluate(table), table.schema)) for o in outputs)
    counts = {name: table.frequencies(name).astype(float) for name in table.names}
    knowledge = granted(table.schema, targets, "marginals", counts)
    return Objective(table.schema, targets, knowledge.marginals, knowledge.known, table.n_rows)
