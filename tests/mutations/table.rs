//! The table of faults in docs/testing.md, and its comparison with the faults that were found.

use crate::battery::{Caught, Checked};
use crate::family::What;
use std::path::Path;
use tensor_op::testing::{Level, seed};

/// The lines of the page before and after the table.
const FROM: &str = "<!-- mutations -->\n";
const TO: &str = "<!-- end of mutations -->\n";

/// Compares the table of the page with the result, or writes it. With another seed, other claims may catch a
/// fault.
pub(crate) fn is_documented(checked: &[Checked]) {
    if seed().is_ok_and(|seed| seed != 0) {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/testing.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (head, rest) = page.split_once(FROM).expect("the page says where the table begins");
    let (_, tail) = rest.split_once(TO).expect("the page says where the table ends");
    let expected = format!("{head}{FROM}{}{TO}{tail}", table(checked));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &expected).expect("the folder is in the repository");
    } else {
        assert!(page == expected, "docs/testing.md is out of date: run this test with UPDATE=1");
    }
}

/// A line for each correct op. The faults of its family follow.
fn table(checked: &[Checked]) -> String {
    let mut lines = vec!["| fault | caught by |".to_string(), "|---|---|".to_string()];
    for family in checked {
        let what = match family.what {
            What::Kernel => "kernel",
            What::Rule => "rule",
            What::Derivative => "derivatives",
        };
        lines.push(format!("| **{what} of** `{}` | |", family.declaration));
        for Caught { fault, claims, level } in &family.caught {
            let claims: Vec<String> = claims.iter().map(|claim| format!("`{claim}`")).collect();
            let at = if *level == Level::Full { ", at the full level" } else { "" };
            lines.push(format!("| {fault} | {}{at} |", claims.join(", ")));
        }
    }
    lines.join("\n") + "\n"
}
