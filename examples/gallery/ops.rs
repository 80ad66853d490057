//! The ops of the gallery, each with inputs of a real size.

use crate::{attention, codes, fields, losses, pictures, sequences, simplex};
use tensor_op::Generator;
use tensor_op::prelude::*;

/// The files with declarations, in the order of the page: what they are about, and their text.
pub(crate) const FILES: [(&str, &str); 6] = [
    ("Attention", include_str!("attention.rs")),
    ("Sequences", include_str!("sequences.rs")),
    ("Probabilities", include_str!("simplex.rs")),
    ("Losses", include_str!("losses.rs")),
    ("Codes", include_str!("codes.rs")),
    ("Fields", include_str!("fields.rs")),
];

/// An op, and how it is shown.
pub(crate) struct Shown {
    pub(crate) name: &'static str,
    pub(crate) inputs: &'static [Input],
    pub(crate) run: Run,
    pub(crate) picture: fn() -> Result<String>,
}

/// Calls an op with its tensors; scalars have their defaults.
pub(crate) type Run = fn(&[Tensor]) -> Result<Vec<Tensor>>;

/// An input by its shape.
pub(crate) enum Input {
    /// Normal numbers, with a gradient.
    Normal(&'static [usize]),
    /// Numbers from the first to the second, with a gradient.
    Between(f64, f64, &'static [usize]),
    /// Normal numbers without a gradient.
    Fixed(&'static [usize]),
    /// Ones without a gradient.
    Ones(&'static [usize]),
    /// Ints from 0 to below the first.
    Index(i64, &'static [usize]),
}

use Input::{Between, Fixed, Index, Normal, Ones};

impl Input {
    pub(crate) fn shape(&self) -> &'static [usize] {
        match *self {
            Normal(shape) | Between(_, _, shape) | Fixed(shape) | Ones(shape) | Index(_, shape) => shape,
        }
    }

    /// The tensor. Floats are f32.
    pub(crate) fn tensor(&self, random: &Generator) -> Result<Tensor> {
        let (device, float) = (Device::default(), DType::F32);
        match *self {
            Normal(shape) => Ok(random.normal(shape, 0.0, 1.0, float, &device)?.require_grad()),
            Between(low, high, shape) => Ok(random.uniform(shape, low, high, float, &device)?.require_grad()),
            Fixed(shape) => random.normal(shape, 0.0, 1.0, float, &device),
            Ones(shape) => Tensor::ones(shape, float, &device),
            Index(below, shape) => random.uniform(shape, 0.0, below as f64, float, &device)?.cast(DType::I64),
        }
    }
}

/// Heads, tokens and channels of attention.
const HEADS: &[usize] = &[8, 512, 64];

pub(crate) const OPS: [Shown; 20] = [
    Shown {
        name: "axial_rotary",
        inputs: &[Normal(&[8, 6, 32, 32, 64])],
        run: |x| Ok(vec![attention::axial_rotary(&x[0], None)?]),
        picture: pictures::axial_rotary,
    },
    Shown {
        name: "gated_attention",
        inputs: &[Normal(HEADS), Normal(HEADS), Normal(HEADS), Normal(HEADS)],
        run: |x| Ok(vec![attention::gated_attention(&x[0], &x[1], &x[2], &x[3])?]),
        picture: pictures::gated_attention,
    },
    Shown {
        name: "differential_attention",
        inputs: &[Normal(&[8, 512, 128]), Normal(&[8, 512, 128]), Normal(HEADS), Normal(&[])],
        run: |x| Ok(vec![attention::differential_attention(&x[0], &x[1], &x[2], &x[3])?]),
        picture: pictures::differential_attention,
    },
    Shown {
        name: "sigmoid_attention",
        inputs: &[Normal(HEADS), Normal(HEADS), Normal(HEADS)],
        run: |x| Ok(vec![attention::sigmoid_attention(&x[0], &x[1], &x[2])?]),
        picture: pictures::sigmoid_attention,
    },
    Shown {
        name: "dynamic_tanh",
        inputs: &[Normal(&[4096, 1024]), Normal(&[]), Normal(&[1024]), Normal(&[1024])],
        run: |x| Ok(vec![attention::dynamic_tanh(&x[0], &x[1], &x[2], &x[3])?]),
        picture: pictures::dynamic_tanh,
    },
    Shown {
        name: "mamba2",
        inputs: &[
            Normal(&[1, 512, 16, 64]),
            Between(0.0, 0.1, &[1, 512, 16]),
            Between(-2.0, -0.5, &[16]),
            Normal(&[1, 512, 16]),
            Normal(&[1, 512, 16]),
        ],
        run: |x| Ok(vec![sequences::mamba2(&x[0], &x[1], &x[2], &x[3], &x[4])?]),
        picture: pictures::mamba2,
    },
    Shown {
        name: "rwkv6",
        inputs: &[Normal(HEADS), Normal(HEADS), Normal(HEADS), Normal(HEADS), Normal(&[64])],
        run: |x| Ok(vec![sequences::rwkv6(&x[0], &x[1], &x[2], &x[3], &x[4])?]),
        picture: pictures::rwkv6,
    },
    Shown {
        name: "fourier_mixing",
        inputs: &[Normal(&[8, 256, 256])],
        run: |x| Ok(vec![sequences::fourier_mixing(&x[0])?]),
        picture: pictures::fourier_mixing,
    },
    Shown {
        name: "sparsemax",
        inputs: &[Normal(&[1024, 1024])],
        run: |x| Ok(vec![simplex::sparsemax(&x[0])?]),
        picture: pictures::sparsemax,
    },
    Shown {
        name: "entmax15",
        inputs: &[Normal(&[1024, 1024])],
        run: |x| Ok(vec![simplex::entmax15(&x[0])?]),
        picture: pictures::entmax15,
    },
    Shown {
        name: "sinkhorn_step",
        inputs: &[Between(0.0, 1.0, &[1024, 1024]), Normal(&[1024]), Normal(&[1024]), Normal(&[1024])],
        run: |x| {
            let (f, g) = simplex::sinkhorn_step(&x[0], &x[1], &x[2], &x[3], None)?;
            Ok(vec![f, g])
        },
        picture: pictures::sinkhorn_step,
    },
    Shown {
        name: "focal_loss",
        inputs: &[Normal(&[4096, 1000]), Index(1000, &[4096])],
        run: |x| Ok(vec![losses::focal_loss(&x[0], &x[1], None)?]),
        picture: pictures::focal_loss,
    },
    Shown {
        name: "simpo_loss",
        inputs: &[Normal(&[256, 1024]), Normal(&[256, 1024]), Ones(&[256, 1024]), Ones(&[256, 1024])],
        run: |x| Ok(vec![losses::simpo_loss(&x[0], &x[1], &x[2], &x[3], None, None)?]),
        picture: pictures::simpo_loss,
    },
    Shown {
        name: "dapo_loss",
        inputs: &[Normal(&[64, 4096]), Fixed(&[64, 4096]), Fixed(&[64]), Ones(&[64, 4096])],
        run: |x| Ok(vec![losses::dapo_loss(&x[0], &x[1], &x[2], &x[3])?]),
        picture: pictures::dapo_loss,
    },
    Shown {
        name: "vector_quantize",
        inputs: &[Normal(&[8192, 64]), Normal(&[512, 64])],
        run: |x| {
            let (nearest, code, loss) = codes::vector_quantize(&x[0], &x[1])?;
            Ok(vec![nearest, code, loss])
        },
        picture: pictures::vector_quantize,
    },
    Shown {
        name: "k_means_step",
        inputs: &[Normal(&[32768, 16]), Normal(&[64, 16])],
        run: |x| Ok(vec![codes::k_means_step(&x[0], &x[1])?]),
        picture: pictures::k_means_step,
    },
    Shown {
        name: "render_distances",
        inputs: &[Normal(&[16384, 64]), Between(0.0, 0.1, &[16384, 64]), Between(0.0, 1.0, &[16384, 3, 64])],
        run: |x| Ok(vec![fields::render_distances(&x[0], &x[1], &x[2], None)?]),
        picture: pictures::render_distances,
    },
    Shown {
        name: "kan_layer",
        inputs: &[Between(-1.0, 1.0, &[1024, 64]), Normal(&[64, 11, 64]), Normal(&[64, 64])],
        run: |x| Ok(vec![fields::kan_layer(&x[0], &x[1], &x[2])?]),
        picture: pictures::kan_layer,
    },
    Shown {
        name: "gravity",
        inputs: &[Normal(&[3, 2048]), Between(0.0, 1.0, &[2048])],
        run: |x| Ok(vec![fields::gravity(&x[0], &x[1], None)?]),
        picture: pictures::gravity,
    },
    Shown {
        name: "gray_scott",
        inputs: &[Between(0.0, 1.0, &[2, 1024, 1024])],
        run: |x| Ok(vec![fields::gray_scott(&x[0], None, None)?]),
        picture: pictures::gray_scott,
    },
];
