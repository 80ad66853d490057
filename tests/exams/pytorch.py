"""Writes the signatures of PyTorch's functions, a line each: those of `torch.nn.functional`, and those of `torch` and
`torch.special` that the catalogue may have.

Usage: python tests/exams/pytorch.py > tests/exams/pytorch.txt
"""

import inspect
import re

import torch
import torch.nn.functional as functional

# In `torch.nn.functional` for its own use, or the same function by another name.
INTERNAL = re.compile(r"_$|^(assert_int_or_pair|boolean_dispatch|(has|handle)_torch_function.*|Optional|.*_with_indices)$")


def of_doc(function, name):
    """The first signature that the docs have."""
    found = re.search(r"^\s*(?:torch\.)?%s\((.*?)\)\s*->" % re.escape(name), function.__doc__ or "", re.M | re.S)
    return found and " ".join(found.group(1).split())


def of_code(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    return ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)


def signatures(module, names):
    for name in names:
        function = getattr(module, name, None)
        if not callable(function) or inspect.isclass(function):
            continue
        # One function with or without indices: the signature is that of the longer one.
        behind = getattr(module, f"{name}_with_indices", function)
        args = of_doc(function, name) or of_code(function) or of_code(behind)
        if args is not None:
            # Without types: `input: Tensor, alpha: float = 1` is `input, alpha=1`.
            parts = [re.sub(r":[^=]*", "", part) for part in re.split(r",(?![^(\[]*[)\]])", args)]
            parts = [re.sub(r"\s*=\s*", "=", part).strip() for part in parts]
            yield name, ", ".join(part for part in parts if part not in ("*", "/", ""))


seen = {}
for module in (functional, torch, torch.special):
    for name, args in signatures(module, sorted(dir(module))):
        if not INTERNAL.search(name) and not name.startswith("_"):
            seen.setdefault(name, (module.__name__, args))
print(f"torch {torch.__version__.split('+')[0]}")
for name, (module, args) in sorted(seen.items()):
    print(f"{module}.{name}({args})")
