"""Written by `cargo run -p tensor-op-formulas --bin families -- 1`."""

import torch
import torch.nn.functional as F


def cheap_0(x0):
    v0 = torch.clamp(x0, -0.5, 0.5)
    v1 = torch.where(v0 > 0.1, v0, 0.1 * v0)
    return (v1,)


def cheap_1(x0, x1):
    v0 = x1 * 1.5
    v1 = torch.abs(x0)
    v2 = v1 - v0
    return (v2,)


def cheap_2(x0, x1, x2):
    v0 = torch.square(x2)
    v1 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v2 = v1 * (1.0 - v0)
    v3 = x1 + v2
    return (v3,)


def cheap_3(x0):
    v0 = torch.square(x0)
    v1 = torch.where(v0 > 0.1, v0, 0.1 * v0)
    return (v1,)


def cheap_4(x0, x1):
    v0 = torch.maximum(x0, x1)
    v1 = torch.where(v0 > 0.1, v0, 0.1 * v0)
    v2 = torch.abs(v1)
    v3 = v2 * 1.5
    return (v3,)


def cheap_5(x0, x1, x2):
    v0 = 0.5 - x1
    v1 = 0.5 - x0
    v2 = torch.square(v1)
    v3 = v2 / (torch.abs(v0) + 1.0)
    v4 = v3 * (1.0 - x2)
    return (v4,)


def dear_0(x0):
    v0 = torch.sqrt(torch.square(x0) + 0.1)
    return (v0,)


def dear_1(x0, x1):
    v0 = torch.log1p(torch.abs(x1))
    v1 = torch.log(torch.square(x0) + 0.5)
    v2 = torch.atan(v1)
    v3 = v0 / (torch.abs(v2) + 1.0)
    return (v3,)


def dear_2(x0, x1, x2):
    v0 = F.gelu(x0)
    v1 = torch.log1p(torch.abs(v0))
    v2 = torch.atan(x2)
    v3 = v2 * v1
    v4 = x1 + v3
    return (v4,)


def dear_3(x0):
    v0 = torch.sqrt(torch.square(x0) + 0.1)
    v1 = torch.exp(v0)
    return (v1,)


def dear_4(x0, x1):
    v0 = x0 * (1.0 - x1)
    v1 = torch.atan(v0)
    return (v1,)


def dear_5(x0, x1, x2):
    v0 = torch.cos(x0)
    v1 = torch.sqrt(torch.square(x1) + 0.1)
    v2 = x2 / (torch.abs(v1) + 1.0)
    v3 = v0 + v2
    return (v3,)


def rows_0(x0):
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = torch.mean(v0, (1,), keepdim=True)
    v2 = v0 - v1
    v3 = torch.mean(torch.square(v2), (1,), keepdim=True)
    v4 = v2 * torch.rsqrt(v3 + 0.00001)
    return (v4,)


def rows_1(x0, x1):
    x1 = x1[None, :]
    v0 = torch.pow(torch.abs(x0) + 0.5, 1.7)
    v1 = torch.softmax(v0, 1)
    v2 = v1 * x1
    return (v2,)


def rows_2(x0):
    v0 = torch.square(x0)
    v1 = torch.mean(torch.abs(v0), (1,), keepdim=True)
    v2 = v0 - v1
    v3 = torch.mean(torch.abs(v2), (1,), keepdim=True)
    return (v3.squeeze((1,)),)


def rows_3(x0, x1):
    v0 = F.silu(x0)
    v1 = x1 * (1.0 - v0)
    v2 = torch.amax(torch.abs(v1), (1,), keepdim=True)
    v3 = v1 / (v2 + 0.1)
    return (v3,)


def rows_4(x0, x1, x2):
    x2 = x2[None, :]
    v0 = x1 * 1.5
    v1 = v0 + x0
    v2 = torch.amax(v1, (1,), keepdim=True)
    v3 = v1 - v2
    v4 = x2 + v3
    return (v4,)


