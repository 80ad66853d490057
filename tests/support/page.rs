//! `docs/support.md`: what each backend does in which dtypes, made of the records of this folder.

use super::record::{Cell, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tensor_op::backend::{Fold, Prim};
use tensor_op::testing::conformance::{Function, Subject};
use tensor_op::{DType, catalogue};
use tensor_op_spec::prim::Group;

const HEAD: &str = "# What works where

Each function of the trait `Backend`, and each op of the catalogue with its gradient, by backend and dtype. The conformance suite found it: it runs
them over sizes, layouts and broadcasts, and compares with an interpreter in f64 ([backends.md](backends.md#second-it-is-right)).

- A cell has the dtypes in which all cases are right. Below them is what the backend says where it refuses some cases, and where it is wrong.
- The dtype is that of the floats of an op. An op without floats has a row in dtypes of ints, and an op of bools alone in bool. The ints beside floats
  have each of their dtypes by turns.

The records are in `tests/support/`. These commands write them, and this page. Without `UPDATE` they compare; without `TENSOR_OP_TESTS` some of the ops
run, and only these are compared. The record of `wgpu` is compared on Mesa's driver alone. Other versions of it may do more than the record says, so
only what is right in it must be right. All ops take an hour and many gigabytes on `wgpu`. `TENSOR_OP_TESTS=new` runs
forty of those that have no record: repeat it until all have one.

```sh
export UPDATE=1 TENSOR_OP_TESTS=full
cargo test --release --test conformance the_cpu_conforms
cargo test --release --test custom_backend the_catalogue_conforms
cargo test --release -p tensor-op-cube --features wgpu --test conformance
cargo test --test catalogue the_support
```

`cuda` has no record. The suite ran once on one H200 (2026-11-29, release, quick level): 16 processes called `run_backend_tests_with`, each for a part
of the ops. They reached 667 of about 780 ops and formulas in the time. All cases were right but those of `softshrink` in f32, where 0 has the wrong
sign, as on `wgpu`. The structural primitives, 8,800 cases, were right.

";

/// What the suite checks of quantized tensors, besides the ops of the catalogue.
const QUANTIZED: [&str; 4] =
    ["Tensor::quantize", "QTensor::dequantize", "quantized::linear", "Tensor::fake_quantize"];

/// A column: name, record, and what it is.
struct Column {
    name: &'static str,
    device: &'static str,
    record: Record,
}

fn columns() -> [Column; 3] {
    let column = |name: &'static str, device| Column {
        name,
        device,
        record: Record::read(&in_repository(&format!("tests/support/{name}.txt"))),
    };
    [
        column("cpu", "the processor, by generated kernels"),
        column("wgpu", "Mesa's processor driver, lavapipe, as in CI"),
        column("mine", "[`examples/custom-backend`](../examples/custom-backend/src/backend.rs), on the host"),
    ]
}

/// What a library of tensors does, and what does it here: functions of the trait, and families of the
/// catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Data,
    Creation,
    Arithmetic,
    Math,
    Shape,
    Reduction,
    Network,
}

impl Section {
    const ALL: [(Section, &str); 7] = [
        (Section::Data, "Devices and data"),
        (Section::Creation, "Creation"),
        (Section::Arithmetic, "Arithmetic"),
        (Section::Math, "Math"),
        (Section::Shape, "Shape"),
        (Section::Reduction, "Reduction"),
        (Section::Network, "Networks"),
    ];

    /// The section of a function of the trait, and the row of it.
    fn of_function(function: Function) -> (Section, &'static str) {
        match function {
            Function::DtypeUsage | Function::SupportsDtype => (Section::Data, "dtypes"),
            Function::DeviceCount | Function::NthDevice => (Section::Data, "devices"),
            Function::Memory | Function::ResetPeakMemory | Function::Persistent | Function::Record => {
                (Section::Data, "memory")
            }
            Function::Sync | Function::MemoryCleanup | Function::Run => (Section::Data, "work"),
            Function::AllReduceMean => (Section::Data, "means over devices"),
            Function::FromData
            | Function::IntoData
            | Function::IntoDataAsync
            | Function::IntoDataAll
            | Function::IntoDataAllAsync
            | Function::Staging
            | Function::ToDevice => (Section::Data, "data in and out"),
            Function::Shape | Function::Dtype | Function::Device => (Section::Data, "what a tensor is"),
            Function::Full | Function::Random => {
                (Section::Creation, "tensors of one number, and random ones")
            }
            Function::Cast => (Section::Arithmetic, "conversion"),
            Function::Reshape | Function::Permute | Function::Expand => (Section::Shape, "other axes"),
            Function::Slice | Function::SliceAssign | Function::Cat => (Section::Shape, "parts"),
            Function::Gather => (Section::Shape, "elements by index"),
            Function::ScatterAdd => (Section::Reduction, "sums by index"),
            Function::Matmul => (Section::Network, "products of matrices"),
        }
    }

    /// The section of a primitive, and the row of it.
    fn of_prim(prim: Prim) -> (Section, &'static str) {
        match prim.group() {
            Group::Unary(_) | Group::Arithmetic(_) => (Section::Arithmetic, "`apply` of arithmetic"),
            Group::Comparison(_) | Group::Equality(_) => (Section::Arithmetic, "`apply` of comparisons"),
            Group::Logic(_) | Group::Bits(_) => (Section::Arithmetic, "`apply` of logic and bits"),
            Group::Choice(_) => (Section::Arithmetic, "`apply` of a choice"),
            Group::Function(_) | Group::FloatBinary(_) => (Section::Math, "`apply` of functions"),
            Group::Rounding(_) | Group::Test(_) => (Section::Math, "`apply` of roundings and tests"),
            Group::Draw(_) => (Section::Creation, "`apply` of draws"),
        }
    }

    /// The section of a family of the catalogue.
    fn of_family(family: &str) -> Section {
        match family {
            "random" | "windows" => Section::Creation,
            "arith" | "bits" | "compare" | "logic" => Section::Arithmetic,
            "calculus" | "math" | "special" => Section::Math,
            "embedding" | "movement" | "padding" | "scatter" | "select" => Section::Shape,
            "reduce" | "scan" | "segments" | "sort" => Section::Reduction,
            "activation" | "adaptive" | "attention" | "convolution" | "image" | "losses" | "nn" | "norm" => {
                Section::Network
            }
            "optim" | "pooling" | "position" | "product" | "quantize" | "recurrent" | "resize" | "sample" => {
                Section::Network
            }
            _ => panic!("the family {family} has no section: add it here"),
        }
    }
}

/// What stands in one row if it stands alike: its members by the names of records and of the page.
struct Line {
    section: Section,
    name: String,
    members: Vec<(String, String)>,
}

fn lines() -> Vec<Line> {
    let mut lines: Vec<Line> = vec![];
    let mut add = |section: Section, name: &str, what: String, shown: &str| {
        let member = (what, shown.to_string());
        match lines.iter_mut().find(|line| line.section == section && line.name == name) {
            Some(line) => line.members.push(member),
            None => lines.push(Line { section, name: name.to_string(), members: vec![member] }),
        }
    };
    for function in Function::ALL.iter().copied() {
        let (section, name) = Section::of_function(function);
        add(section, name, Subject::Function(function).to_string(), function.name());
    }
    // Random numbers are drawn by `random` alone.
    for prim in Prim::ALL.iter().copied().filter(|prim| *prim != Prim::Random) {
        let (section, name) = Section::of_prim(prim);
        add(section, name, Subject::Apply(prim).to_string(), prim.name());
    }
    for fold in Fold::ALL.iter().copied() {
        add(Section::Reduction, "`reduce`", Subject::Reduce(fold).to_string(), fold.name());
    }
    for name in QUANTIZED {
        add(Section::Network, "quantized tensors", name.to_string(), name);
    }
    for (family, ops) in catalogue::families() {
        for op in ops {
            let name = op.spec().name();
            add(
                Section::of_family(family),
                &format!("[{family}](catalogue.md#{family})"),
                name.to_string(),
                name,
            );
        }
    }
    lines
}

#[test]
fn the_support_is_documented() {
    let (columns, lines) = (columns(), lines());
    let wanted: BTreeSet<&String> =
        lines.iter().flat_map(|line| &line.members).map(|(what, _)| what).collect();
    for Column { name, record, .. } in &columns {
        let found: BTreeSet<&String> = record.0.keys().collect();
        let differ: Vec<_> = wanted.symmetric_difference(&found).collect();
        assert!(differ.is_empty(), "tests/support/{name}.txt has other ops than the suite: {differ:?}");
    }
    let text = format!("{HEAD}{}{}", summary(&columns), tables(&columns, &lines));
    let path = in_repository("docs/support.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the folder is in the repository");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/support.md is out of date: run this test with UPDATE=1");
}

/// What each column is, its dtypes, and how many ops are right in all of them.
fn summary(columns: &[Column]) -> String {
    let mut text = "| backend | device | dtypes | right in all of them | refused in some | wrong in some |\n\
                    |---|---|---|---|---|---|\n"
        .to_string();
    for Column { name, device, record } in columns {
        let dtypes: BTreeSet<DType> = record.0.values().flat_map(BTreeMap::keys).copied().collect();
        let count = |is: &dyn Fn(&Cell) -> bool| record.0.values().filter(|row| row.values().any(is)).count();
        let wrong = count(&|cell| matches!(cell, Cell::Wrong(_)));
        let refused = count(&|cell| matches!(cell, Cell::Refused(_)));
        let right = record.0.values().filter(|row| row.values().all(|cell| *cell == Cell::Right)).count();
        let dtypes = joined(dtypes.iter());
        text += &format!("| `{name}` | {device} | {dtypes} | {right} | {refused} | {wrong} |\n");
    }
    text
}

fn tables(columns: &[Column], lines: &[Line]) -> String {
    let mut text = String::new();
    for (section, title) in Section::ALL {
        let names: String = columns.iter().map(|column| format!(" `{}` |", column.name)).collect();
        let rule = "---|".repeat(columns.len());
        text += &format!("\n## {title}\n\n| | |{names}\n|---|---|{rule}\n");
        for line in lines.iter().filter(|line| line.section == section) {
            for (members, cells) in alike(columns, line) {
                text += &format!("| {} | {} | {} |\n", line.name, members.join(" "), cells.join(" | "));
            }
        }
    }
    text
}

/// The members of a line, together where all cells are the same.
fn alike(columns: &[Column], line: &Line) -> Vec<(Vec<String>, Vec<String>)> {
    let mut rows: Vec<(Vec<String>, Vec<String>)> = vec![];
    for (what, shown) in &line.members {
        let cells: Vec<String> = columns.iter().map(|column| cell(&column.record.0[what])).collect();
        let shown = format!("`{shown}`");
        match rows.iter_mut().find(|(_, others)| *others == cells) {
            Some((members, _)) => members.push(shown),
            None => rows.push((vec![shown], cells)),
        }
    }
    rows
}

fn cell(row: &BTreeMap<DType, Cell>) -> String {
    let right = row.iter().filter(|(_, cell)| **cell == Cell::Right);
    let mut parts = vec![joined(right.map(|(dtype, _)| dtype))];
    for (dtype, cell) in row {
        match cell {
            Cell::Right => {}
            Cell::Refused(says) => parts.push(format!("{dtype} refused: {says}")),
            Cell::Wrong(why) => parts.push(format!("{dtype} wrong: {why}")),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("<br>").replace('|', "\\|")
}

fn joined<'d>(dtypes: impl Iterator<Item = &'d DType>) -> String {
    dtypes.map(|dtype| dtype.name()).collect::<Vec<_>>().join(" ")
}

fn in_repository(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

#[test]
fn a_record_is_read_as_it_is_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let row = |cells: Vec<(DType, Cell)>| cells.into_iter().collect::<BTreeMap<_, _>>();
    let says = "in the gradient, the device has no exp of f64; cast to f32".to_string();
    let exp =
        row(vec![(DType::F64, Cell::Refused(says)), (DType::F32, Cell::Right), (DType::F16, Cell::Right)]);
    let pow = row(vec![(DType::F32, Cell::Wrong("few digits: of a subnormal number".into()))]);
    let record = Record([("Backend::apply exp".into(), exp), ("pow".into(), pow)].into());
    let file = folder.join("record.txt");
    std::fs::write(&file, record.to_string()).expect("the folder is there");
    assert_eq!(Record::read(&file), record);
}
