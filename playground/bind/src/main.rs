//! `bind MODULE FOLDER` writes a module of WebAssembly, and the functions of JavaScript around it, into a
//! folder: as `glue.js` and `glue_bg.wasm`.

use std::env::args;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [module, folder] = &args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: bind MODULE FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("glue").typescript(false).no_modules(true)?;
    Ok(bindgen.generate(folder)?)
}