def rows_5(x0, x1):
    v0 = F.softplus(x0)
    v1 = x1 * v0
    v2 = torch.softmax(v1, 1)
    v3 = torch.mean(torch.abs(v2), (1,), keepdim=True)
    return (v3.squeeze((1,)),)


def columns_0(x0):
    v0 = torch.abs(x0)
    v1 = torch.amax(torch.abs(v0), (0,), keepdim=True)
    v2 = v0 / (v1 + 0.1)
    return (v2,)


def columns_1(x0, x1, x2):
    x1 = x1[None, :, None, None]
    x2 = x2[None, :, None, None]
    v0 = torch.tanh(x0)
    v1 = torch.amax(torch.abs(v0), (0, 2, 3,), keepdim=True)
    v2 = v0 / (v1 + 0.1)
    v3 = x1 * x2
    v4 = v3 * v2
    return (v4,)


def columns_2(x0, x1, x2):
    x1 = x1[None, :, None, None]
    x2 = x2[None, :, None, None]
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = torch.amax(torch.abs(v0), (2, 3,), keepdim=True)
    v2 = v0 / (v1 + 0.1)
    v3 = x1 * (1.0 - v2)
    v4 = torch.minimum(v3, x2)
    return (v4,)


def columns_3(x0):
    v0 = torch.cos(x0)
    v1 = torch.softmax(v0, 1)
    return (v1,)


def columns_4(x0):
    v0 = x0 * 1.5
    v1 = torch.mean(v0, (2, 3,), keepdim=True)
    v2 = v0 - v1
    return (v2,)


def columns_5(x0):
    v0 = F.silu(x0)
    v1 = torch.mean(v0, (1,), keepdim=True)
    v2 = v0 - v1
    return (v2,)


def both_0(x0):
    v0 = 0.5 - x0
    v1 = torch.log_softmax(v0, 1)
    v2 = torch.amax(torch.abs(v1), (2,), keepdim=True)
    v3 = v1 / (v2 + 0.1)
    return (v3,)


def both_1(x0):
    v0 = F.gelu(x0)
    v1 = torch.amax(torch.abs(v0), (2,), keepdim=True)
    v2 = v0 / (v1 + 0.1)
    v3 = torch.amax(v2, (1,), keepdim=True)
    return (v3.squeeze((1,)),)


def both_2(x0):
    v0 = x0 * 1.5
    v1 = torch.amax(torch.abs(v0), (1,), keepdim=True)
    v2 = v0 / (v1 + 0.1)
    v3 = torch.softmax(x0, 2)
    v4 = v3 + v2
    return (v4,)


def both_3(x0):
    v0 = torch.sqrt(torch.square(x0) + 0.1)
    v1 = torch.softmax(v0, 2)
    v2 = torch.amax(torch.abs(v1), (1,), keepdim=True)
    v3 = v1 / (v2 + 0.1)
    return (v3,)


def both_4(x0):
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = torch.mean(v0, (1,), keepdim=True)
    v2 = v0 - v1
    v3 = torch.mean(torch.square(v2), (1,), keepdim=True)
    v4 = v2 * torch.rsqrt(v3 + 0.00001)
    v5 = torch.var(v4, (2,), correction=0, keepdim=True)
    return (v5.squeeze((2,)),)


def both_5(x0):
    v0 = torch.tanh(x0)
    v1 = torch.log_softmax(v0, 2)
    v2 = torch.mean(x0, (1,), keepdim=True)
    v3 = x0 - v2
    v4 = torch.mean(torch.square(v3), (1,), keepdim=True)
    v5 = v3 * torch.rsqrt(v4 + 0.00001)
    v6 = v1 - v5
    return (v6,)


def results_0(x0, x1):
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = torch.where(x1 > v0, x1, 0.5 * v0)
    v2 = torch.square(v1)
    v3 = torch.abs(v1)
    v4 = x0 * v3
    return (v2, v4,)


