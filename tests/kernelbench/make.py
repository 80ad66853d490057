"""Makes the cases from KernelBench's sources: `python make.py KERNELBENCH FOLDER`. It needs torch and safetensors.

KERNELBENCH is a checkout of github.com/ScalingIntelligence/KernelBench. The cases are those of commit 423217d.

Each problem is a Python file with a model, its inputs, and constants for their sizes. The constants are made small, the
model is run in f64 in the mode in which the source leaves it, and a safetensors file has what went in and came out:

    in.NAME                 an input of `forward`
    weight.NAME             a parameter or a buffer, before the run
    out, seed               the result, and a gradient of the result
    grad.in.NAME, grad.weight.NAME
                            the gradient of each float input and parameter on which the result depends

The metadata `case` is JSON: `name`, `arguments` (those of the model, and inputs that are no tensors), `layers` (the
settings of each layer) and `tracked` (the tensors that have a gradient; it is 0 if the result does not depend on them).
"""

import ast
import inspect
import json
import pathlib
import re
import sys
import types

import torch
from safetensors.torch import save_file

F64 = torch.float64
# Names of sizes. Of a family, the first size becomes the first number of the row, the next other size the next number.
# Equal sizes stay equal, and no size grows.
BATCH = "batch_size b".split()
CHANNELS = "in_channels out_channels channels features".split()
FEATURES = "in_features out_features input_size hidden_size output_size num_classes".split()
SPACE = (
    "depth height width depth_in height_in width_in D H W dim dim1 dim2 dim3 length input_length sequence_length "
    "input_shape"
).split()
MATRIX = "M N K L m n k i j l embedding_dimension".split()
GROUPS = "groups num_groups num_heads".split()

# Where the rule gives a window no room, groups no equal parts, or a problem that shows nothing.
EXCEPTIONS = {
    (1, 45): {"height": 23, "width": 23},
    (1, 58): {"out_channels": 3},
    (1, 60): {"width": 7, "height": 7, "depth": 7},
    (1, 62): {"width": 10, "height": 10},
    (1, 66): {"width": 8, "height": 8},
    (1, 77): {"depth": 2, "height": 3, "width": 3},
    (1, 80): {"width": 18, "height": 18, "in_channels": 2},
    (1, 81): {"height_in": 3, "width_in": 4, "out_channels": 3},
    (1, 85): {"width": 9},
    # A product of more numbers below 1 is 0 within the tolerance.
    (1, 90): {"input_shape": (8,)},
    (1, 97): {"sequence_length": 6},
    # The targets, one for each sample, meet the last axis of the predictions.
    (1, 100): {"batch_size": 6, "input_shape": (6,)},
    # Bounds that small models would not reach, or would not leave.
    (2, 9): {"subtract_value": 0.25},
    (2, 10): {"hardtanh_min": -0.25, "hardtanh_max": 0.25},
    (2, 22): {"clamp_min": -1.0, "clamp_max": 1.0},
    (2, 30): {"hardtanh_min": -1.0, "hardtanh_max": 1.0},
    (2, 53): {"hardtanh_min": -0.25, "hardtanh_max": 0.25},
    (2, 68): {"constant": 0.25},
    (2, 93): {"add_value": 0.0625},
    (2, 100): {"min_value": -0.125},
    # The norm goes over the width, which is the number of channels.
    (2, 3): {"(depth, height, width)": (2, 2, 3)},
    (2, 6): {"(depth, height, width)": (6, 6, 10)},
    (2, 27): {"out_channels": 8},
    (2, 34): {"(D, H, W)": (2, 2, 3)},
    (2, 65): {"(height, width)": (10, 10)},
    # Dropout is random: here it drops nothing.
    (2, 66): {"dropout_p": 0.0},
    (2, 83): {"dropout_p": 0.0},
    (2, 77): {"in_channels": 3, "out_channels": 4},
    (2, 78): {"(depth, height, width)": (4, 4, 4)},
    (2, 82): {"(height, width)": (10, 10)},
    (2, 85): {"(height, width)": (10, 10)},
    (2, 98): {"out_features": 48},
}
# Sizes that are written in functions.
EDITS = {(1, 50): [("out_channels=96", "out_channels=4"), ("224", "19")]}
# Activations of one input, which KernelBench runs on numbers from 0 to 1: here they are -4 to 4.
SIGNED = {(1, number) for number in [*range(19, 33), 88]}


def rows(source):
    """The small sizes of each family, which depend on the number of axes."""
    has_channels = re.search(r"^(in_channels|channels|features) =", source, re.M) is not None
    kinds = re.findall(r"nn\.\w+([123])d\(", source)
    axes = int(max(kinds)) if kinds else 2 if has_channels else 1
    space = {1: [24], 2: [7, 8], 3: [5, 6]}[axes]
    if "ConvTranspose" in source and axes > 1:
        space = [4, 5] if axes == 2 else [3, 4]
    if "dim2 = " in source:
        space = [7, 8]
    return [
        (BATCH, [2] if has_channels else [5]),
        (CHANNELS, [4, 6]),
        (FEATURES, [6, 8, 7]),
        (SPACE, space),
        (MATRIX, [5, 7, 6, 4]),
        (GROUPS, [2]),
    ]


