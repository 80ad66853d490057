//! What the command line asks for.

use tensor_op::Precision;

/// `[DEVICE] [--python PROGRAM] [--precision high] [--only WORD]`.
pub(crate) struct Options {
    pub(crate) device: String,
    pub(crate) python: String,
    pub(crate) precision: Option<Precision>,
    /// What the names of cases must contain.
    pub(crate) only: String,
}

impl Options {
    pub(crate) fn read() -> Options {
        let (device, python) = ("cpu".into(), "python3".into());
        let mut options = Options { device, python, precision: None, only: String::new() };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} takes a value"));
            match word.as_str() {
                "--python" => options.python = value(),
                "--precision" => options.precision = Some(precision(&value())),
                "--only" => options.only = value(),
                device => options.device = device.into(),
            }
        }
        options
    }
}

fn precision(word: &str) -> Precision {
    Precision::from_name(word).unwrap_or_else(|| panic!("`{word}` is no precision"))
}
