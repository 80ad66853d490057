//! Bytes of kernels, compared with bytes that were counted by hand.

use super::{Schedule, Source, Traffic, schedule_for_gpu};
use crate::ir::{DimId, FloatWidth, Graph};
use crate::testing::scheduled;

/// The sizes of dims by name.
type Sizes<'s> = &'s [(&'s str, u64)];

const SINGLE: FloatWidth = FloatWidth::Single;
const HALF: FloatWidth = FloatWidth::Half;

/// Bytes of the kernels forward and backward, of calls that are tracked, and the least bytes of both.
#[derive(Debug, PartialEq)]
struct Counted {
    forward: Vec<u64>,
    backward: Vec<u64>,
    ideal: [u64; 2],
}

fn counted(source: &str, sizes: Sizes<'_>, floats: FloatWidth) -> Counted {
    let (forward, backward) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let side = |graph: &Graph, schedule: &Schedule| {
        let wanted = vec![true; graph.outputs.len()];
        let traffic = Traffic::new(graph, schedule, &forward.graph, &wanted, floats);
        let kernels = traffic.steps.iter().map(|step| value(&step.total(), graph, sizes));
        (kernels.collect::<Vec<u64>>(), value(&traffic.ideal(), graph, sizes))
    };
    let (kernels, ideal) = side(&forward.graph, &forward.schedule);
    let backward = backward.map(|op| side(&op.graph, &op.schedule)).unwrap_or_default();
    Counted { forward: kernels, backward: backward.0, ideal: [ideal, backward.1] }
}

fn value(bytes: &crate::ir::Bytes, graph: &Graph, sizes: Sizes<'_>) -> u64 {
    let len = |dim: DimId| sizes.iter().find(|(name, _)| *name == graph.dim(dim).name).map(|(_, size)| *size);
    bytes.value(&len).unwrap_or_else(|| panic!("a size of {} is missing", bytes.text(graph)))
}

/// The row stays in a cache between the passes. The gradient reads what came in and the result.
#[test]
fn softmax() {
    let source = "fn softmax(x: Tensor, axis: Axis) -> Tensor {
        let e = exp(x - stop_grad(max(x, axis)));
        e / sum(e, axis)
    }";
    let sizes = [("..", 100), ("axis", 7)];
    let once = 700 * 4;
    let expected = Counted { forward: vec![2 * once], backward: vec![3 * once], ideal: [2 * once, 3 * once] };
    assert_eq!(counted(source, &sizes, SINGLE), expected);
}

/// What is kept for the gradient is f32, also where floats are halves.
#[test]
fn rms_norm_in_halves() {
    let source = "fn rms_norm(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] {
        x * rsqrt(mean(x * x, n) + 1e-6) * gamma
    }";
    let (x, gamma, kept) = (700 * 2, 7 * 2, 100 * 4);
    let expected = Counted {
        forward: vec![x + gamma + x + kept],
        // The gradient, `x`, `gamma` and what was kept; then both gradients.
        backward: vec![x + x + gamma + kept + x + gamma],
        ideal: [x + gamma + x, x + x + gamma + kept + x + gamma],
    };
    assert_eq!(counted(source, &[("..", 100), ("n", 7)], HALF), expected);
}

/// The product is stored, and its epilogue reads it.
#[test]
fn product_with_an_epilogue() {
    let source = "fn linear(x: Tensor![m, k], weight: Tensor![n, k], bias: Tensor![n]) -> Tensor![m, n] {
        relu(sum(x * weight, k) + bias)
    }";
    let sizes = [("m", 2), ("k", 3), ("n", 5)];
    let (x, weight, bias, out) = (6 * 4, 15 * 4, 5 * 4, 10 * 4);
    let found = counted(source, &sizes, SINGLE);
    assert_eq!(found.forward, [x + weight + out + out + bias + out]);
    assert_eq!(found.ideal[0], x + weight + bias + out);
}

/// In halves the product is f32 until its epilogue has read it.
#[test]
fn product_with_an_epilogue_in_halves() {
    let source =
        "#[no_grad] fn linear(x: Tensor![m, k], weight: Tensor![n, k], bias: Tensor![n]) -> Tensor![m, n] {
        sum(x * weight, k) + bias
    }";
    let found = counted(source, &[("m", 2), ("k", 3), ("n", 5)], HALF);
    let (x, weight, bias, out) = (6 * 2, 15 * 2, 5 * 2, 10 * 2);
    assert_eq!(found.forward, [x + weight + 10 * 4 + 10 * 4 + bias + out]);
}

/// A gather reads an element of the table for each of the result, and at most the table; ids have 8 bytes.
#[test]
fn embedding() {
    let source =
        "fn embedding(weight: Tensor![v, d], ids: IntTensor![b]) -> Tensor![b, d] { at(weight, v = ids) }";
    let expected = |v: u64, rows: u64| {
        let (ids, out, table) = (10 * 8, 40 * 4, v * 4 * 4);
        Counted {
            forward: vec![ids + rows * 16 + out],
            // The gradient of the table is filled with zeros; then rows of it are read and written.
            backward: vec![ids + out + table + 2 * rows * 16],
            ideal: [ids + rows * 16 + out, ids + out + table],
        }
    };
    assert_eq!(counted(source, &[("v", 1000), ("d", 4), ("b", 10)], SINGLE), expected(1000, 10));
    assert_eq!(counted(source, &[("v", 3), ("d", 4), ("b", 10)], SINGLE), expected(3, 3));
}