class Shrink(ast.NodeTransformer):
    """Makes the constants of a module small."""

    def __init__(self, source, exceptions):
        self.families = {name: (names[0], row) for names, row in rows(source) for name in names}
        self.exceptions, self.unused, self.seen = exceptions, set(exceptions), {}

    def visit_FunctionDef(self, node):
        return node

    visit_ClassDef = visit_FunctionDef

    def visit_Assign(self, node):
        for target in node.targets:
            name = ast.unparse(target)
            if name in self.exceptions:
                self.unused.discard(name)
                node.value = ast.Constant(self.exceptions[name])
                return node
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(target.elts, node.value.elts)
            node.value.elts = [self.small(ast.unparse(name), value) for name, value in pairs]
        else:
            node.value = self.small(ast.unparse(target), node.value)
        return node

    def small(self, name, value):
        if name not in self.families:
            return value
        try:
            own = eval(ast.unparse(value), {})
        except NameError:
            # Made of other sizes, which are small already.
            return value
        family, row = self.families[name]
        is_tuple = isinstance(own, tuple)
        return ast.Constant(tuple(self.size(family, row, n) for n in own) if is_tuple else self.size(family, row, own))

    def size(self, family, row, own):
        known = self.seen.setdefault(family, {})
        return known.setdefault(own, min(own, row[min(len(known), len(row) - 1)]))


def load(path, problem):
    source = path.read_text()
    for old, new in EDITS.get(problem, []):
        assert old in source, (problem, old)
        source = source.replace(old, new)
    shrink = Shrink(source, EXCEPTIONS.get(problem, {}))
    tree = ast.fix_missing_locations(shrink.visit(ast.parse(source)))
    assert not shrink.unused, (problem, shrink.unused)
    module = types.ModuleType(path.stem)
    exec(compile(tree, str(path), "exec"), module.__dict__)
    return module


def short(x):
    """The same in f64 with few digits, so that the archive is small."""
    return torch.round(x.detach().to(F64) * 1024) / 1024 if x.is_floating_point() else x


def settings(layer):
    """The settings of a layer; a number for all axes stands alone."""
    return {
        name: value
        for name in getattr(layer, "__constants__", [])
        if isinstance(value := getattr(layer, name, None), (bool, int, float, tuple))
    }


def prepare(module, problem):
    """The model, its arguments by name, and the inputs by name."""
    arguments = module.get_init_inputs()
    bound = inspect.signature(module.Model).bind(*arguments)
    bound.apply_defaults()
    model = module.Model(*arguments).to(F64)
    for parameter in model.parameters():
        # A norm begins with 1 and 0, with which a wrong use of the two shows nothing.
        is_plain = bool(((parameter == 0) | (parameter == 1)).all())
        noise = (torch.rand_like(parameter) - 0.5) / 2 if is_plain else 0
        parameter.data = short(parameter + noise)
    inputs = dict(zip(inspect.signature(model.forward).parameters, module.get_inputs(), strict=True))
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            inputs[name] = short((value - 0.5) * 8 if problem in SIGNED else value)
    return model, dict(bound.arguments), inputs


def make(path, problem, folder):
    level, number = problem
    torch.manual_seed(1000 * level + number)
    model, init, inputs = prepare(load(path, problem), problem)
    tensors = {f"in.{name}": x for name, x in inputs.items() if isinstance(x, torch.Tensor)}
    tensors |= {f"weight.{name}": x.detach().clone() for name, x in model.state_dict().items()}
    tracked = {f"weight.{name}": x for name, x in model.named_parameters()}
    for name, x in inputs.items():
        if isinstance(x, torch.Tensor) and x.is_floating_point():
            tracked[f"in.{name}"] = x.requires_grad_()
    out = model(*inputs.values())
    tensors["out"] = out
    if out.is_floating_point():
        tensors["seed"] = torch.randint(-16, 17, out.shape).to(F64) / 16
        found = torch.autograd.grad(out, list(tracked.values()), tensors["seed"], allow_unused=True)
        tensors |= {f"grad.{name}": x for name, x in zip(tracked, found) if x is not None}
    words = [word for word in path.stem.split("_")[1:] if word]
    case = {
        "name": f"{level}/{number:03} {'_'.join(words)}",
        "arguments": init | {name: x for name, x in inputs.items() if not isinstance(x, torch.Tensor)},
        "layers": {name: settings(layer) for name, layer in model.named_children()},
        "tracked": list(tracked) if out.is_floating_point() else [],
    }
    target = folder / f"{level}_{number:03}.safetensors"
    tensors = {name: x.detach().contiguous() for name, x in tensors.items()}
    save_file(tensors, target, {"case": json.dumps(case)})
    shapes = {name: list(x.shape) for name, x in tensors.items() if not name.startswith("grad")}
    print(f"{case['name']}: {target.stat().st_size} bytes, {shapes}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    kernelbench, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for level in (1, 2):
        for path in sorted((kernelbench / f"KernelBench/level{level}").glob("*.py")):
            make(path, (level, int(path.stem.split("_")[0])), folder)
