//! Writes the formulas of a seed for `benches/families`:
//! `cargo run -p tensor-op-formulas --bin families -- SEED`.

use std::path::Path;
use tensor_op_formulas::families::{python, rust};

fn main() -> std::io::Result<()> {
    let seed = std::env::args().nth(1).map_or(Ok(1), |word| word.parse());
    let seed = seed.map_err(|error| std::io::Error::other(format!("the seed is no number: {error}")))?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/families");
    std::fs::write(folder.join("declarations.rs"), rust(seed))?;
    std::fs::write(folder.join("declarations.py"), python(seed))
}
