"""Run by the Python of mbi's own environment: fit tables with it, draw rows, and print how far off they are, and when.

    python mbi_calls.py FOLDER ESTIMATOR:SECONDS…

FOLDER holds tables.npz: `sizes`, how many values each variable has, `rows`, and a table of counts for each pair of
variables, named "0,1". The rows of the i-th fit go to rows-i.npy.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)  # before anything is made: in single precision the fit stops early

import numpy as np  # noqa: E402
from mbi import Domain, LinearMeasurement, estimation  # noqa: E402


def main(folder: Path, wanted: list[tuple[str, float]]) -> None:
    given = np.load(folder / "tables.npz")
    names = [f"v{i}" for i in range(len(given["sizes"]))]
    domain, rows = Domain(names, tuple(int(s) for s in given["sizes"])), int(given["rows"])
    pairs = [key for key in given.files if "," in key]
    measured = [
        LinearMeasurement(given[key].ravel() * 1.0, tuple(names[int(i)] for i in key.split(","))) for key in pairs
    ]

    def distance(model: Any) -> float:
        off = [np.abs(np.asarray(model.project(m.clique).datavector()) - m.noisy_measurement).sum() for m in measured]
        return float(np.mean(off)) / 2 / rows

    def fit(name: str, iterations: int) -> tuple[Any, float]:
        started = time.perf_counter()
        estimator = getattr(estimation, name)()
        model = estimator.estimate(domain, measured, known_total=float(rows), iters=iterations)
        jax.block_until_ready(jax.tree.leaves(model.potentials))
        return model, time.perf_counter() - started

    def draw(model: Any) -> tuple[np.ndarray, float]:
        np.random.seed(1)  # mbi draws from numpy's global state; any seed would do  # noqa: NPY002
        started = time.perf_counter()
        data = model.synthetic_data(rows).to_dict()
        return np.column_stack([np.asarray(data[name]) for name in names]), time.perf_counter() - started

    found, block, pace = [], estimation.CALLBACK_EVERY, {}
    for i, (name, seconds) in enumerate(wanted):
        if name not in pace:
            draw(fit(name, block)[0])  # compiles
            pace[name] = fit(name, block)[1] / block
        iterations = max(block, round(seconds / pace[name] / block) * block)
        model, fitting = fit(name, iterations)
        made, drawing = draw(model)
        np.save(folder / f"rows-{i}.npy", made.astype(np.int16))
        line = {"estimator": name, "iterations": iterations, "fitting": fitting, "drawing": drawing}
        found.append({**line, "fit": distance(model)})
        print(json.dumps({"found": found, "versions": {n: version(n) for n in ("mbi", "jax")}}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [(a.split(":")[0], float(a.split(":")[1])) for a in sys.argv[2:]])
