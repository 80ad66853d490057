//! The error of everything public: what went wrong, and in which op, argument and dim.

use std::fmt;
use tensor_op_spec::ir::Graph;

/// Result of anything that can be misused or fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation could not be done. One pointer wide, so that `Result` stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

/// What sort of thing is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Sizes that disagree, or do not divide.
    Shape,
    /// A dtype of the wrong kind, or two that differ.
    DType,
    /// An unknown device, or tensors on two devices.
    Device,
    /// Too few or too many axes, or an axis out of range.
    Rank,
    /// An index out of range.
    Index,
    /// A reduction over no elements that has no value there.
    Empty,
    /// More elements than can be counted.
    Overflow,
    /// Not as many elements or arguments as wanted.
    Length,
    /// Something that the backend or op does not do.
    Unsupported,
    /// A gradient that does not exist.
    Gradient,
    /// A failure inside a backend or its driver.
    Backend,
}

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    op: Option<String>,
    arg: Option<String>,
    dim: Option<String>,
    message: String,
}

impl Error {
    /// An error that names nothing yet. The message is lower case and goes on after ``dim `n` `` if a dim is
    /// named.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, op: None, arg: None, dim: None, message: message.into() }))
    }

    /// Names the op, unless the error names one.
    pub fn with_op(mut self, op: &str) -> Error {
        self.0.op.get_or_insert_with(|| op.to_string());
        self
    }

    /// Names the argument, unless the error names one.
    pub fn with_arg(mut self, arg: &str) -> Error {
        self.0.arg.get_or_insert_with(|| arg.to_string());
        self
    }

    /// Names the op, and its argument with this index if it has one.
    pub fn of_arg(self, graph: &Graph, index: usize) -> Error {
        let error = self.with_op(&graph.name);
        match graph.args.get(index) {
            Some(arg) => error.with_arg(&arg.name),
            None => error,
        }
    }

    /// Names the dim, unless the error names one.
    pub fn with_dim(mut self, dim: &str) -> Error {
        self.0.dim.get_or_insert_with(|| dim.to_string());
        self
    }

    /// What sort of thing is at fault.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The op, if known.
    pub fn op(&self) -> Option<&str> {
        self.0.op.as_deref()
    }

    /// The argument at fault, if one is.
    pub fn arg(&self) -> Option<&str> {
        self.0.arg.as_deref()
    }

    /// The dim at fault, if one is.
    pub fn dim(&self) -> Option<&str> {
        self.0.dim.as_deref()
    }

    /// What is wrong, without the names before it.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(op) = &self.0.op {
            write!(f, "{op}: ")?;
        }
        if let Some(arg) = &self.0.arg {
            write!(f, "`{arg}`: ")?;
        }
        if let Some(dim) = &self.0.dim {
            write!(f, "dim `{dim}` ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_first_and_the_inner_one_stays() {
        let error = Error::new(ErrorKind::Shape, "is 3 here and 4 in `gamma`");
        let error = error.with_dim("n").with_arg("x").with_op("rms_norm").with_op("outer");
        assert_eq!(error.to_string(), "rms_norm: `x`: dim `n` is 3 here and 4 in `gamma`");
        assert_eq!((error.op(), error.arg(), error.dim()), (Some("rms_norm"), Some("x"), Some("n")));
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
