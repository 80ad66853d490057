//! Lists in calls of ops: the elements of `[2, 1]`, or one number for all of them.

use super::Lower;
use crate::ast::{Expr, ExprKind, OpCall};
use crate::inline::{Callee, Param};

impl Lower<'_> {
    /// The value of each argument of the op, where a call passes lists.
    pub(super) fn elements<'e>(
        &mut self,
        call: &OpCall,
        callee: &Callee,
        given: Vec<&'e Expr>,
    ) -> Option<Vec<&'e Expr>> {
        let is_one = |a: &Param, b: &Param| a.list.is_some() && a.list == b.list;
        let lists: Vec<&[Param]> = callee.params.chunk_by(is_one).collect();
        let names: Vec<(&str, bool)> = lists
            .iter()
            .map(|list| (list[0].list.as_ref().unwrap_or(&list[0].name).as_str(), list[0].kind.has_default()))
            .collect();
        self.takes(&call.name(), call.span(), &names, given.len())?;
        let mut elements = Vec::new();
        for (list, e) in lists.into_iter().zip(given) {
            match (&list[0].list, &e.kind) {
                (None, _) => elements.push(e),
                (Some(_), ExprKind::Tuple(own)) if own.len() == list.len() => elements.extend(own),
                (Some(name), ExprKind::Tuple(own)) => {
                    let message = format!(
                        "`{name}` of `{}` has {} elements, and here are {}",
                        call.name(),
                        list.len(),
                        own.len()
                    );
                    self.report(e.span, message);
                    return None;
                }
                (Some(_), _) => elements.extend(std::iter::repeat_n(e, list.len())),
            }
        }
        Some(elements)
    }
}
