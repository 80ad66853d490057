//! Prints what each phase makes of a declaration on standard input: `cargo run -p tensor-op-spec --example
//! stages < op.rs`.

use std::io::Read;

#[allow(clippy::print_stdout, reason = "printing is what this program is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut source = String::new();
    std::io::stdin().read_to_string(&mut source)?;
    let stages = tensor_op_spec::stages(source.parse()?)?;
    let code = prettyplease::unparse(&syn::parse2(stages.code)?);
    println!("{}\n{}", stages.graph, stages.schedule);
    if let (Some(gradient), Some(schedule)) = (stages.gradient, stages.gradient_schedule) {
        println!("{gradient}\n{schedule}");
    }
    println!("{code}");
    Ok(())
}
