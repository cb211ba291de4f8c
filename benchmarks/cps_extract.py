"""Make the CPS extract that the package ships: `python -m benchmarks.cps_extract SOURCE.parquet TARGET.parquet`.

SOURCE is the Census-Income (KDD) data of the UCI repository as Parquet: people of 16 and over, training and test
files together, with the columns that `divulge.demo.cps.TITLES` names.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from divulge.demo.cps import TITLES

N_ROWS = 50_000
SEED = 1994  # the first year of the data; any other would do


def write_extract(source: Path, target: Path) -> None:
    """Write `N_ROWS` rows of the source, chosen by the seed, in the order of the source."""
    everyone = pq.read_table(source, columns=list(TITLES))
    order = np.argsort(np.random.PCG64(SEED).random_raw(everyone.num_rows), kind="stable")
    chosen = everyone.take(np.sort(order[:N_ROWS]))
    columns = [_trimmed(chosen.column(name)) for name in TITLES]
    # Without pandas' own metadata, and at zstd's highest ordinary level: the file is read often and written once.
    pq.write_table(pa.table(columns, names=list(TITLES)), target, compression="zstd", compression_level=19)


def _trimmed(column: pa.ChunkedArray) -> pa.Array:
    values = column.to_pylist()
    if isinstance(values[0], str):
        return pa.array([v.strip() for v in values]).dictionary_encode()
    return pa.array(values, type=pa.int16())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_extract(Path(sys.argv[1]), Path(sys.argv[2]))
