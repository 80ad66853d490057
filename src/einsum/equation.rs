//! The notation: `bij,bjk->bik`.

use crate::{Error, ErrorKind, Result};
use std::fmt;

/// What stands for axes of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Label {
    /// `...`: all axes without a letter.
    Rest,
    /// One axis.
    Letter(char),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Rest => f.write_str("..."),
            Label::Letter(letter) => letter.fmt(f),
        }
    }
}

/// The axes of the operands and of the result.
#[derive(Debug, PartialEq)]
pub(super) struct Equation {
    pub(super) operands: Vec<Vec<Label>>,
    pub(super) result: Vec<Label>,
}

impl Equation {
    /// Reads an equation for this number of operands.
    pub(super) fn parse(text: &str, count: usize) -> Result<Equation> {
        let (operands, result) = match text.split_once("->") {
            Some((operands, result)) => (operands, Some(result)),
            None => (text, None),
        };
        let operands = operands.split(',').enumerate();
        let operands = operands.map(|(place, text)| labels(text, &format!("operand {place}")));
        let operands = operands.collect::<Result<Vec<_>>>()?;
        if operands.len() != count {
            let message = format!("the equation has {} operands, and {count} were given", operands.len());
            return Err(Error::new(ErrorKind::Length, message));
        }
        let result = match result {
            Some(text) => checked(labels(text, "the result")?, &operands)?,
            None => implied(&operands),
        };
        Ok(Equation { operands, result })
    }
}

fn labels(text: &str, place: &str) -> Result<Vec<Label>> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Syntax, format!("{place}: {message}")));
    let mut labels = vec![];
    let mut rest = text.trim();
    while let Some(found) = rest.chars().next() {
        let (label, length) = match found {
            _ if rest.starts_with("...") => (Label::Rest, 3),
            'a'..='z' | 'A'..='Z' => (Label::Letter(found), 1),
            '.' => return wrong("a `.` is not one of three, as in `...`".to_string()),
            _ => return wrong(format!("`{found}` is no letter, and neither `...`, `,` nor `->`")),
        };
        if label == Label::Rest && labels.contains(&label) {
            return wrong("`...` stands there twice".to_string());
        }
        labels.push(label);
        rest = rest[length..].trim_start();
    }
    Ok(labels)
}

/// The written axes of the result, each of which an operand has.
fn checked(result: Vec<Label>, operands: &[Vec<Label>]) -> Result<Vec<Label>> {
    for (place, label) in result.iter().enumerate() {
        let message = if result[..place].contains(label) {
            format!("`{label}` stands there twice")
        } else if *label != Label::Rest && !operands.iter().any(|own| own.contains(label)) {
            format!("no operand has `{label}`")
        } else {
            continue;
        };
        return Err(Error::new(ErrorKind::Syntax, format!("the result: {message}")));
    }
    Ok(result)
}

/// `...`, and then the letters that stand there once.
fn implied(operands: &[Vec<Label>]) -> Vec<Label> {
    let mut all: Vec<Label> = operands.concat();
    all.sort_unstable();
    let once = |label: &&Label| all.iter().filter(|other| other == label).count() == 1;
    let rest = all.first().filter(|label| **label == Label::Rest);
    let letters = all.iter().filter(|label| **label != Label::Rest).filter(once);
    rest.into_iter().chain(letters).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_written_or_implied() {
        // The equation, and the result.
        let cases = [
            ("ij,jk", "ik"),
            ("ij , jk -> ki", "ki"),
            ("ba", "ab"),
            ("aB", "Ba"),
            ("ii", ""),
            ("i...,...j", "...ij"),
            ("...i->...", "..."),
            ("...i->i", "i"),
            ("->", ""),
        ];
        for (text, result) in cases {
            let count = text.split(',').count();
            let found = Equation::parse(text, count).unwrap().result;
            assert_eq!(found.iter().map(Label::to_string).collect::<String>(), result, "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_operand_and_the_letter() {
        // The equation, and the error.
        let cases = [
            ("ij,j1->i", "operand 1: `1` is no letter, and neither `...`, `,` nor `->`"),
            ("i..", "operand 0: a `.` is not one of three, as in `...`"),
            ("...i...", "operand 0: `...` stands there twice"),
            ("ij->iji", "the result: `i` stands there twice"),
            ("ij->ik", "the result: no operand has `k`"),
            ("i->i->i", "the result: `-` is no letter, and neither `...`, `,` nor `->`"),
            ("é", "operand 0: `é` is no letter, and neither `...`, `,` nor `->`"),
        ];
        for (text, message) in cases {
            let count = text.split(',').count();
            assert_eq!(Equation::parse(text, count).unwrap_err().to_string(), message, "{text}");
        }
        let message = "the equation has 1 operands, and 2 were given";
        assert_eq!(Equation::parse("ij", 2).unwrap_err().to_string(), message);
        assert!(Equation::parse("", 0).is_err());
    }
}