/// If only loops read what a gather gives, the gather checks the ids, and the loop reads by them.
#[test]
fn rows_that_a_loop_reads_by_ids() {
    let source = "fn f(x: Tensor![v, d], ids: IntTensor![b]) -> Tensor![b, d] { exp(at(x, v = ids)) }";
    let (ids, out) = (10 * 8, 40 * 4);
    let found = counted(source, &[("v", 1000), ("d", 4), ("b", 10)], SINGLE);
    assert_eq!((found.forward, found.ideal[0]), (vec![ids, ids + out + out], ids + out + out));
    let found = counted(source, &[("v", 3), ("d", 4), ("b", 10)], SINGLE);
    assert_eq!(found.forward, [ids, ids + 3 * 16 + out]);
}

/// A view moves nothing. What reads it reads its source, of which it may show a part.
#[test]
fn reversed_and_first_half() {
    let source = "fn reversed(x: Tensor![m, n]) -> Tensor![m, n] { exp(at(x, n = len(n) - 1 - n)) }";
    let once = 6 * 4;
    assert_eq!(counted(source, &[("m", 2), ("n", 3)], SINGLE).forward, [2 * once]);
    let source = "#[no_grad] fn half(x: Tensor![m, n]) -> Tensor![m, h = n / 2] { exp(at(x, n = h)) }";
    let found = counted(source, &[("m", 2), ("n", 8), ("h", 4)], SINGLE);
    assert_eq!((found.forward, found.ideal[0]), (vec![2 * 8 * 4], 2 * 8 * 4));
}

/// Two views of one value may show different parts: they are taken for all of it, once.
#[test]
fn two_halves_of_one_argument() {
    let source = "#[no_grad] fn gated(x: Tensor![m, n]) -> Tensor![m, h = n / 2] {
        at(x, n = h) * sigmoid(at(x, n = h + len(h)))
    }";
    let found = counted(source, &[("m", 2), ("n", 8), ("h", 4)], SINGLE);
    assert_eq!(found.forward, [(16 + 8) * 4]);
}

/// A scan and a sort read and write once; positions are ints of 8 bytes.
#[test]
fn scan_and_order() {
    let source = "#[no_grad] fn total(x: Tensor![m, n]) -> Tensor![m, n] { cumsum(x, n) }";
    assert_eq!(counted(source, &[("m", 2), ("n", 3)], SINGLE).forward, [2 * 6 * 4]);
    let source = "#[no_grad] fn order(x: Tensor![m, n]) -> IntTensor![m, n] { argsort(x, n) }";
    assert_eq!(counted(source, &[("m", 2), ("n", 3)], SINGLE).forward, [6 * 4 + 6 * 8]);
}

const ATTENTION: &str =
    "fn attention(q: Tensor![t, d], k: Tensor![s, d], v: Tensor![s, e]) -> Tensor![t, e] {
    sum(softmax(sum(q * k, d), s) * v, s)
}";

/// The scores stay in a cache where kernels run tile by tile, and are stored nowhere where they are one
/// kernel: both move the same.
#[test]
fn attention() {
    let sizes = [("t", 11), ("s", 13), ("d", 3), ("e", 5)];
    let arguments = (11 * 3 + 13 * 3 + 13 * 5) * 4;
    let (out, kept) = (11 * 5 * 4, 2 * 11 * 4);
    let found = counted(ATTENTION, &sizes, SINGLE);
    assert_eq!(found.forward.iter().sum::<u64>(), arguments + out + kept);
    assert_eq!(found.ideal[0], arguments + out);
    let (forward, _) = scheduled(ATTENTION).expect("the declaration is right");
    let graph = &forward.graph;
    let fused = schedule_for_gpu(graph);
    let traffic = Traffic::new(graph, &fused, graph, &vec![true; graph.outputs.len()], SINGLE);
    assert_eq!(traffic.steps.len(), 1);
    assert_eq!(value(&traffic.total(), graph, &sizes), arguments + out + kept);
}

/// Nobody asks for the gradient: nothing is kept for it.
#[test]
fn untracked() {
    let (forward, _) = scheduled(ATTENTION).expect("the declaration is right");
    let graph = &forward.graph;
    let traffic = Traffic::new(graph, &forward.schedule, graph, &graph.visible(), SINGLE);
    assert_eq!(traffic.total(), traffic.ideal());
}

/// A view of windows shows each element several times; the source is read once.
#[test]
fn convolution_copies_windows() {
    let source =
        "#[no_grad] fn conv(x: Tensor![b, c, n], weight: Tensor![o, c, k]) -> Tensor![b, o, l = n - k + 1] {
        sum(at(x, n = l + k) * weight, (c, k))
    }";
    let sizes = [("b", 2), ("c", 3), ("n", 10), ("o", 4), ("k", 3), ("l", 8)];
    let (x, weight, windows, out) = (60 * 4, 36 * 4, 2 * 3 * 8 * 3 * 4, 64 * 4);
    let found = counted(source, &sizes, SINGLE);
    assert_eq!(found.forward, [x + windows, windows + weight + out]);
    assert_eq!(found.ideal[0], x + weight + out);
}

/// Everything that a traffic lists is in memory.
#[test]
fn only_arguments_and_buffers_move() {
    for source in crate::testing::declarations("tests/ops") {
        let (forward, _) = scheduled(&source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
        let graph = &forward.graph;
        let traffic = Traffic::new(graph, &forward.schedule, graph, &graph.visible(), SINGLE);
        let accesses = traffic.steps.iter().flat_map(|step| step.reads.iter().chain(&step.writes));
        for access in accesses {
            assert!(matches!(access.source, Source::Arg(_) | Source::Buffer(_)), "{source}: {access:?}");
        }
    }
}