def results_1(x0, x1):
    v0 = x1 * (1.0 - x0)
    v1 = F.silu(v0)
    v2 = torch.tanh(v1)
    v3 = torch.mean(v1, (1,), keepdim=True)
    return (v2, v3.squeeze((1,)),)


def results_2(x0, x1):
    v0 = torch.maximum(x0, x1)
    v1 = 0.5 - v0
    v2 = torch.clamp(v1, -0.5, 0.5)
    v3 = torch.mean(torch.abs(v1), (0,), keepdim=True)
    return (v2, v3.squeeze((0,)),)


def results_3(x0, x1):
    v0 = x1 * (1.0 - x0)
    v1 = torch.sqrt(torch.square(v0) + 0.1)
    v2 = torch.erf(v1)
    v3 = v1 * 1.5
    v4 = x0 * (1.0 - v3)
    v5 = torch.mean(x1, (1,), keepdim=True)
    v6 = x1 - v5
    v7 = torch.mean(torch.square(v6), (1,), keepdim=True)
    v8 = v6 * torch.rsqrt(v7 + 0.00001)
    return (v2, v4, v8,)


def results_4(x0, x1):
    v0 = torch.abs(x0)
    v1 = x1 * (1.0 - v0)
    v2 = torch.abs(v1)
    v3 = torch.logsumexp(v1, (1,), keepdim=True)
    v4 = torch.mean(x1, (1,), keepdim=True)
    v5 = x1 - v4
    v6 = torch.mean(torch.square(v5), (1,), keepdim=True)
    v7 = v5 * torch.rsqrt(v6 + 0.00001)
    return (v2, v3.squeeze((1,)), v7,)


def results_5(x0, x1):
    v0 = F.silu(x1)
    v1 = torch.maximum(v0, x0)
    v2 = torch.log1p(torch.abs(v1))
    v3 = torch.var(v1, (0,), correction=0, keepdim=True)
    v4 = torch.log_softmax(x1, 0)
    return (v2, v3.squeeze((0,)), v4,)


def broadcasts_0(x0, x1):
    x1 = x1[None, None, :]
    v0 = torch.where(x1 > x0, x1, 0.5 * x0)
    v1 = torch.relu(v0)
    return (v1,)


def broadcasts_1(x0, x1):
    x1 = x1[:, None, None]
    v0 = torch.log1p(torch.abs(x0))
    v1 = x1 + v0
    return (v1,)


def broadcasts_2(x0, x1, x2):
    x1 = x1[None, :, None]
    x2 = x2[None, None, :]
    v0 = torch.relu(x0)
    v1 = x1 + x2
    v2 = v1 / (torch.abs(v0) + 1.0)
    return (v2,)


def broadcasts_3(x0, x1, x2):
    x1 = x1[:, :, None]
    x2 = x2[None, None, :]
    v0 = F.softplus(x2)
    v1 = x1 * (1.0 - v0)
    v2 = x0 * v1
    return (v2,)


def broadcasts_4(x0, x1):
    x1 = x1[:, None, :]
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = x1 + v0
    return (v1,)


def broadcasts_5(x0, x1, x2):
    x1 = x1[:, :, None]
    x2 = x2[None, :, :]
    v0 = torch.atan(x1)
    v1 = torch.maximum(x2, v0)
    v2 = v1 - x0
    return (v2,)


def small_0(x0):
    v0 = torch.relu(x0)
    v1 = torch.mean(torch.abs(v0), (1,), keepdim=True)
    return (v1.squeeze((1,)),)


def small_1(x0):
    v0 = torch.exp(x0)
    v1 = torch.mean(v0, (1,), keepdim=True)
    v2 = v0 - v1
    return (v2,)


def small_2(x0):
    v0 = torch.relu(x0)
    v1 = torch.log_softmax(v0, 1)
    return (v1,)


def small_3(x0, x1):
    v0 = torch.tanh(x0)
    v1 = x1 + v0
    v2 = torch.log_softmax(v1, 1)
    return (v2,)


