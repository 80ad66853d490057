//! Random declarations, right by construction: a seed in, the text of a function for `#[tensor_op]` out.
//!
//! As NNSmith does for compilers of networks (Liu et al., ASPLOS 2023): a pool of typed values grows by
//! operations whose operands fit, so that each declaration means something and reaches the later phases. Here
//! a type is a kind and a set of dims. What the language asks for beyond types holds too: all arguments are
//! used, and what has no derivative is detached.

pub mod families;
mod operation;
mod places;
mod pool;
mod random;
mod signature;

use pool::{Kind, Pool};
use random::Random;
use signature::Signature;

/// The declaration of this seed; the op is called `formula_<seed>`.
///
/// ```
/// let text = tensor_op_formulas::declaration(7);
/// assert_eq!(text, tensor_op_formulas::declaration(7));
/// assert!(text.contains("fn formula_7("));
/// ```
pub fn declaration(seed: u64) -> String {
    let mut random = Random::new(seed);
    let signature = Signature::new(&mut random);
    let mut pool = Pool::new(&signature);
    for _ in 0..2 + random.below(8) {
        operation::add(&mut pool, &mut random);
    }
    let results = pool.results(&mut random);
    let differentiable = results.iter().any(|value| value.kind == Kind::Float && value.moves);
    let attribute = if differentiable && random.percent(12) { "#[recompute]\n" } else { "" };
    let head =
        format!("{attribute}fn formula_{seed}({}) -> {}", signature.arguments(), signature.results(&results));
    let (lets, values) = pool.body(&results);
    format!("{head} {{\n{lets}    {values}\n}}\n")
}
