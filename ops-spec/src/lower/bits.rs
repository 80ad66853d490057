//! The operators `!`, `&`, `|` and `^`, which are logic on bools and work bit by bit on ints, and shifts.

use super::{Lower, Term};
use crate::ast::{Expr, ExprKind};
use crate::ir::{Kind, Scalar};
use crate::prim::{Bits, Prim};
use syn::ext::IdentExt;

impl Lower<'_> {
    /// Whether a term is an int, or a whole number.
    pub(super) fn is_int(&self, term: Term) -> bool {
        matches!(self.kind(term), None | Some(Kind::Int))
    }

    /// `!x` of an int.
    pub(super) fn complement(&mut self, term: Term) -> Term {
        let ones = self.builder.literal(Scalar::Int(-1)).id;
        let node = term.adapted(Kind::Int).map(|x| self.build(Prim::BitXor, &[x, ones]));
        node.map_or(Term::Error, Term::Node)
    }

    /// The primitive that an operator on bits stands for, and the kind of its operands.
    pub(super) fn bits(&mut self, bits: Bits, terms: &[Term], operands: &[&Expr]) -> Option<(Prim, Kind)> {
        let are_ints = terms.iter().all(|term| self.is_int(*term));
        let (of_ints, of_bools) = match bits {
            Bits::Shl => return Some((Prim::Shl, Kind::Int)),
            Bits::Shr => return Some((Prim::Shr, Kind::Int)),
            Bits::BitAnd => (Prim::BitAnd, Prim::And),
            Bits::BitOr => (Prim::BitOr, Prim::Or),
            Bits::BitXor => (Prim::BitXor, Prim::Ne),
        };
        if are_ints {
            return Some((of_ints, Kind::Int));
        }
        self.are_bools(of_ints, terms, operands).then_some((of_bools, Kind::Bool))
    }

    /// Whether all operands of `&&`, `||`, `&`, `|` or `^` are bools. It is said which one is none.
    pub(super) fn are_bools(&mut self, prim: Prim, terms: &[Term], operands: &[&Expr]) -> bool {
        let are_bools = terms.iter().all(|term| self.kind(*term) == Some(Kind::Bool));
        if !are_bools {
            self.odd_operand(prim, terms, operands);
        }
        are_bools
    }

    /// Says which operand is of the wrong kind. Rust reads `x > 0.0 & y` as `x > (0.0 & y)`, so the mistake
    /// is most often that parentheses are missing.
    fn odd_operand(&mut self, prim: Prim, terms: &[Term], operands: &[&Expr]) {
        let kinds: Vec<Kind> = terms.iter().map(|term| self.kind(*term).unwrap_or(Kind::Int)).collect();
        let (name, takes) = match prim {
            Prim::And => ("&&", "takes bool"),
            Prim::Or => ("||", "takes bool"),
            _ if kinds.contains(&Kind::Bool) => (prim.written(), "has a bool on its other side"),
            _ => (prim.written(), "takes bools or ints"),
        };
        let wrong = |kind: &Kind| match takes {
            "takes bools or ints" => *kind == Kind::Float,
            _ => *kind != Kind::Bool,
        };
        let odd = kinds.iter().position(wrong).unwrap_or(0);
        let has_int = terms.iter().any(|term| self.kind(*term) == Some(Kind::Int));
        let hint = match &operands[odd].kind {
            ExprKind::Name(value) if has_int && kinds[odd] == Kind::Float => {
                format!("write `cast({}, int)`", value.unraw())
            }
            ExprKind::Name(value) if name != "^" => {
                format!("compare it, in parentheses: `({} > 0)`", value.unraw())
            }
            ExprKind::Name(_) | ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) => hint(name),
            ExprKind::Operator(..) | ExprKind::Call(..) | ExprKind::OpCall(_) => hint(name),
            ExprKind::Form(_) | ExprKind::Tuple(_) | ExprKind::Error => hint(name),
        };
        self.report(operands[odd].span, format!("`{name}` {takes}, and this is {}: {hint}", kinds[odd]));
    }
}

/// The hint for mistakes such as `x > 0.0 & y`, and for powers.
fn hint(name: &str) -> String {
    let looser = match name {
        "&" => ", or `a > b && c`",
        "|" => ", or `a > b || c`",
        "^" => return "compare it, such as `e > 0`, and write a power as `pow(x, y)`".to_string(),
        _ => return "compare it, such as `e > 0`".to_string(),
    };
    format!("`{name}` binds tighter than a comparison, so write `(a > b) {name} c`{looser}")
}
