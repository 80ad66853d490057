//! Sizes of dims as the user gives them: `n=4096,..=32768`.

use std::collections::BTreeMap;
use std::fmt::Display;
use tensor_op_spec::ir::{Arg, ArgType, Bytes, DimId, DimKind, Graph, Scalar, Size};

/// Numbers by the names of dims and of integer arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes(BTreeMap<String, i64>);

impl Sizes {
    /// Reads `n=4096,..=32768`.
    pub(crate) fn read(text: &str) -> Result<Sizes, String> {
        let mut sizes = BTreeMap::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let wrong = || format!("`{pair}` in --sizes is no size: write `n=4096`");
            let (name, size) = pair.rsplit_once('=').ok_or_else(wrong)?;
            let size: i64 = size.trim().replace('_', "").parse().map_err(|_| wrong())?;
            if size < 0 {
                return Err(format!("`{pair}` in --sizes is negative"));
            }
            if sizes.insert(name.trim().to_string(), size).is_some() {
                return Err(format!("--sizes has `{}` twice", name.trim()));
            }
        }
        Ok(Sizes(sizes))
    }

    /// Refuses names that the op has not.
    pub(crate) fn check(&self, graphs: &[&Graph]) -> Result<(), String> {
        let mut known: Vec<&str> = Vec::new();
        for graph in graphs {
            let is_given = |dim: usize| graph.own_size(DimId::new(dim)).is_none();
            let dims = (0..graph.dims.len()).filter(|dim| is_given(*dim)).map(|dim| &graph.dims[dim].name);
            let ints = graph.args.iter().filter(|arg| is_int(&arg.ty)).map(|arg| &arg.name);
            known.extend(dims.chain(ints).map(String::as_str));
        }
        known.sort_unstable();
        known.dedup();
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) if graphs.iter().any(|graph| graph.dims.iter().any(|dim| dim.name == *name)) => {
                Err(format!("the size of `{name}` is computed: leave it out of --sizes"))
            }
            Some(name) => Err(format!("no dim `{name}` for --sizes: the op has {}", quoted(&known))),
            None => Ok(()),
        }
    }

    /// Whether none is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sizes of the dims of a graph, as far as they are known.
    pub(crate) fn of_dims(&self, graph: &Graph) -> Vec<Option<u64>> {
        let mut found: Vec<Option<u64>> = Vec::new();
        for at in 0..graph.dims.len() {
            let size = self.of_dim(graph, DimId::new(at), &found);
            found.push(size.and_then(|size| u64::try_from(size).ok()));
        }
        found
    }

    /// A dim comes after those that its size is made of.
    fn of_dim(&self, graph: &Graph, dim: DimId, found: &[Option<u64>]) -> Option<i64> {
        let by_name = |name: &str| self.0.get(name).copied();
        let arg = |at: usize| self.arg(graph.args.get(at)?);
        let own = graph.dim(dim);
        match &own.kind {
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => by_name(&own.name),
            DimKind::Sized(at) => by_name(&own.name).or_else(|| arg(*at)),
            DimKind::Fixed(size) => i64::try_from(*size).ok(),
            DimKind::Computed(size) => self.value(size, found, &arg),
        }
    }

    fn value(&self, size: &Size, found: &[Option<u64>], arg: &impl Fn(usize) -> Option<i64>) -> Option<i64> {
        let len =
            |dim: DimId| found.get(dim.index()).copied().flatten().and_then(|len| i64::try_from(len).ok());
        size.value(&len, arg)
    }

    /// A number of bytes.
    pub(crate) fn bytes(&self, bytes: &Bytes, graph: &Graph) -> Result<u64, String> {
        let sizes = self.of_dims(graph);
        let len = |dim: DimId| sizes[dim.index()];
        bytes.value(&len).ok_or_else(|| {
            let unknown: Vec<DimId> = bytes.dims().iter().filter(|dim| len(*dim).is_none()).collect();
            let names = |dims: &[DimId]| -> Vec<String> {
                dims.iter().map(|dim| graph.dim(*dim).name.clone()).collect()
            };
            // A size that is computed is unknown because another one is.
            let own = |dim: &DimId| graph.own_size(*dim).map(|size| (size.dims(), size.args()));
            let (computed, given): (Vec<DimId>, Vec<DimId>) =
                unknown.iter().partition(|dim| own(dim).is_some());
            let behind = computed.iter().filter_map(own).flat_map(|(dims, args)| {
                let dims = dims.iter().filter(|dim| len(*dim).is_none()).collect::<Vec<_>>();
                let args = args.into_iter().map(|at| &graph.args[at]).filter(|arg| self.arg(arg).is_none());
                names(&dims).into_iter().chain(args.map(|arg| arg.name.clone())).collect::<Vec<_>>()
            });
            let mut lacking: Vec<String> = names(&given).into_iter().chain(behind).collect();
            lacking.sort_unstable();
            lacking.dedup();
            match (lacking.is_empty(), computed.first()) {
                (false, _) => format!("--sizes lacks {}: no size of it is known", quoted(&lacking)),
                (true, Some(dim)) => {
                    format!("with these sizes, that of `{}` is no number from 0 on", graph.dim(*dim).name)
                }
                (true, None) => "these sizes give more bytes than 64 bits hold".to_string(),
            }
        })
    }

    /// An integer argument: as it is given, or as it is if it is left out.
    fn arg(&self, arg: &Arg) -> Option<i64> {
        self.0.get(&arg.name).copied().or_else(|| default(&arg.ty))
    }
}

fn quoted(names: &[impl Display]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn is_int(ty: &ArgType) -> bool {
    match ty {
        ArgType::Scalar { ty, .. } => ty.kind() == tensor_op_spec::ir::Kind::Int,
        ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => false,
    }
}

fn default(ty: &ArgType) -> Option<i64> {
    match ty {
        ArgType::Scalar { default: Some(Scalar::Int(value)), .. } => Some(*value),
        ArgType::Scalar { .. } | ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => {
            None
        }
    }
}

/// `1.07 GB`: three digits.
pub(crate) fn human(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value, unit == 0), units[unit])
}

/// `12.3 µs`: three digits.
pub(crate) fn human_time(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let (scale, unit) =
        units.into_iter().find(|(scale, _)| seconds >= 0.9995 * scale).unwrap_or((1e-9, "ns"));
    format!("{} {unit}", three_digits(seconds / scale, false))
}

fn three_digits(value: f64, is_whole: bool) -> String {
    match value {
        _ if is_whole || value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_shown() {
        let found = [0, 999, 1000, 1_074_000_000, 999_600, 99_950_000].map(human);
        assert_eq!(found, ["0 B", "999 B", "1.00 kB", "1.07 GB", "1.00 MB", "100 MB"]);
        let found = [3.2e-9, 12.34e-6, 0.9999e-3, 2.0].map(human_time);
        assert_eq!(found, ["3.20 ns", "12.3 µs", "1.00 ms", "2.00 s"]);
    }

    #[test]
    fn sizes_are_read() {
        let sizes = Sizes::read("n=4_096, ..=32768").expect("two sizes");
        assert_eq!(sizes.0, BTreeMap::from([("n".to_string(), 4096), ("..".to_string(), 32768)]));
        for wrong in ["n", "n=", "n=x", "n=-1", "n=1,n=2", "n=99999999999999999999"] {
            assert!(Sizes::read(wrong).is_err(), "{wrong}");
        }
    }
}
