"""Intruders that learn: models trained on synthetic rows, keys → target, and asked about real keys.

The same seed gives the same predictions however many cores are used. What a prediction means for risk is not decided
here. scikit-learn is imported where it is used: that takes a second, which no other measure should wait for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from divulge.errors import MeasureError
from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.pruning import leaves_as_rpart
from divulge.measures.attackers.features import Features, for_linear, for_trees
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learnt: in the rows of `table`, y from the variables `keys`.

    y: class codes where n_classes > 0 (some may not occur), else numbers.
    """

    table: Table
    keys: tuple[str, ...]
    y: NDArray[np.integer] | Floats
    n_classes: int

    def at_most(self, most: int, seed: int) -> Task:
        """The same on a random sample of so many rows, where there are more."""
        kept = sample_of(self.table.n_rows, most, seed)
        return self if len(kept) == self.table.n_rows else replace(self, table=self.table.take(kept), y=self.y[kept])


def sample_of(n: int, most: int, seed: int) -> Integers:
    """The numbers 0 … n − 1, or a random sample of so many of them in their order, where there are more."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


@dataclass(frozen=True, eq=False)
class Predicted:
    """Guesses about rows: (rows, n_classes) probabilities, or (rows,) numbers. caveats: what the fit complained of."""

    values: Floats
    caveats: tuple[str, ...] = ()


class Attacker(Protocol):
    """A model that can be trained and asked. name: how measures call it; title: how people do."""

    name: ClassVar[str]
    title: ClassVar[str]

    def fit(self, task: Task, seed: int, n_jobs: int) -> Callable[[Table], Predicted]:
        """Train on the task; what comes back answers for tables on the same schema."""
        ...


@dataclass(frozen=True)
class Forest:
    """A random forest with the defaults of R's ranger: √p keys tried at each split, nodes of up to 10 rows (classes)
    or 5 (numbers) left whole. Those count a bootstrap's repeated rows, of which 63 % are distinct; scikit-learn counts
    distinct ones.
    """

    n_trees: int = 500

    name: ClassVar[str] = "rf"
    title: ClassVar[str] = "random forest"

    def __post_init__(self) -> None:
        if self.n_trees < 1:
            raise MeasureError(f"a forest needs at least 1 tree; {self.n_trees} are given.", where="n_trees")

    def fit(self, task: Task, seed: int, n_jobs: int) -> Callable[[Table], Predicted]:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        kind, smallest = (RandomForestClassifier, 7) if task.n_classes else (RandomForestRegressor, 4)
        features = for_trees(task.table, task.keys, task.y, task.n_classes)
        model = kind(
            n_estimators=self.n_trees,
            max_features="sqrt",
            min_samples_split=smallest,
            random_state=seed,
            n_jobs=n_jobs,
        )
        return _in_parts(_asked(_fitted(model, features, task), features, task.n_classes), n_jobs)


@dataclass(frozen=True)
class _Boosting:
    """Gradient boosting with the defaults of xgboost: 100 rounds, rate 0.3, depth 6, an L2 penalty of 1 on leaves."""

    n_rounds: int = 100

    name: ClassVar[str] = "gbm"
    title: ClassVar[str] = "gradient boosting"

    def fit(self, task: Task, seed: int, n_jobs: int) -> Callable[[Table], Predicted]:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        del n_jobs
        kind = HistGradientBoostingClassifier if task.n_classes else HistGradientBoostingRegressor
        features = for_trees(task.table, task.keys, task.y, task.n_classes)
        model = kind(
            learning_rate=0.3,
            max_iter=self.n_rounds,
            max_depth=6,
            max_leaf_nodes=None,
            min_samples_leaf=1,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )
        return _asked(_fitted(model, features, task), features, task.n_classes)


@dataclass(frozen=True)
class _Tree:
    """One tree with the defaults of R's rpart: nodes from 20 rows on are split, leaves have at least 7, and a split
    must lower the risk (misclassified rows, or squared deviation) by 1 % of the root's.
    """

    name: ClassVar[str] = "cart"
    title: ClassVar[str] = "CART"

    def fit(self, task: Task, seed: int, n_jobs: int) -> Callable[[Table], Predicted]:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        del n_jobs
        kind = DecisionTreeClassifier if task.n_classes else DecisionTreeRegressor
        features = for_trees(task.table, task.keys, task.y, task.n_classes)
        model = _fitted(kind(min_samples_split=20, min_samples_leaf=7, random_state=seed), features, task)
        leaves, values = leaves_as_rpart(model.tree_, 0.01), model.tree_.value[:, 0, :]
        said = _spread(values, model.classes_, task.n_classes) if task.n_classes else values[:, 0]

        def answer(table: Table) -> Predicted:
            reached = model.apply(features.of(table)) if table.n_rows else np.zeros(0, dtype=np.int64)
            return Predicted(said[leaves[reached]])

        return answer


@dataclass(frozen=True)
class Penalised:
    """Logistic regression with an L1 penalty for classes, linear regression for numbers, on main effects.

    strength: the inverse of the penalty (C of scikit-learn), on standardised keys.
    """

    strength: float = 1.0

    name: ClassVar[str] = "l1"
    title: ClassVar[str] = "L1 logistic or linear regression"

    def fit(self, task: Task, seed: int, n_jobs: int) -> Callable[[Table], Predicted]:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LinearRegression, LogisticRegression

        del n_jobs
        features = for_linear(task.table, task.keys)
        if not task.n_classes:
            return _asked(_fitted(LinearRegression(), features, task), features, 0)
        model = LogisticRegression(
            l1_ratio=1.0,
            C=self.strength,
            solver="saga",
            tol=1e-3,  # probabilities then change in the third digit at most; the default takes ten times as long
            max_iter=500,
            random_state=seed,
        )
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", ConvergenceWarning)
            _fitted(model, features, task)
        caveats = ("The regression did not converge.",) if heard else ()
        return _asked(model, features, task.n_classes, caveats)


_BLOCK = 100_000
"""Rows whose columns are held at once while a model is asked."""

ATTACKERS: tuple[type[Attacker], ...] = (Forest, _Boosting, _Tree, Penalised)
"""The suite, in the order in which it is reported (Templ et al., section 4, and its CART of section 5)."""


def _fitted(model: Any, features: Features, task: Task) -> Any:
    # Sums over threads depend on how many there are. Trees of a forest are grown apart from each other, so n_jobs may
    # stay; everything inside a tree or a sum runs on one thread.
    with threadpool_limits(limits=1):
        return model.fit(_columns(features, task.table), task.y)


def _asked(
    model: Any, features: Features, n_classes: int, caveats: tuple[str, ...] = ()
) -> Callable[[Table], Predicted]:
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=1)  # threads would add up the trees in the order in which they finish

    def said(part: Table) -> Floats:
        columns = _columns(features, part)
        if n_classes:
            return _spread(model.predict_proba(columns), model.classes_, n_classes)
        return np.asarray(model.predict(columns), dtype=np.float64)

    def answer(table: Table) -> Predicted:
        if not table.n_rows:
            return Predicted(np.empty((0, n_classes)) if n_classes else np.empty(0), caveats)
        with threadpool_limits(limits=1):
            parts = [table.take(slice(start, start + _BLOCK)) for start in range(0, table.n_rows, _BLOCK)]
            return Predicted(np.concatenate([said(part) for part in parts]), caveats)

    return answer


def _in_parts(answer: Callable[[Table], Predicted], n_jobs: int) -> Callable[[Table], Predicted]:
    """The same answers, rows shared out over threads: each row is answered apart from the others."""

    def answers(table: Table) -> Predicted:
        from joblib import effective_n_jobs  # imported where it is used, as scikit-learn is

        ends = np.linspace(0, table.n_rows, effective_n_jobs(n_jobs) + 1).astype(np.int64)
        parts = [table.take(slice(*pair)) for pair in pairwise(ends.tolist())]
        # The limit is set once for all: each thread would restore what another has set.
        with threadpool_limits(limits=1), ThreadPoolExecutor(len(parts)) as threads:
            found = list(threads.map(answer, parts))
        return Predicted(np.concatenate([f.values for f in found]), found[0].caveats)

    return answers


def _columns(features: Features, table: Table) -> Floats:
    """The features of a table; where no key varies, one column that says nothing, since scikit-learn wants one."""
    columns = features.of(table)
    return columns if columns.shape[1] else np.zeros((table.n_rows, 1))


def _spread(shares: Floats, classes: NDArray[np.integer], n_classes: int) -> Floats:
    """Probabilities of all classes: what the synthetic rows lack has probability 0."""
    wide = np.zeros((len(shares), n_classes))
    wide[:, classes.astype(np.int64)] = shares
    return wide
