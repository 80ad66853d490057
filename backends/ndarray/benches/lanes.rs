//! Bodies over blocks beside the same loops by hand, in cache and in memory: ns per element, the least of
//! several runs.
//!
//! `cargo bench -p tensor-op-ndarray --bench lanes`; one thread.

#![allow(clippy::print_stdout, missing_docs, reason = "a program that prints")]

use std::hint::black_box;
use std::time::Instant;
use tensor_op_ndarray::block::{BLOCK, Block, BlockArgs, ByKind, Elements, Pass, PassFns, fold};
use tensor_op_ndarray::lane::{Lane, Level};

struct SiluMul;

impl Pass for SiluMul {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[x, gate], [], []| ([x * gate * (L::float(1.0) + (-gate).exp()).recip()], [], []));
    }
}

struct Exp;

impl Pass for Exp {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max], [], []) = block.uniforms();
        block.elements(|[x], [], []| ([(x - max).exp()], [], []));
    }
}

struct Scale;

impl Pass for Scale {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max, sum], [], []) = block.uniforms();
        let scale = sum.recip();
        block.elements(|[x], [], []| ([(x - max).exp() * scale], [], []));
    }
}

static SILU_MUL: PassFns = PassFns::of::<SiluMul>();
static EXP: PassFns = PassFns::of::<Exp>();
static SCALE: PassFns = PassFns::of::<Scale>();

fn run(pass: &PassFns, uniforms: &[f32], elements: &[&[f32]], result: &mut [f32]) {
    pass.run(&mut BlockArgs {
        len: result.len(),
        uniforms: ByKind { floats: uniforms, ints: &[], bools: &[] },
        elements: ByKind { floats: elements, ints: &[], bools: &[] },
        of_rows: Elements::NONE,
        results: ByKind { floats: &mut [result], ints: &mut [], bools: &mut [] },
    });
}

fn silu_mul(x: &[f32], gate: &[f32], out: &mut [f32]) {
    for ((x, gate), out) in x.chunks(BLOCK).zip(gate.chunks(BLOCK)).zip(out.chunks_mut(BLOCK)) {
        run(&SILU_MUL, &[], &[x, gate], out);
    }
}

fn softmax(x: &[f32], out: &mut [f32]) {
    for (x, out) in x.chunks(COLUMNS).zip(out.chunks_mut(COLUMNS)) {
        let max = x.chunks(BLOCK).fold(f32::NEG_INFINITY, |max, x| fold::max(x, max));
        let mut sum = 0.0;
        for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            run(&EXP, &[max], &[x], out);
            sum += fold::sum(out);
        }
        for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            run(&SCALE, &[max, sum as f32], &[x], out);
        }
    }
}

/// The loops of a careful person, to be inlined into a function with the machine's features.
mod by_hand {
    #[inline(always)]
    fn exp(x: f32) -> f32 {
        let x = x.clamp(-104.0, 89.0);
        let n = x.mul_add(std::f32::consts::LOG2_E, 12582912.0) - 12582912.0;
        let r = (-n).mul_add(6.931_457_5e-1, x);
        let r = (-n).mul_add(1.428_606_8e-6, r);
        let p = 0.000_198_909_97_f32.mul_add(r, 0.001_393_365_6).mul_add(r, 0.008_333_31);
        let p = p.mul_add(r, 0.041_666_463).mul_add(r, 0.166_666_67).mul_add(r, 0.5);
        let half = n.mul_add(0.5, 12582912.0);
        let rest = n - (half - 12582912.0) + 12582912.0;
        let power = |n: f32| f32::from_bits((n.to_bits() << 23).wrapping_add(1f32.to_bits()));
        (1.0 + (r * r).mul_add(p, r)) * power(half) * power(rest)
    }

    #[inline(always)]
    fn silu_mul_loop(x: &[f32], gate: &[f32], out: &mut [f32]) {
        for ((x, gate), out) in x.iter().zip(gate).zip(out) {
            *out = x * gate * (1.0 / (1.0 + exp(-gate)));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
    fn silu_mul_avx512(x: &[f32], gate: &[f32], out: &mut [f32]) {
        silu_mul_loop(x, gate, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn silu_mul_avx2(x: &[f32], gate: &[f32], out: &mut [f32]) {
        silu_mul_loop(x, gate, out);
    }

    #[cfg(target_arch = "x86_64")]
    pub(super) fn silu_mul(level: super::Level, x: &[f32], gate: &[f32], out: &mut [f32]) {
        match level {
            super::Level::Baseline => silu_mul_loop(x, gate, out),
            // SAFETY: the level is that of this machine.
            super::Level::Avx2 => unsafe { silu_mul_avx2(x, gate, out) },
            // SAFETY: the level is that of this machine.
            super::Level::Avx512 => unsafe { silu_mul_avx512(x, gate, out) },
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn silu_mul(_level: super::Level, x: &[f32], gate: &[f32], out: &mut [f32]) {
        silu_mul_loop(x, gate, out);
    }
}

const COLUMNS: usize = 4096;

fn time(name: &str, elements: usize, bytes: usize, mut f: impl FnMut()) {
    let repeats = (4_000_000 / elements).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..repeats {
            f();
        }
        best = best.min(start.elapsed().as_secs_f64() / repeats as f64 / elements as f64);
    }
    println!(
        "{name:32} {elements:>9} elements {:7.3} ns each {:6.1} GB/s",
        best * 1e9,
        bytes as f64 / best / 1e9
    );
}

fn main() {
    let level = Level::of_machine();
    println!("{level:?}, blocks of {BLOCK}");
    for rows in [1, 2048] {
        let n = rows * COLUMNS;
        let x: Vec<f32> = (0..n).map(|i| (i % 977) as f32 * 0.01 - 4.0).collect();
        let mut out = vec![0.0; n];
        time("silu_mul", n, 12, || silu_mul(black_box(&x), black_box(&x), black_box(&mut out)));
        time("silu_mul by hand", n, 12, || {
            by_hand::silu_mul(level, black_box(&x), black_box(&x), black_box(&mut out))
        });
        time("softmax", n, 8, || softmax(black_box(&x), black_box(&mut out)));
    }
}
