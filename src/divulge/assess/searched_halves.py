"""Random halves, block by block: how long each is searched for, and which are searched for once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from divulge.assess.single_pass import Pass
from divulge.assess.splits.runner import Runner
from divulge.assess.splits.split import SplitResult
from divulge.assess.splits.time_left import FIRST
from divulge.assess.statistics.halves import Halves
from divulge.designs import BLOCK, CONFIRMING, RepeatedHalves
from divulge.policy import Policy

_LOOKS = (2, FIRST)
"""After so many halves it is looked whether near is enough for the others: last digits change the contrast by a
hundredth of what the split itself does, and the search for them takes nearly all the time."""

_TRIED = FIRST
"""Halves of which most are to be as printed. Where they are not, the others would not be either."""

DEAR, NEAR = 0.2, 0.1
"""Share of the time that a search may take above which last digits cost too much for a half: thirty halves and a second
look of thirty would take a minute of a processor. And about what a half takes that ends near, with all beside."""

_FEW = 0.2
"""Share of the halves that may wait for another search. Where more fail, the next would fail too."""

_BESIDE_FURTHER = 2 * BLOCK + CONFIRMING
"""Splits that there must be time for where ten further ones are begun: themselves, the second look, and the curve."""

_PATIENCE = 4
"""How much longer the other search may take: others, for which near was enough, have left that time over."""


def run_halves(
    job: Pass, design: RepeatedHalves, policy: Policy, runner: Runner, halves: Halves, is_clear: Callable[[], bool]
) -> tuple[list[SplitResult], list[str]]:
    """Run the random halves block by block until they suffice: what they found, and what there was no time for.

    is_clear: whether no further splits are needed once all that were asked for are done. A few halves whose search
    failed wait until the others are done, and are searched for once more.
    """
    n_rows, n_wanted = job.task.table.n_rows, design.splits_wanted
    splits = design.extended().splits(n_rows, job.task.seed)
    blocks = [splits[i : i + BLOCK] for i in range(0, len(splits), BLOCK)]
    results: list[SplitResult] = []
    late: list[tuple[SplitResult, int]] = []
    left_out: list[str] = []
    for b, block in enumerate(blocks):
        n_left = n_wanted - BLOCK * b
        if n_left <= 0 and (is_clear() or not job.clock.suffices(_BESIDE_FURTHER, mean_seconds(results))):
            break
        if b and job.clock.is_over:
            left_out.append(f"{n_left} of {n_wanted} splits")
            break
        task = job.within(job.limits.split, max(n_left, BLOCK) + CONFIRMING, results)
        for part in (block,) if b else (block[: _LOOKS[0]], block[slice(*_LOOKS)], block[_LOOKS[1] :]):
            task = replace(task, near_suffices=near_suffices(job, results))
            # Of thirty halves one says enough about key subsets.
            beside = max(n_wanted - len(results) - len(late) - len(part), 0)
            for result in runner.results(job.name, job.stage, task, part, sweep_at=(0,), beside=beside):
                if _missed(result) and len(late) <= _FEW * (len(results) + len(late)):
                    late.append((result, b))
                    continue
                halves.add(result, b)
                results.append(replace(result, counts=()))
        if design.stop_early and b + 1 < len(blocks) and halves.is_settled(policy):
            break
    for result, b in _searched_again(job, late, runner):
        halves.add(result, b)
        results.append(replace(result, counts=()))
    return results, left_out


def _searched_again(
    job: Pass, late: Sequence[tuple[SplitResult, int]], runner: Runner
) -> Iterator[tuple[SplitResult, int]]:
    """The same halves from another start and with more time, in half of the time left at most; the better of both."""
    if not late or job.clock.is_over:
        yield from late
        return
    task = job.within(_PATIENCE * job.limits.split, 2 * len(late), [r for r, _ in late])
    task = replace(task, seed=task.seed + 1, near_suffices=True)
    parts = [result.split for result, _ in late]
    again = runner.results(f"{job.name}, again", f"{job.stage}, again", task, parts, sweep_at=(0,))
    for (first, b), second in zip(late, again, strict=True):
        yield (second if second.is_usable and _missed(second) < _missed(first) else first), b


def mean_seconds(results: Sequence[SplitResult]) -> float:
    """What a split took; the first loads compiled code too."""
    later = results[1:] or results
    return sum(r.seconds for r in later) / max(len(later), 1)


def _missed(result: SplitResult) -> int:
    """How many figures of a usable split were not put to the test."""
    return sum(len(o.missed) for o in result.outputs) if result.is_usable else 0


def near_suffices(job: Pass, results: Sequence[SplitResult]) -> bool:
    """Whether near is enough for the splits after these: last digits were searched for in vain, or cost too much."""
    return _is_in_vain(results) or _is_dear(results, job.limits.split)


def _is_in_vain(results: Sequence[SplitResult]) -> bool:
    """Whether the search for last digits failed in most of the first halves."""
    tried = [r for r in results[:_TRIED] if r.is_usable]
    n_met = sum(all(o.reproduced == 1.0 for o in r.outputs) for r in tried)
    return len(tried) == _TRIED and n_met < _TRIED / 2


def _is_dear(results: Sequence[SplitResult], most: float) -> bool:
    """Whether the first halves took too much of the time that all of them have. most: seconds that one may take."""
    return sum(r.searching for r in results[:_TRIED]) > _TRIED * DEAR * most
