//! What the command line asks for.

use crate::torch::Baseline;
use tensor_op::DType;

/// `DEVICE [--op NAME] [--dtype f32] [--shape 32768x4096] [--scale 64] [--torch FILE]`.
pub(crate) struct Options {
    pub(crate) device: String,
    /// Divides the numbers of rows: for devices that are small or slow.
    pub(crate) scale: usize,
    pub(crate) baseline: Baseline,
    op: Option<String>,
    dtype: Option<String>,
    shape: Option<String>,
}

impl Options {
    pub(crate) fn read() -> Options {
        let mut options = Options {
            device: "wgpu".into(),
            scale: 1,
            baseline: Baseline::default(),
            op: None,
            dtype: None,
            shape: None,
        };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} takes a value"));
            match word.as_str() {
                "--op" => options.op = Some(value()),
                "--dtype" => options.dtype = Some(value()),
                "--shape" => options.shape = Some(value()),
                "--scale" => options.scale = value().parse().expect("a number of times"),
                "--torch" => options.baseline = Baseline::read(&value()),
                device => options.device = device.into(),
            }
        }
        options
    }

    pub(crate) fn takes_op(&self, name: &str) -> bool {
        self.op.as_ref().is_none_or(|op| op == name)
    }

    pub(crate) fn takes_dtype(&self, dtype: DType) -> bool {
        self.dtype.as_ref().is_none_or(|own| *own == dtype.to_string())
    }

    pub(crate) fn takes_shape(&self, [rows, cols]: [usize; 2]) -> bool {
        self.shape.as_ref().is_none_or(|shape| *shape == format!("{rows}x{cols}"))
    }
}
