"""Writes the signatures of PyTorch's functions, a line for each form: those of `torch.nn.functional`, and those of `torch` and
`torch.special` that have the name of a function on the page of the catalogue.

Usage: python tests/pytorch/signatures.py docs/catalogue.md > tests/pytorch/signatures.txt
"""

import inspect
import re
import sys

import torch
import torch.nn.functional as functional

# In `torch.nn.functional` for its own use, or the same function by another name.
INTERNAL = re.compile(r"_$|^(assert_int_or_pair|boolean_dispatch|(has|handle)_torch_function.*|Optional|.*_with_indices)$")


def of_doc(function, name):
    """The signatures that the docs have."""
    pattern = r"^\s*(?:\.\. function:: )?(?:torch\.)?%s\((.*?)\)\s*->" % re.escape(name)
    return [" ".join(one.split()) for one in re.findall(pattern, function.__doc__ or "", re.M | re.S)]


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
        found = of_doc(function, name) or [of_code(function) or of_code(behind)]
        for args in dict.fromkeys(args for args in found if args is not None):
            # Without types: `input: Tensor, alpha: float = 1` and `Tensor input, float alpha = 1` are `input, alpha=1`.
            parts = [re.sub(r":[^=]*", "", part) for part in re.split(r",(?![^(\[]*[)\]])", args.replace("\\", ""))]
            parts = [re.sub(r"\s*=\s*", "=", part).strip().rsplit(" ", 1)[-1] for part in parts]
            yield name, ", ".join(part for part in parts if part not in ("*", "/", ""))


with open(sys.argv[1]) as page:
    known = set(re.findall(r"^(?:\||-) `(\w+)\(", page.read(), re.M))
seen = {}
for module in (functional, torch, torch.special):
    names = [name for name in sorted(dir(module)) if module is functional or name in known]
    for name, args in signatures(module, names):
        if not INTERNAL.search(name) and not name.startswith("_"):
            module_of, all_args = seen.setdefault(name, (module.__name__, []))
            if module_of == module.__name__ and args not in all_args:
                all_args.append(args)
print(f"torch {torch.__version__.split('+')[0]}")
for name, (module, all_args) in sorted(seen.items()):
    for args in all_args:
        print(f"{module}.{name}({args})")
