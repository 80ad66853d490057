//! A place in a line of text, and the words that can be read from there.

use crate::ir::{Kind, Scalar};

/// What was read, or what was expected.
pub(super) type Parsed<T> = Result<T, String>;

/// The rest of a line. It starts with no space.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) rest: &'t str,
}

impl<'t> Cursor<'t> {
    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(format!("expected `{text}` at `{}`", self.rest)) }
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    pub(super) fn word(&mut self) -> Parsed<&'t str> {
        if self.eat("..") {
            return Ok("..");
        }
        match self.take(|c| c.is_alphanumeric() || c == '_') {
            "" => Err(format!("expected a name at `{}`", self.rest)),
            word => Ok(word),
        }
    }

    pub(super) fn kind(&mut self) -> Parsed<Kind> {
        let word = self.word()?;
        kind_named(word).ok_or_else(|| format!("`{word}` is no kind of element"))
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let word = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
        word.parse().map_err(|_| format!("`{word}` is no number of the right type"))
    }

    pub(super) fn scalar(&mut self, kind: Kind) -> Parsed<Scalar> {
        match kind {
            Kind::Float => self.number().map(Scalar::Float),
            Kind::Int => self.number().map(Scalar::Int),
            Kind::Bool => match self.word()? {
                "true" => Ok(Scalar::Bool(true)),
                "false" => Ok(Scalar::Bool(false)),
                other => Err(format!("`{other}` is neither true nor false")),
            },
        }
    }
}

/// The kind of this name.
pub(super) fn kind_named(word: &str) -> Option<Kind> {
    [Kind::Float, Kind::Int, Kind::Bool].into_iter().find(|kind| kind.name() == word)
}