def small_4(x0, x1):
    v0 = x1 * 1.5
    v1 = x0 * (1.0 - v0)
    v2 = torch.mean(torch.abs(v1), (1,), keepdim=True)
    return (v2.squeeze((1,)),)


def small_5(x0, x1):
    v0 = torch.maximum(x1, x0)
    v1 = torch.erf(v0)
    v2 = torch.log_softmax(v1, 1)
    return (v2,)


def kinds_0(x0, x1):
    v0 = torch.clamp(x0, -0.5, 0.5)
    v1 = torch.where(x1, v0, -0.25)
    v2 = torch.log(torch.square(v1) + 0.5)
    return (v2,)


def kinds_1(x0, x1):
    v0 = torch.log(torch.square(x0) + 0.5)
    v1 = torch.where((x1 % 3 == 0), v0, -0.25)
    v2 = torch.softmax(v1, 1)
    return (v2,)


def kinds_2(x0, x1, x2):
    x2 = x2[:, None]
    v0 = torch.square(x0)
    v1 = torch.where((x1 <= x2), v0, -0.25)
    v2 = torch.sqrt(torch.mean(torch.square(v1), (1,), keepdim=True) + 0.01)
    return (v2.squeeze((1,)),)


def kinds_3(x0, x1):
    x1 = x1[None, :]
    v0 = torch.log1p(torch.abs(x0))
    v1 = torch.where(x1, v0, -0.25)
    v2 = torch.mean(v1, (1,), keepdim=True)
    v3 = v1 - v2
    v4 = torch.mean(torch.square(v3), (1,), keepdim=True)
    v5 = v3 * torch.rsqrt(v4 + 0.00001)
    return (v5,)


def kinds_4(x0, x1):
    x1 = x1[None, :]
    v0 = torch.where(x0 > 0.1, x0, 0.1 * x0)
    v1 = torch.where((x1 % 3 == 0), v0, -0.25)
    v2 = torch.mean(v1, (1,), keepdim=True)
    return (v2.squeeze((1,)),)


def kinds_5(x0, x1, x2):
    x1 = x1[None, :]
    x2 = x2[:, None]
    v0 = F.gelu(x0)
    v1 = torch.where((x1 <= x2), v0, -0.25)
    v2 = torch.erf(v1)
    return (v2,)


def gathers_0(x0, x1):
    x0 = x0[:, None]
    v0 = x1[x0.flatten()]
    v1 = torch.square(v0)
    return (v1,)


def gathers_1(x0, x1, x2):
    x0 = x0[:, None]
    v0 = x1[x0.flatten()]
    v1 = F.gelu(v0)
    v2 = v1 * x2
    v3 = torch.amax(torch.abs(v2), (1,), keepdim=True)
    v4 = v2 / (v3 + 0.1)
    return (v4,)


def gathers_2(x0, x1):
    x0 = x0[:, None]
    v0 = x1[x0.flatten()]
    v1 = torch.clamp(v0, -0.5, 0.5)
    v2 = torch.mean(torch.abs(v1), (1,), keepdim=True)
    return (v2.squeeze((1,)),)


def gathers_3(x0, x1, x2):
    x0 = x0[:, None]
    v0 = x1[x0.flatten()]
    v1 = torch.log(torch.square(v0) + 0.5)
    v2 = v1 - x2
    return (v2,)


def gathers_4(x0, x1, x2, x3):
    x0 = x0[:, None]
    x2 = x2[:, None]
    v0 = x1[x0.flatten()]
    v1 = x3[x2.flatten()]
    v2 = torch.clamp(v1, -0.5, 0.5)
    v3 = v2 * (1.0 - v0)
    v4 = torch.log_softmax(v3, 1)
    return (v4,)


def gathers_5(x0, x1, x2, x3, x4):
    x0 = x0[:, None]
    x3 = x3[:, None]
    v0 = x1[x0.flatten()]
    v1 = x4[x3.flatten()]
    v2 = torch.sqrt(torch.square(v1) + 0.1)
    v3 = torch.minimum(x2, v2)
    v4 = v3 + v0
    v5 = torch.var(v4, (1,), correction=0, keepdim=True)
    return (v5.squeeze((1,)),)


