//! The first few words of a row, without sorting the row.

use super::key::Word;

/// A row of fewer words for each one that is wanted is sorted as a whole.
const WORTH: usize = 8;
/// At least so many words are kept between two selections.
const FEWEST: usize = 512;

/// How many words the list has at most.
pub(super) fn most(wanted: usize, len: usize) -> usize {
    if is_whole(wanted, len) { len } else { (2 * wanted).max(FEWEST) }
}

/// Whether so many words are wanted that the list gets all of them.
fn is_whole(wanted: usize, len: usize) -> bool {
    wanted * WORTH > len
}

/// Puts words into an empty list, among them the `wanted` smallest ones of `len` words. Words that are larger
/// than `wanted` words before them are left out on the way, so that the list stays short.
pub(super) fn first<W: Word>(row: impl Iterator<Item = W>, wanted: usize, len: usize, words: &mut Vec<W>) {
    if is_whole(wanted, len) {
        words.extend(row);
        return;
    }
    let most = most(wanted, len);
    let mut limit: Option<W> = None;
    for word in row {
        if limit.is_some_and(|limit| word >= limit) {
            continue;
        }
        words.push(word);
        if words.len() == most {
            let (_, last, _) = words.select_nth_unstable(wanted - 1);
            limit = Some(*last);
            words.truncate(wanted);
        }
    }
}
