//! What the command line asks for.

use tensor_op::DType;

/// `[DEVICE] [--python PROGRAM] [--dtype DTYPE] [--only WORD] [--size INDEX] [--elements N] [--compilers N]`.
pub(crate) struct Options {
    pub(crate) device: String,
    pub(crate) python: String,
    pub(crate) dtypes: Vec<DType>,
    /// What the names of formulas must contain.
    pub(crate) only: String,
    /// Which of a formula's sizes; without it those of index 0 and 1 in turn.
    pub(crate) size: Option<usize>,
    /// How many elements the largest tensor has, about.
    pub(crate) elements: usize,
    /// How many processes compile PyTorch's functions beforehand.
    pub(crate) compilers: usize,
}

impl Options {
    pub(crate) fn read() -> Options {
        let mut options = Options {
            device: "cpu".into(),
            python: "python3".into(),
            dtypes: vec![DType::F32, DType::BF16],
            only: String::new(),
            size: None,
            elements: 0,
            compilers: 0,
        };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} takes a value"));
            match word.as_str() {
                "--python" => options.python = value(),
                "--dtype" => options.dtypes = vec![dtype(&value())],
                "--only" => options.only = value(),
                "--size" => options.size = Some(number(&word, &value())),
                "--elements" => options.elements = number(&word, &value()),
                "--compilers" => options.compilers = number(&word, &value()),
                device => options.device = device.into(),
            }
        }
        if options.elements == 0 {
            options.elements = if options.device == "cpu" { 1 << 21 } else { 1 << 25 };
        }
        options
    }
}

fn number(word: &str, text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("{word} takes a number, and {text} is none"))
}

fn dtype(word: &str) -> DType {
    let known = [DType::F64, DType::F32, DType::BF16, DType::F16];
    let found = known.into_iter().find(|dtype| dtype.to_string() == word);
    found.unwrap_or_else(|| panic!("`{word}` is no dtype of floats"))
}
