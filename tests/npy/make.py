"""Writes arrays with NumPy: `python make.py`, in this folder."""

import numpy
from numpy.lib import format

names = ["f8", "f4", "f2", "i8", "i4", "u4", "u1", "b1"]
arrays = {name: numpy.arange(6).reshape(2, 3).astype("<" + name) for name in names}
arrays |= {name + "_big": numpy.arange(6).reshape(2, 3).astype(">" + name) for name in names}
arrays |= {name + "_fortran": numpy.asfortranarray(arrays[name]) for name in names}
arrays |= {
    "big_fortran": numpy.asfortranarray(numpy.arange(24).reshape(2, 3, 4).astype(">f4")),
    "number": numpy.array(7.0),
    "empty": numpy.zeros((2, 0, 3)),
    "vector": numpy.arange(6.0),
}
numpy.savez("plain.npz", **arrays)
numpy.savez_compressed("packed.npz", **arrays)
for version in [(2, 0), (3, 0)]:
    with open(f"version{version[0]}.npy", "wb") as file:
        format.write_array(file, numpy.arange(6.0).reshape(2, 3), version=version)
