"""Writes numpy_errors.txt: the errors of NumPy itself on its accuracy sets, with AVX-512 and with AVX2.

    python tests/umath/numpy_errors.py FOLDER

FOLDER is `numpy/_core/tests/data` of NumPy. A line of numpy_errors.txt has an instruction set, a function, a dtype, the largest
error and the mean error. Errors are in units in the last place, counted along the floats.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

DTYPES = {"f32": ("np.float32", "u4", "f4"), "f64": ("np.float64", "u8", "f8")}


def main(folder):
    features = subprocess.run(
        [sys.executable, "-c", "from numpy._core._multiarray_umath import __cpu_features__ as f; print(f['X86_V4'])"],
        capture_output=True, text=True, check=True,
    )
    if features.stdout.strip() != "True":
        sys.exit("this machine has no AVX-512")
    text = ""
    for level, without in [("avx512", ""), ("avx2", "X86_V4")]:
        environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": without}
        run = [sys.executable, __file__, folder, level]
        text += subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout
    Path(__file__).with_name("numpy_errors.txt").write_text(text)


def measure(folder, level):
    import numpy as np

    np.seterr(all="ignore")

    def place(values):
        """How many floats lie between 0 and each number, with its sign."""
        signed = values.view(f"i{values.dtype.itemsize}").astype(object)
        lowest = 1 << (8 * values.dtype.itemsize - 1)
        return [bits if bits >= 0 else -(bits + lowest) for bits in signed]

    for path in sorted(Path(folder).glob("umath-validation-set-*.csv")):
        name = path.stem.split("-")[-1]
        rows = [line.split(",") for line in path.read_text().splitlines() if re.match("np.float", line)]
        for dtype, (label, bits, kind) in DTYPES.items():
            own = [row for row in rows if row[0] == label]
            x, wanted = (np.array([int(row[i], 16) for row in own], bits).view(kind) for i in (1, 2))
            found = getattr(np, name)(x)
            both = np.isnan(found) & np.isnan(wanted)
            errors = [0 if nan else abs(a - b) for a, b, nan in zip(place(found), place(wanted), both)]
            print(level, name, dtype, max(errors), f"{sum(errors) / len(errors):.3f}")


if __name__ == "__main__":
    measure(*sys.argv[1:]) if len(sys.argv) == 3 else main(*sys.argv[1:])
