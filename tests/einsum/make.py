"""Writes what PyTorch's and NumPy's einsum give: `python make.py > cases.txt`. Both must agree."""

import string

import numpy
import torch

# Equations of PyTorch's samples and of NumPy's own tests, with shapes of the operands.
CASES = """
i->i 3
i-> 3
i 3
ij->ji 2,3
ij 2,3
ba 2,3
ii 3,3
ii->i 3,3
iij->ij 2,2,3
iji->j 2,3,2
iii->i 3,3,3
iijj->ij 2,2,3,3
i,i 3 3
i,j->ij 2 3
i,i->i 3 3
ij,j 2,3 3
ij,jk 2,3 3,4
ij,kj->ik 2,3 4,3
ij , jk -> ki 2,3 3,4
bij,bjk->bik 2,2,3 2,3,2
bij,bjk->ikb 2,2,3 2,3,2
ijk,jil->kl 3,4,2 4,3,2
ij,ij-> 2,3 2,3
...ij,...jk->...ik 2,2,3 3,2
...ij,...jk->...ik 2,1,2,3 3,3,2
i...->... 3,2,2
...i->... 2,3
...->... 2,3
...,... 2,3 3
...ii->...i 2,3,3
i...i 2,3,2
i...,...j 2,3 3,4
...,a->a... 2 3
ij,j 2,3 1
ij,ij->ij 2,1 1,3
aB,Bc->ac 2,3 3,2
Ab,bC 2,3 3,2
bn,anm,bm->ba 2,3 5,3,4 2,4
ij,jk,kl->il 2,3 3,4 4,2
a,ab,abc->abc 2 2,3 2,3,2
a,b,c->abc 2 3 2
ea,fb,abcd,gc,hd->efgh 2,2 2,2 2,2,2,2 2,2 2,2
ijk,k 2,3,2 2
i,ij,ijk->k 2 2,3 2,3,2
ij,kl,jl->ik 2,3 2,2 3,2
ab,ab,c-> 2,3 2,3 4
ii,i->i 3,3 3
ii,jj-> 2,2 3,3
ij,ji,jk->ik 2,3 3,2 3,2
->
, 
,i 3
ij,jk->ik 0,3 3,2
ij,jk->ik 2,0 0,3
...,...,...->... 2,3 1,3 2,1
cij...,cjk->ci... 2,2,3,2 2,3,2
"""


def operand(place, shape):
    """Small whole numbers, as the test makes them."""
    count = int(numpy.prod(shape))
    return numpy.array([(i * 7 + place * 3) % 11 - 5.0 for i in range(count)]).reshape(shape)


def shapes(equation, words):
    counts = equation.split("->")[0].count(",") + 1
    parsed = [tuple(int(size) for size in word.split(",")) for word in words]
    return [()] * (counts - len(parsed)) + parsed


for line in CASES.strip().split("\n"):
    words = line.split(" ")
    is_shape = lambda word: word and all(c in string.digits + "," for c in word) and word != ","
    equation = " ".join(word for word in words if not is_shape(word)).strip()
    operands = [operand(i, s) for i, s in enumerate(shapes(equation, [w for w in words if is_shape(w)]))]
    result = torch.einsum(equation, *[torch.tensor(x) for x in operands]).numpy()
    assert numpy.array_equal(result, numpy.einsum(equation, *operands)), equation
    texts = [" ".join(map(str, x.shape)) for x in operands]
    values = " ".join(str(int(x)) for x in result.flatten())
    print(equation, ";".join(texts), " ".join(map(str, result.shape)), values, sep=" | ")
