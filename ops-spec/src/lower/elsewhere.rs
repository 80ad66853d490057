//! Functions of PyTorch, NumPy, JAX and Rust that the language has under another name, or as an expression,
//! or does not have at all.

use super::names::function;

/// One line per advice: names, a colon, and what to write instead.
const TABLE: &str = include_str!("elsewhere.txt");

/// The advice that completes the message about an unknown function.
pub(super) fn advice(name: &str) -> Option<String> {
    let row = rows().find(|(names, _)| names.split(' ').any(|known| known == name));
    if let Some((_, advice)) = row {
        return Some(advice.to_string());
    }
    let plain = name.strip_suffix('_').filter(|plain| function(plain).is_some())?;
    Some(format!("nothing changes in place: write `{plain}(..)`"))
}

/// For each row the names, separated by spaces, and the advice.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Argument, Expr, ExprKind};
    use crate::diag::Errors;
    use crate::lower::names::unknown_function;
    use crate::parse;
    use crate::prim::Prim;

    #[test]
    fn no_name_is_of_the_language_or_stands_twice() {
        let names: Vec<&str> = rows().flat_map(|(names, _)| names.split(' ')).collect();
        for (place, name) in names.iter().enumerate() {
            assert!(function(name).is_none(), "`{name}` is a function");
            assert!(Prim::from_name(name).and_then(Prim::operator).is_none(), "`{name}` is an operator");
            assert!(!names[..place].contains(name), "`{name}` stands twice");
            assert!(unknown_function(name).starts_with(&format!("unknown function `{name}`: ")));
        }
        assert!(names.len() >= 80, "{} names", names.len());
    }

    /// Text between backticks that calls something must be an expression, and the functions in it must exist.
    #[test]
    fn what_is_advised_is_of_the_language() {
        let mut checked = 0;
        for (names, advice) in rows() {
            let snippets = advice.split('`').skip(1).step_by(2);
            for snippet in snippets.filter(|s| !s.contains("Tensor") && !s.contains("..)") && s.contains('('))
            {
                if snippet.starts_with("x.to(") || snippet.starts_with("x.into_array(") {
                    continue;
                }
                let parsed: syn::Expr =
                    syn::parse_str(snippet).unwrap_or_else(|error| panic!("{names:?}: `{snippet}`: {error}"));
                let mut errors = Errors::new();
                let parsed = parse::expression(&mut errors, &parsed);
                assert!(errors.gate().is_ok(), "{names:?}: `{snippet}` is not of the language");
                called(&parsed, &mut |name| {
                    assert!(function(name).is_some(), "{names:?}: no function `{name}`")
                });
                checked += 1;
            }
        }
        assert!(checked > 60, "{checked} expressions");
    }

    fn called(e: &Expr, visit: &mut impl FnMut(&str)) {
        match &e.kind {
            ExprKind::Call(name, args) => {
                visit(&name.to_string());
                for arg in args {
                    let (Argument::Plain(e) | Argument::Index(_, e)) = arg;
                    called(e, visit);
                }
            }
            ExprKind::Operator(..) | ExprKind::Tuple(_) | ExprKind::Form(_) => {
                e.parts().into_iter().for_each(|part| called(part, visit))
            }
            ExprKind::OpCall(_) | ExprKind::Name(_) | ExprKind::Group | ExprKind::Error => {}
            ExprKind::Int(_) | ExprKind::Literal(_) => {}
        }
    }
}
