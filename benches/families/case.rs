//! What is measured: a declared op with its arguments, at a size.

use rayon::prelude::*;
use tensor_op::prelude::*;

/// An op of `declarations.rs`.
pub(crate) struct Case {
    pub(crate) family: &'static str,
    pub(crate) name: &'static str,
    pub(crate) args: &'static [Arg],
    /// The sizes of the dims, outermost first; one of them is 0 and takes what is left of the elements.
    pub(crate) sizes: &'static [&'static [usize]],
    pub(crate) run: fn(&[Tensor]) -> Result<Vec<Tensor>>,
}

pub(crate) struct Arg {
    pub(crate) content: Content,
    /// The rows of a table stand in front of its dims.
    pub(crate) rows: Option<usize>,
    /// Positions among the sizes.
    pub(crate) dims: &'static [usize],
}

/// What is in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Floats from -1 to 1, whose gradient is wanted.
    Float,
    /// Bools, half of which are true.
    Bool,
    /// Ints from 0 to this.
    Below(usize),
}

/// A case with the dtype of its floats and the shapes of its arguments.
pub(crate) struct Run {
    pub(crate) case: &'static Case,
    pub(crate) dtype: DType,
    pub(crate) shapes: Vec<Vec<usize>>,
    sizes: Vec<usize>,
}

impl Run {
    /// The case at its sizes of this index, with about so many elements in the largest tensor.
    pub(crate) fn new(case: &'static Case, dtype: DType, index: usize, elements: usize) -> Run {
        let fixed = case.sizes[index];
        let rest: usize = fixed.iter().filter(|size| **size > 0).product();
        let free = (elements / rest).max(1);
        let sizes: Vec<usize> = fixed.iter().map(|size| if *size == 0 { free } else { *size }).collect();
        let shape = |arg: &Arg| arg.rows.into_iter().chain(arg.dims.iter().map(|dim| sizes[*dim])).collect();
        Run { case, dtype, shapes: case.args.iter().map(shape).collect(), sizes }
    }

    pub(crate) fn name(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        format!("{} {} {}", self.case.name, self.dtype, sizes.join("x"))
    }

    /// The line by which `pytorch.py` is asked for the same: name, dtype, and for each argument its content
    /// and its shape.
    pub(crate) fn request(&self) -> String {
        let args = self.case.args.iter().zip(&self.shapes).map(|(arg, shape)| {
            let content = match arg.content {
                Content::Float => "float".to_owned(),
                Content::Bool => "bool".to_owned(),
                Content::Below(end) => end.to_string(),
            };
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("{content}:{}", shape.join(","))
        });
        let args: Vec<String> = args.collect();
        format!("{} {} {}", self.case.name, self.dtype, args.join(" "))
    }

    /// The arguments, with the same elements as in `pytorch.py`.
    pub(crate) fn args(&self, device: &Device) -> Result<Vec<Tensor>> {
        let args = self.case.args.iter().zip(&self.shapes).enumerate();
        args.map(|(at, (arg, shape))| self.arg(at as u64, arg.content, shape, device)).collect()
    }

    fn arg(&self, at: u64, content: Content, shape: &[usize], device: &Device) -> Result<Tensor> {
        let count: usize = shape.iter().product();
        let numbers = (0..count as u64).into_par_iter().map(|index| pseudo_random(index, at));
        let tensor = match content {
            Content::Float => {
                let unit = |number| (number as f64 / PRIME as f64 * 2.0 - 1.0) as f32;
                Tensor::from_vec(numbers.map(unit).collect(), shape.to_vec(), device)?.cast(self.dtype)?
            }
            Content::Bool => {
                Tensor::from_vec(numbers.map(|number| number % 2 == 1).collect(), shape.to_vec(), device)?
            }
            Content::Below(end) => {
                let below = |number| (number % end as u64) as i64;
                Tensor::from_vec(numbers.map(below).collect(), shape.to_vec(), device)?
            }
        };
        Ok(tensor)
    }

    /// The least bytes that the op moves, and that a step moves: each argument is read and each result
    /// written, and for the gradient arguments and gradients of the results are read, and gradients written.
    pub(crate) fn bytes(&self, results: &[Tensor]) -> [f64; 2] {
        let of = |shape: &[usize], dtype: DType| (shape.iter().product::<usize>() * dtype.size()) as f64;
        let (mut args, mut floats) = (0.0, 0.0);
        for (arg, shape) in self.case.args.iter().zip(&self.shapes) {
            match arg.content {
                Content::Float => floats += of(shape, self.dtype),
                Content::Bool => args += of(shape, DType::Bool),
                Content::Below(_) => args += of(shape, DType::I64),
            }
        }
        let results: f64 = results.iter().map(|result| of(&result.shape(), result.dtype())).sum();
        let forward = args + floats + results;
        [forward, forward + args + floats + results + floats]
    }
}

const PRIME: u64 = (1 << 31) - 1;

/// A number below `PRIME`, by squares modulo a prime.
pub(crate) fn pseudo_random(index: u64, seed: u64) -> u64 {
    let first = (index * 16_807 + seed * 7_919 + 12_345) % PRIME;
    let second = (first * first + 48_271) % PRIME;
    second * second % PRIME
}
