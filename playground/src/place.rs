//! Where a token stands in a text, as an editor counts.

use proc_macro2::{LineColumn, Span};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Range {
    /// Its first line, from 1.
    pub line: usize,
    /// Its first character in this line, from 1.
    pub column: usize,
    /// Where it starts, in units of UTF-16, in which a browser counts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The lines of a text.
pub(crate) struct Lines<'t>(Vec<&'t str>);

impl Lines<'_> {
    pub(crate) fn new(text: &str) -> Lines<'_> {
        Lines(text.split_inclusive('\n').collect())
    }

    /// The start of the text.
    pub(crate) fn first(&self) -> Range {
        Range { line: 1, column: 1, start: 0, end: 0 }
    }

    /// From the start of one token to the end of another. It has at least one character, unless it is at the
    /// end of the text.
    pub(crate) fn range(&self, first: Span, last: Span) -> Range {
        let from = first.start();
        let next = LineColumn { line: from.line, column: from.column + 1 };
        let end = self.offset(last.end()).max(self.offset(next));
        Range { line: from.line.max(1), column: from.column + 1, start: self.offset(from), end }
    }

    /// A place below the last line is the end of the text.
    fn offset(&self, at: LineColumn) -> usize {
        let Lines(lines) = self;
        let before = lines.iter().take(at.line.saturating_sub(1)).flat_map(|line| line.chars());
        let line = lines.get(at.line.wrapping_sub(1)).copied().unwrap_or_default();
        before.chain(line.chars().take(at.column)).map(char::len_utf16).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_count_characters_outside_of_the_first_plane_twice() {
        let lines = Lines::new("// \u{1d465}\nfn f");
        let at = |line, column| lines.offset(LineColumn { line, column });
        assert_eq!([at(1, 0), at(1, 4), at(2, 0), at(2, 3)], [0, 5, 6, 9]);
    }
}
