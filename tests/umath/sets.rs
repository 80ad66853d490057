//! The sets as they are stored: a text file for each function, in a folder or in the archive next to this
//! file.

use crate::files;
use std::error::Error;
use std::path::Path;
use tensor_op::DType;

/// The project's own copy of the sets, which `make.sh` makes.
const ARCHIVE: &[u8] = include_bytes!("sets.tar.gz");

/// The dtype of a set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    F32,
    F64,
}

/// Inputs of one function in one dtype, with the results after one rounding. f64 has all numbers of f32.
pub(crate) struct Set {
    /// NumPy's name.
    pub(crate) name: String,
    pub(crate) width: Width,
    pub(crate) inputs: Vec<f64>,
    pub(crate) outputs: Vec<f64>,
    /// The largest error that NumPy's own test allows.
    pub(crate) limit: u64,
}

/// The sets of the folder, or of the project's own copy, by name and dtype.
pub(crate) fn all(folder: Option<&Path>) -> Result<Vec<Set>, Box<dyn Error>> {
    let mut sets = vec![];
    for (path, bytes) in files::files(folder, ARCHIVE, "csv")? {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).ok_or("a file has no name")?;
        let name = stem.rsplit('-').next().unwrap_or(stem);
        let text = String::from_utf8(bytes)?;
        for width in [Width::F32, Width::F64] {
            sets.push(Set::read(name, width, &text)?);
        }
    }
    Ok(sets)
}

impl Set {
    fn read(name: &str, width: Width, text: &str) -> Result<Set, Box<dyn Error>> {
        let mut set = Set { name: name.to_string(), width, inputs: vec![], outputs: vec![], limit: 0 };
        for line in text.lines() {
            // Comments and the names of columns have no dtype.
            let Some(values) = line.strip_prefix(width.prefix()) else { continue };
            let values: Vec<&str> = values.trim().split(',').collect();
            let [input, output, limit] = values[..] else {
                return Err(format!("{name}: `{line}` has no three values").into());
            };
            set.inputs.push(width.parse(input)?);
            set.outputs.push(width.parse(output)?);
            set.limit = set.limit.max(limit.parse()?);
        }
        Ok(set)
    }
}

impl Width {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Width::F32 => "f32",
            Width::F64 => "f64",
        }
    }

    pub(crate) fn dtype(self) -> DType {
        match self {
            Width::F32 => DType::F32,
            Width::F64 => DType::F64,
        }
    }

    /// How a line of this dtype begins.
    fn prefix(self) -> &'static str {
        match self {
            Width::F32 => "np.float32,",
            Width::F64 => "np.float64,",
        }
    }

    /// From its bits in hexadecimal digits.
    fn parse(self, text: &str) -> Result<f64, Box<dyn Error>> {
        let digits = text.strip_prefix("0x").ok_or(format!("`{text}` is no number in hexadecimal digits"))?;
        Ok(match self {
            Width::F32 => f32::from_bits(u32::from_str_radix(digits, 16)?).into(),
            Width::F64 => f64::from_bits(u64::from_str_radix(digits, 16)?),
        })
    }

    /// The place of a number among the floats, counted from 0.
    pub(crate) fn place(self, x: f64) -> i64 {
        let magnitude = match self {
            Width::F32 => (x.abs() as f32).to_bits().into(),
            Width::F64 => x.abs().to_bits() as i64,
        };
        if x.is_sign_negative() { -magnitude } else { magnitude }
    }

    /// Whether a number is so small that it has fewer digits.
    pub(crate) fn is_subnormal(self, x: f64) -> bool {
        let smallest = match self {
            Width::F32 => f32::MIN_POSITIVE.into(),
            Width::F64 => f64::MIN_POSITIVE,
        };
        x != 0.0 && x.abs() < smallest
    }
}
