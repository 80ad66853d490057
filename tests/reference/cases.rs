//! Reads the reference files: one case per line, as `make.py` describes.

/// The inputs of an op, and the results that it must give, with a tolerance.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) forward: Tolerance,
    pub(crate) gradient: Tolerance,
    pub(crate) inputs: Vec<Values>,
    /// The gradients of the outputs; `None` if the case has none.
    pub(crate) seeds: Vec<Option<Values>>,
    pub(crate) outputs: Vec<Values>,
    pub(crate) gradients: Vec<Option<Values>>,
}

/// A tolerance relative to the reference, and an absolute one.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    relative: f64,
    absolute: f64,
}

/// A tensor. Ints and bools are stored as f64, in which they fit.
pub(crate) struct Values {
    pub(crate) kind: Kind,
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Int,
    Bool,
}

/// All cases of a file; `None` if a line does not have the described format.
pub(crate) fn read(text: &str) -> Option<Vec<Case>> {
    text.lines().filter(|line| !line.starts_with('#')).map(case).collect()
}

impl Tolerance {
    /// Whether a value is close enough to its reference. NaN agrees with NaN, and an infinity with itself.
    pub(crate) fn allows(self, value: f64, reference: f64) -> bool {
        value == reference
            || (value.is_nan() && reference.is_nan())
            || (reference.is_finite()
                && (value - reference).abs() <= self.absolute + self.relative * reference.abs())
    }
}

fn case(line: &str) -> Option<Case> {
    let parts: Vec<&str> = line.split(" | ").collect();
    let [name, tolerances, inputs, seeds, outputs, gradients] = parts[..] else { return None };
    let [rf, af, rg, ag] = numbers(tolerances)?[..] else { return None };
    Some(Case {
        name: name.to_string(),
        forward: Tolerance { relative: rf, absolute: af },
        gradient: Tolerance { relative: rg, absolute: ag },
        inputs: inputs.split("; ").map(values).collect::<Option<_>>()?,
        seeds: optional(seeds)?,
        outputs: outputs.split("; ").map(values).collect::<Option<_>>()?,
        gradients: optional(gradients)?,
    })
}

fn optional(text: &str) -> Option<Vec<Option<Values>>> {
    text.split("; ").map(|part| if part == "-" { Some(None) } else { values(part).map(Some) }).collect()
}

/// `f[2,3] 1 2 3 4 5 6`
fn values(text: &str) -> Option<Values> {
    let (kind, rest) = (text.chars().next()?, text.get(1..)?);
    let (shape, elements) = rest.strip_prefix('[')?.split_once(']')?;
    let kind = match kind {
        'f' => Kind::Float,
        'i' => Kind::Int,
        'b' => Kind::Bool,
        _ => return None,
    };
    let sizes = shape.split(',').filter(|size| !size.is_empty());
    let shape: Vec<usize> = sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?;
    let elements = numbers(elements)?;
    (elements.len() == shape.iter().product::<usize>()).then_some(Values { kind, shape, elements })
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}
