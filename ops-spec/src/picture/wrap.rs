//! Breaks long lines at spaces.

/// The line in pieces of at most `width` characters: broken at spaces, and within a word that is longer.
/// Later pieces are indented by two more than the line.
pub fn wrap(line: &str, width: usize) -> Vec<String> {
    let indent = line.chars().take_while(|letter| *letter == ' ').count();
    let longest = width.saturating_sub(indent + 2).max(1);
    let mut pieces: Vec<String> = Vec::new();
    let mut current = " ".repeat(indent);
    // The spaces before the next word; none at the start of a piece.
    let mut spaces = 0;
    let mut is_start = true;
    for word in line.trim_start().split(' ') {
        for part in cut(word, longest) {
            let needed = current.chars().count() + spaces + part.chars().count();
            if !is_start && needed > width {
                pieces.push(std::mem::replace(&mut current, " ".repeat(indent + 2)));
                is_start = true;
            }
            if !is_start {
                current += &" ".repeat(spaces);
            }
            current += &part;
            spaces = 0;
            is_start = false;
        }
        spaces += 1;
    }
    pieces.push(current);
    pieces
}

/// A word in parts of at most `width` characters.
fn cut(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(width).map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrap("a  b", 4), ["a  b"]);
        assert_eq!(wrap("  one two  three", 9), ["  one two", "    three"]);
        assert_eq!(wrap("abcdefghij", 6), ["abcd", "  efgh", "  ij"]);
        assert_eq!(wrap("", 6), [""]);
        for width in 0..20 {
            assert!(wrap("ab cde fghij  k", width).concat().replace(' ', "") == "abcdefghijk");
        }
    }
}
