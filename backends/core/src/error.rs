//! The error type of all public functions: what went wrong, and in which op, argument and dim.

use std::fmt;
use tensor_op_spec::ir::Graph;

/// Result of anything that can be misused or fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation could not be done. It has the size of one pointer, so that `Result` stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

/// The category of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Sizes that disagree or do not divide.
    Shape,
    /// A dtype of the wrong kind, or two dtypes that differ.
    DType,
    /// An unknown device, or tensors on two devices.
    Device,
    /// Too few or too many axes, or an axis out of range.
    Rank,
    /// An index out of range.
    Index,
    /// A reduction over no elements that has no value.
    Empty,
    /// More elements than can be counted.
    Overflow,
    /// The wrong number of elements or arguments.
    Length,
    /// Something that the backend or op does not support.
    Unsupported,
    /// A gradient that does not exist.
    Gradient,
    /// A failure inside a backend or its driver.
    Backend,
    /// A file that can't be read or written, or bytes that are not in its format.
    File,
    /// A name that no function has, or that one has already.
    Name,
    /// Text that is not in its notation.
    Syntax,
}

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    backend: Option<String>,
    op: Option<String>,
    arg: Option<String>,
    dim: Option<String>,
    message: String,
    backtrace: Option<String>,
}

impl Error {
    /// An error that names nothing yet. The message is lower case. If a dim is named, the message continues
    /// the text ``dim `n` ``.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            kind,
            backend: None,
            op: None,
            arg: None,
            dim: None,
            message: message.into(),
            backtrace: None,
        }))
    }

    /// Adds the name of the op, unless the error already has one.
    pub fn with_op(mut self, op: &str) -> Error {
        self.0.op.get_or_insert_with(|| op.to_string());
        self
    }

    /// The same error as one of another op, which ran this one.
    pub fn renamed(mut self, op: &str) -> Error {
        self.0.op = Some(op.to_string());
        self
    }

    /// Adds the name of the argument, unless the error already has one.
    pub fn with_arg(mut self, arg: &str) -> Error {
        self.0.arg.get_or_insert_with(|| arg.to_string());
        self
    }

    /// Adds the name of the op, and of its argument with this index if there is one.
    pub fn of_arg(self, graph: &Graph, index: usize) -> Error {
        let error = self.with_op(&graph.name);
        match graph.args.get(index) {
            Some(arg) => error.with_arg(&arg.name),
            None => error,
        }
    }

    /// Adds the name of the dim, unless the error already has one.
    pub fn with_dim(mut self, dim: &str) -> Error {
        self.0.dim.get_or_insert_with(|| dim.to_string());
        self
    }

    /// Adds the name of the backend that failed, unless the error already has one.
    pub fn of_backend(mut self, backend: &str) -> Error {
        self.0.backend.get_or_insert_with(|| backend.to_string());
        self
    }

    /// Adds where a backend or its driver met the error.
    pub fn with_backtrace(mut self, backtrace: impl Into<String>) -> Error {
        self.0.backtrace = Some(backtrace.into());
        self
    }

    /// The category of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The backend that failed. `None` if it is a call that was wrong.
    pub fn backend(&self) -> Option<&str> {
        self.0.backend.as_deref()
    }

    /// The op, if known.
    pub fn op(&self) -> Option<&str> {
        self.0.op.as_deref()
    }

    /// The argument that caused the error, if there is one.
    pub fn arg(&self) -> Option<&str> {
        self.0.arg.as_deref()
    }

    /// The dim that caused the error, if there is one.
    pub fn dim(&self) -> Option<&str> {
        self.0.dim.as_deref()
    }

    /// What is wrong, without the names in front.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where a backend or its driver met the error, if it says so. It is no part of the message.
    pub fn backtrace(&self) -> Option<&str> {
        self.0.backtrace.as_deref()
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
        if let Some(backend) = &self.0.backend {
            write!(f, "the backend `{backend}`: ")?;
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
        let failed = error.clone().of_backend("gpu").of_backend("outer");
        assert_eq!(
            failed.to_string(),
            "rms_norm: `x`: the backend `gpu`: dim `n` is 3 here and 4 in `gamma`"
        );
        assert_eq!((error.backend(), failed.backend()), (None, Some("gpu")));
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
        assert_eq!(error.backtrace(), None);
        let traced = error.clone().with_backtrace("0: main");
        assert_eq!((traced.to_string(), traced.backtrace()), (error.to_string(), Some("0: main")));
    }
}
