//! Sizes that a signature computes, and dims that only a `usize` argument has.

use super::names::{Function, did_you_mean, function, nearest};
use super::signature::Table;
use super::sort::FIRST;
use crate::ast::{ArgType, Argument, Dim, Expr, ExprKind, TensorType};
use crate::ir::{Arg, DimId, DimKind, Graph, Role, ScalarType, Size, SizeOp};
use crate::prim::Prim;
use proc_macro2::Ident;
use syn::ext::IdentExt;

impl Table<'_> {
    /// The size that an expression in a type means: integers, `usize` and `i64` arguments, dims that were
    /// named before, and bools by `cast(.., int)`, under `+ - * /`, `minimum` and `maximum`.
    pub(super) fn size_of(&mut self, e: &Expr) -> Option<Size> {
        match &e.kind {
            ExprKind::Int(value) => Some(Size::Literal(*value)),
            ExprKind::Name(name) => self.size_named(name),
            ExprKind::Operator(prim, operands) => {
                let operation = match prim {
                    Prim::Add => SizeOp::Add,
                    Prim::Sub | Prim::Neg => SizeOp::Sub,
                    Prim::Mul => SizeOp::Mul,
                    Prim::Div => SizeOp::Div,
                    _ => return self.no_size(e),
                };
                let zero = Size::Literal(0);
                match &operands[..] {
                    [x] => Some(Size::pair(operation, zero, self.size_of(x)?)),
                    [a, b] => {
                        let (a, b) = (self.size_of(a), self.size_of(b));
                        self.pair(e, operation, a?, b?)
                    }
                    _ => self.no_size(e),
                }
            }
            ExprKind::Call(name, args) if name == "minimum" || name == "maximum" => match &args[..] {
                [Argument::Plain(a), Argument::Plain(b)] => {
                    let operation = if name == "minimum" { SizeOp::Min } else { SizeOp::Max };
                    let (a, b) = (self.size_of(a), self.size_of(b));
                    self.pair(e, operation, a?, b?)
                }
                _ => self.no_size(e),
            },
            ExprKind::Call(name, args) if name == "cast" => self.flag(args).or_else(|| self.no_size(e)),
            ExprKind::Call(name, args) if name == "len" => match &args[..] {
                [Argument::Plain(Expr { kind: ExprKind::Name(dim), .. })] => self.len_of(dim),
                _ => self.no_size(e),
            },
            ExprKind::Error => None,
            ExprKind::Group | ExprKind::Literal(_) | ExprKind::Call(..) => self.no_size(e),
            ExprKind::OpCall(_) | ExprKind::Tuple(_) | ExprKind::Form(_) => self.no_size(e),
        }
    }

    /// The 0 or 1 that `cast(ceil_mode, int)` is.
    fn flag(&self, args: &[Argument]) -> Option<Size> {
        let names: Vec<&Ident> = args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Plain(Expr { kind: ExprKind::Name(name), .. }) => Some(name),
                Argument::Plain(_) | Argument::Index(..) => None,
            })
            .collect();
        let [flag, kind] = names[..] else { return None };
        let is_it =
            |arg: &crate::ast::Arg| arg.name == *flag && matches!(arg.ty, ArgType::Scalar(ScalarType::Bool));
        let index = self.item.args.iter().position(is_it)?;
        (kind == "int").then_some(Size::Arg(index))
    }

    fn pair(&mut self, e: &Expr, operation: SizeOp, a: Size, b: Size) -> Option<Size> {
        let has_value = match (a.literal(), b.literal()) {
            (Some(a), Some(b)) => operation.of(a, b).is_some(),
            (None, Some(0)) => operation != SizeOp::Div,
            (None, Some(_)) | (_, None) => true,
        };
        if !has_value {
            let why = if b.literal() == Some(0) { "divides by 0" } else { "does not fit into `i64`" };
            self.errors.at(e.span, format!("this size {why}: write another number"));
            return None;
        }
        Some(Size::pair(operation, a, b))
    }

    /// Whether a size is made of the size of a dim.
    pub(super) fn depends_on(&self, kind: &DimKind, dim: DimId) -> bool {
        let DimKind::Computed(size) = kind else { return false };
        size.dims().iter().any(|own| own == dim || self.depends_on(&self.dims[own.index()].kind, dim))
    }

    fn no_size(&mut self, e: &Expr) -> Option<Size> {
        let message = "a size is made of integers, dims and `usize` or `i64` arguments by `+ - * /`, `minimum`, `maximum` and `cast(flag, int)`, such as `(n - k) / stride + 1`";
        self.errors.at(e.span, message);
        None
    }

    fn size_named(&mut self, name: &Ident) -> Option<Size> {
        let text = name.unraw().to_string();
        let arg = self.item.args.iter().position(|arg| arg.name.unraw() == text);
        match arg.map(|index| (index, &self.item.args[index].ty)) {
            Some((index, ArgType::Scalar(ScalarType::Usize | ScalarType::I64))) => Some(Size::Arg(index)),
            Some(_) | None => self.len_of(name),
        }
    }

    fn len_of(&mut self, name: &Ident) -> Option<Size> {
        let text = name.unraw().to_string();
        let is_one = |kind: &DimKind| match kind {
            DimKind::Group => false,
            DimKind::Axis(arg) => !matches!(self.item.args[*arg].ty, ArgType::Axes),
            DimKind::Named | DimKind::Sized(_) | DimKind::Fixed(_) | DimKind::Computed(_) => true,
        };
        let found = self.dims.iter().position(|dim| dim.name == text && is_one(&dim.kind));
        if found.is_none() {
            let message = self.not_known(&text);
            self.errors.at(name.span(), message);
        }
        found.map(|index| Size::Len(DimId::new(index)))
    }

    fn not_known(&self, name: &str) -> String {
        let is_flag = |arg: &crate::ast::Arg| matches!(arg.ty, ArgType::Scalar(ScalarType::Bool));
        if self.item.args.iter().any(|arg| arg.name.unraw() == name && is_flag(arg)) {
            return format!("`{name}` is a `bool`: write `cast({name}, int)`, which is 0 or 1");
        }
        if self.item.args.iter().any(|arg| arg.name.unraw() == name) {
            return format!("`{name}` is no size: sizes are dims and `usize` or `i64` arguments");
        }
        let types = self.item.args.iter().filter_map(|arg| match &arg.ty {
            ArgType::Tensor(ty) | ArgType::Optional(ty) => Some(ty),
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => None,
        });
        if types.chain(&self.item.results).flat_map(TensorType::dims).any(|dim| dim.name.unraw() == name) {
            return format!("dim `{name}` has no size yet: a size is made of dims that stand before it");
        }
        let near = nearest(name, self.dims.iter().map(|dim| dim.name.as_str())).map(did_you_mean);
        let hint = near.unwrap_or_else(|| {
            "name it in the type of an argument, or add an argument of type `usize`".to_string()
        });
        format!("no dim `{name}` is known here: {hint}")
    }

    /// The dims and arguments so far, for messages.
    pub(super) fn named(&self) -> Graph {
        let arg = |(index, arg): (usize, &crate::ast::Arg)| Arg {
            name: arg.name.unraw().to_string(),
            list: None,
            like: None,
            ty: crate::ir::ArgType::Axis { default: None, several: false },
            role: Role::Forward(index),
        };
        let args = self.item.args.iter().enumerate().map(arg).collect();
        Graph::new(self.item.name.to_string(), self.dims.clone(), args)
    }

    /// Adds the dims that the formula names by a `usize` argument alone, such as those of a pooling window.
    pub(super) fn windows(&mut self) {
        let sized = self.item.args.iter().enumerate();
        let sized = sized.filter(|(_, arg)| matches!(arg.ty, ArgType::Scalar(ScalarType::Usize)));
        let new: Vec<(usize, &Ident)> = sized
            .map(|(index, arg)| (index, &arg.name))
            .filter(|(_, name)| self.dims.iter().all(|dim| name.unraw() != dim.name))
            .filter(|(_, name)| self.item.exprs().any(|e| names_dim(e, name)))
            .collect();
        for (index, name) in new {
            self.id(name.unraw().to_string(), DimKind::Sized(index), name.span());
        }
    }

    /// Adds the dims that the formula makes by `iota(m = size)`, in the order in which it makes them.
    pub(super) fn made(&mut self, declared: usize) {
        for e in self.item.exprs() {
            self.made_in(e, declared);
        }
    }

    fn made_in(&mut self, e: &Expr, declared: usize) {
        let Some((dim, size)) = made(e) else {
            return e.parts().into_iter().for_each(|part| self.made_in(part, declared));
        };
        let name = dim.unraw().to_string();
        if self.dims[..declared].iter().any(|known| known.name == name) {
            let message = format!(
                "an argument has the dim `{name}`, and its size: the index along it is `iota({name})`"
            );
            self.errors.at(dim.span(), message);
            return;
        }
        self.dim(&Dim { name: dim.clone(), size: Some(size.clone()) });
    }
}

