//! Dims that the formula makes by `iota(m = size)`: no argument and no declared result has them.

use super::{ArgType, DimId, DimKind, DimSet, Graph, Size, word};

impl Graph {
    /// Dims with a size of their own that no argument and no declared result has.
    pub fn made_dims(&self) -> DimSet {
        let args = self.args.iter().filter_map(|arg| match &arg.ty {
            ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => Some(axes),
            ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
        });
        let results = self.outputs.iter().filter(|output| !output.hidden).map(|output| &output.axes);
        let declared = args.chain(results).fold(DimSet::EMPTY, |all, axes| all.union(self.axes_dims(axes)));
        let is_made = |dim: &DimId| self.own_size(*dim).is_some() && !declared.contains(*dim);
        (0..self.dims.len()).map(DimId::new).filter(is_made).collect()
    }

    /// The size that a declaration or a formula writes for a dim.
    pub fn own_size(&self, dim: DimId) -> Option<Size> {
        match &self.dim(dim).kind {
            DimKind::Computed(size) => Some(size.clone()),
            DimKind::Fixed(size) => i64::try_from(*size).ok().map(Size::Literal),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => None,
        }
    }

    /// A size in which dims that the formula makes are replaced by their own sizes.
    pub(super) fn declared_size(&self, size: &Size) -> Size {
        let made = self.made_dims();
        let len = |dim: DimId| match self.own_size(dim).filter(|_| made.contains(dim)) {
            // A dim comes after those that its size is made of, so this ends.
            Some(own) => Some(self.declared_size(&own)),
            None => Some(Size::Len(dim)),
        };
        size.map(&len, &|arg| Some(Size::Arg(arg))).unwrap_or_else(|| size.clone())
    }

    /// The index along a dim, as it is written in a formula.
    pub(super) fn iota_text(&self, dim: DimId) -> String {
        let name = word(&self.dim(dim).name);
        match self.own_size(dim).filter(|_| self.made_dims().contains(dim)) {
            Some(size) => format!("iota({name} = {})", self.declared_size(&size).text(self)),
            None => format!("iota({name})"),
        }
    }

    /// The made dims that texts name before they make them, each with the expression that makes it.
    pub(super) fn named_unmade<'t>(&self, texts: impl Iterator<Item = &'t String>) -> Vec<String> {
        let all = texts.map(String::as_str).collect::<Vec<_>>().join("\n");
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let unmade = self.made_dims().iter().filter_map(|dim| {
            let (made, name) = (self.iota_text(dim), word(&self.dim(dim).name));
            let is_word = |at: &(usize, &str)| {
                let (before, after) = (&all[..at.0], &all[at.0 + name.len()..]);
                !before.ends_with(is_letter) && !after.starts_with(is_letter)
            };
            let (first, _) = all.match_indices(&name).find(is_word)?;
            let is_made = all[..first].ends_with("iota(") && all[first - "iota(".len()..].starts_with(&made);
            (!is_made).then_some(made)
        });
        unmade.collect()
    }

    /// Leaves the sizes of made dims at their first place only.
    pub(super) fn make_once<'t>(&self, texts: impl Iterator<Item = &'t mut String>) {
        let forms: Vec<(String, String)> = self
            .made_dims()
            .iter()
            .map(|dim| (self.iota_text(dim), format!("iota({})", word(&self.dim(dim).name))))
            .collect();
        let mut seen = vec![false; forms.len()];
        for text in texts {
            for ((made, bare), seen) in forms.iter().zip(&mut seen) {
                let Some(first) = text.find(made.as_str()) else { continue };
                let rest = if *seen { first } else { first + made.len() };
                let later = text[rest..].replace(made.as_str(), bare);
                text.truncate(rest);
                text.push_str(&later);
                *seen = true;
            }
        }
    }
}
