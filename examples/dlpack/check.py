"""Runs a declared op on tensors of PyTorch, on the CPU and on CUDA if both sides have it, and compares it with PyTorch.

    python3 examples/dlpack/check.py target/release/examples/libdlpack.so [cpu] [cuda]
"""

import ctypes
import gc
import sys

import torch

library = ctypes.CDLL(sys.argv[1])
library.tensor_op_message.restype = ctypes.c_char_p
library.tensor_op_silu_mul.restype = ctypes.c_bool
library.tensor_op_silu_mul.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

# A capsule keeps the pointer to its name.
NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"


def given(tensor):
    """The struct of a tensor, which now belongs to the library."""
    capsule = tensor.detach().__dlpack__(max_version=(1, 0))
    pointer = python.PyCapsule_GetPointer(capsule, NAME)
    python.PyCapsule_SetName(capsule, USED)
    return pointer


def taken(pointer):
    """A tensor of PyTorch in the library's memory."""
    return torch.from_dlpack(python.PyCapsule_New(pointer, NAME, None))


def silu_mul(x, gate):
    """The result and the gradients of its sum."""
    results = (ctypes.c_void_p * 3)()
    if not library.tensor_op_silu_mul(given(x), given(gate), results):
        raise RuntimeError(library.tensor_op_message().decode())
    return [taken(pointer) for pointer in results]


def compare(x, gate, bound):
    """Fails if the library and PyTorch differ by more than the bound."""
    own, own_gate = x.detach().clone().requires_grad_(), gate.detach().clone().requires_grad_()
    right = own * torch.nn.functional.silu(own_gate)
    right.sum().backward()
    for what, found, wanted in zip(("result", "dx", "dgate"), silu_mul(x, gate), (right, own.grad, own_gate.grad)):
        assert found.device == x.device and found.dtype == x.dtype and found.shape == x.shape, what
        torch.testing.assert_close(found, wanted.detach(), rtol=bound, atol=bound, msg=lambda text: f"{what}: {text}")


def views(device, dtype):
    """Tensors with other strides than those of rows, without elements, and without axes."""
    x = torch.randn(6, 8, 10, device=device, dtype=torch.float64).to(dtype)
    yield x
    yield x.transpose(0, 2)
    yield x[1:4, ::2, 3:]
    yield x[:, :1].expand(6, 8, 10)
    yield x[2, 3, 4]
    yield x[:, :0]


def check(device):
    for dtype, bound in ((torch.float64, 1e-12), (torch.float32, 1e-5), (torch.float16, 5e-3), (torch.bfloat16, 4e-2)):
        for x in views(device, dtype):
            compare(x, torch.randn_like(x), bound)
    if device == "cuda":
        streams(device)
    print(f"{device}: the same as PyTorch's")


def streams(device):
    """Work that is still running on a stream of PyTorch's own when the tensors change hands, and memory that is reused."""
    for turn in range(50):
        with torch.cuda.stream(torch.cuda.Stream()):
            large = torch.randn(2048, 2048, device=device)
            x = large @ large * 1e-3
            gate = x + turn
            compare(x, gate, 1e-4)
            found = silu_mul(x, gate)[0]
            twice = found * 2
            right = x * torch.nn.functional.silu(gate) * 2
            # The library's memory serves its next call, while PyTorch may still read it.
            del found
            silu_mul(gate, x)
            torch.testing.assert_close(twice, right, rtol=1e-4, atol=1e-4)
    before = torch.cuda.mem_get_info()[0]
    for _ in range(200):
        silu_mul(gate, x)
    gc.collect()
    torch.cuda.synchronize()
    lost = before - torch.cuda.mem_get_info()[0]
    assert lost < 256 << 20, f"{lost} bytes are lost"


def main():
    devices = sys.argv[2:] or ["cpu"] + ["cuda"] * torch.cuda.is_available()
    for device in devices:
        check(device)
    try:
        silu_mul(torch.zeros(3), torch.zeros(4))
    except RuntimeError as error:
        print("an error:", error)
    else:
        raise AssertionError("sizes that differ are taken")


main()
