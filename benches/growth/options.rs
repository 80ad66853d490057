//! What the command line asks for.

/// `[DEVICE] [--most BYTES] [--svg FILE]`.
pub(crate) struct Options {
    pub(crate) device: String,
    /// The bytes that the largest call moves.
    pub(crate) most: usize,
    pub(crate) svg: Option<String>,
}

impl Options {
    pub(crate) fn read() -> Options {
        let mut options = Options { device: "cpu".into(), most: 1 << 30, svg: None };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} takes a value"));
            match word.as_str() {
                "--most" => options.most = bytes(&value()),
                "--svg" => options.svg = Some(value()),
                device => options.device = device.into(),
            }
        }
        options
    }
}

/// `64M` or `16G`.
fn bytes(text: &str) -> usize {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1 << 30),
        Some(_) | None => (text, 1),
    };
    number.parse::<usize>().unwrap_or_else(|_| panic!("`{text}` is no number of bytes")) * unit
}
