"""What is taken as known of the data beside all outputs: how often each value of each variable occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from divulge.audit.report import Audited, Proved, Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.outputs import Output, Released
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.rules import Severity
from divulge.table import Table

RULE = "granted marginals"


def marginals_of(outputs: Sequence[Output], table: Table) -> tuple[tuple[str, Output, Released], ...]:
    """How often each value of each variable of the outputs occurs, as if it had been released before."""
    found = []
    for name in dict.fromkeys(n for output in outputs for n in output.own_variables()):
        one = Frequencies(variables=(name,), compute=True)
        found.append((f"how often {name} occurs", one, one.publish(one.evaluate(table), table.schema)))
    return tuple(found)


def beside_marginals(audited: Audited, given: Submission, settings: AuditSettings) -> Audited:
    """The same, with a remark on withheld figures that follow for whoever knows the marginals, and for nobody else.

    It is a remark: whether the marginals are public the custodian knows, and the contrast grants them in any case.
    """
    open_cells = {(c.output, c.label) for c in audited.cells if c.output is not None and c.status is Status.PROTECTED}
    if not open_cells or given.table is None:
        return audited
    known = replace(given, earlier=(*given.earlier, *marginals_of(given.outputs, given.table)))
    more = [
        cell
        for cell in audit(known, settings).cells
        if cell.status is Status.EXACT and (cell.output, cell.label) in open_cells
    ]
    if not more:
        return audited
    outputs = tuple(sorted({cell.output for cell in more if cell.output is not None}))
    is_one = len(more) == 1
    sentence = (
        f"{len(more):,} {'figure that was' if is_one else 'figures that were'} withheld or rounded "
        f"{'follows' if is_one else 'follow'} exactly for whoever knows how often each value of each variable occurs."
    )
    remark = Proved(RULE, Severity.NOTE, outputs, tuple(cell.label for cell in more), sentence)
    return replace(audited, findings=(*audited.findings, remark))