/// The dim and the size in `iota(m = size)`, which makes the dim.
pub(super) fn made(e: &Expr) -> Option<(&Ident, &Expr)> {
    let ExprKind::Call(name, args) = &e.kind else { return None };
    match (function(&name.unraw().to_string()), &args[..]) {
        (Some(Function::Iota), [Argument::Index(dim, size)]) => Some((dim, size)),
        _ => None,
    }
}

/// Whether an expression names a dim: in `iota`, `len`, behind the value of a reduction, or as a dim of a
/// called op.
fn names_dim(e: &Expr, name: &Ident) -> bool {
    let is_part = match &e.kind {
        ExprKind::Call(callee, args) => {
            let function = function(&callee.unraw().to_string());
            let is_scatter = matches!(function, Some(Function::Scatter(_)));
            let values = match function {
                Some(Function::Iota | Function::Len) => 0,
                Some(Function::Scan(scan)) => scan.arity(),
                Some(Function::Sorting(sorting)) => sorting.places().len() - 1,
                Some(Function::Fold(_) | Function::Formula(_) | Function::Scatter(_)) => 1,
                Some(Function::Prim(_) | Function::At | Function::DivExact | Function::Border) => args.len(),
                Some(Function::Cast | Function::StopGrad) | None => args.len(),
            };
            let is_named = |arg: &Argument| match arg {
                Argument::Plain(e) => is_dim(e, name),
                Argument::Index(to, _) if is_scatter => to.unraw() == name.unraw(),
                Argument::Index(setting, e) => setting == FIRST && is_dim(e, name),
            };
            args.iter().skip(values).any(is_named)
        }
        ExprKind::OpCall(call) => {
            let is_named = |arg: &Argument| match arg {
                Argument::Index(_, e) => is_dim(e, name),
                Argument::Plain(_) => false,
            };
            call.args.iter().any(is_named)
        }
        ExprKind::Operator(..) | ExprKind::Tuple(_) | ExprKind::Form(_) | ExprKind::Name(_) => false,
        ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Error => false,
    };
    is_part || e.parts().into_iter().any(|part| names_dim(part, name))
}

fn is_dim(e: &Expr, name: &Ident) -> bool {
    match &e.kind {
        ExprKind::Name(own) => own.unraw() == name.unraw(),
        ExprKind::Tuple(parts) => parts.iter().any(|part| is_dim(part, name)),
        ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => false,
        ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Form(_) | ExprKind::Error => false,
    }
}