def lengths_0(x0):
    v0 = torch.relu(x0)
    v1 = torch.mean(v0, (1,), keepdim=True)
    v2 = v0 - v1
    return (v2,)


def lengths_1(x0):
    v0 = F.gelu(x0)
    v1 = torch.sqrt(torch.mean(torch.square(v0), (1,), keepdim=True) + 0.01)
    return (v1.squeeze((1,)),)


def lengths_2(x0):
    v0 = torch.clamp(x0, -0.5, 0.5)
    v1 = torch.amax(v0, (1,), keepdim=True)
    return (v1.squeeze((1,)),)


def lengths_3(x0):
    v0 = F.silu(x0)
    v1 = torch.var(v0, (1,), correction=0, keepdim=True)
    return (v1.squeeze((1,)),)


def lengths_4(x0):
    v0 = 0.5 - x0
    v1 = torch.log_softmax(v0, 1)
    return (v1,)


def lengths_5(x0):
    v0 = torch.pow(torch.abs(x0) + 0.5, 1.7)
    v1 = torch.mean(torch.abs(v0), (1,), keepdim=True)
    v2 = v0 - v1
    return (v2,)


def arguments_0(x0, x1, x2, x3):
    v0 = torch.square(x2)
    v1 = torch.where(v0 > x3, v0, 0.5 * x3)
    v2 = x1 + x0
    v3 = torch.abs(v2)
    v4 = v3 * v1
    return (v4,)


def arguments_1(x0, x1, x2, x3, x4, x5, x6):
    x5 = x5[None, :]
    x6 = x6[:, None]
    v0 = torch.erf(x4)
    v1 = torch.minimum(x2, x5)
    v2 = x3 / (torch.abs(x0) + 1.0)
    v3 = F.softplus(x1)
    v4 = torch.maximum(v1, v3)
    v5 = v4 + v0
    v6 = torch.minimum(v2, v5)
    v7 = torch.minimum(x6, v6)
    return (v7,)


def arguments_2(x0, x1, x2, x3, x4, x5):
    v0 = torch.abs(x5)
    v1 = torch.square(x3)
    v2 = v0 - x0
    v3 = torch.minimum(x1, x4)
    v4 = v2 - v3
    v5 = v1 * (1.0 - x2)
    v6 = v5 + v4
    return (v6,)


def arguments_3(x0, x1, x2, x3, x4, x5):
    x4 = x4[None, :]
    x5 = x5[:, None]
    v0 = torch.where(x3 > x1, x3, 0.5 * x1)
    v1 = x2 * (1.0 - x5)
    v2 = v1 / (torch.abs(x4) + 1.0)
    v3 = torch.sqrt(torch.square(x0) + 0.1)
    v4 = torch.log(torch.square(v0) + 0.5)
    v5 = v2 - v4
    v6 = v5 - v3
    return (v6,)


def arguments_4(x0, x1, x2, x3, x4):
    v0 = torch.where(x0 > x1, x0, 0.5 * x1)
    v1 = torch.abs(x2)
    v2 = torch.relu(x3)
    v3 = x4 * (1.0 - v1)
    v4 = v0 + v3
    v5 = v2 * v4
    v6 = torch.log_softmax(v5, 1)
    return (v6,)


def arguments_5(x0, x1, x2, x3, x4, x5, x6, x7):
    x6 = x6[None, :]
    x7 = x7[:, None]
    v0 = torch.cos(x2)
    v1 = x5 / (torch.abs(v0) + 1.0)
    v2 = x7 / (torch.abs(x0) + 1.0)
    v3 = torch.maximum(x1, x6)
    v4 = torch.sigmoid(v1)
    v5 = torch.minimum(v2, v4)
    v6 = v5 + x3
    v7 = v3 - x4
    v8 = v6 + v7
    v9 = torch.amax(v8, (1,), keepdim=True)
    v10 = v8 - v9
    return (v10,)
