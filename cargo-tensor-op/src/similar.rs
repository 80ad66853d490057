//! Names that a user may have meant.

/// Whether a reader may have meant the other name.
pub(crate) fn is_similar(wanted: &str, known: &str) -> bool {
    let (wanted, known) = (wanted.to_lowercase(), known.to_lowercase());
    let is_part =
        wanted.len() >= 3 && (known.contains(&wanted) || wanted.contains(&known) && known.len() >= 3);
    is_part || distance(&wanted, &known) <= wanted.len() / 3
}

/// The number of letters to change, insert or leave out (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in b.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}
