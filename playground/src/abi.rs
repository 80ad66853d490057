//! The functions that the page calls. Questions and answers are texts of JSON.

use crate::{Question, check, explain, run, run_on_gpu};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;

/// What the panic of this instance said.
static PANIC: Mutex<String> = Mutex::new(String::new());

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// Explains a declaration.
#[wasm_bindgen]
pub fn explain_source(text: &str) -> String {
    answer(&question(text).map(|question| explain(&question.source)))
}

/// Runs an op with made-up values on the CPU.
#[wasm_bindgen]
pub async fn run_op(text: String) -> String {
    match question(&text) {
        Ok(question) => answer(&run(&question).await),
        Err(error) => answer::<()>(&Err(error)),
    }
}

/// Runs an op with made-up values on the browser's GPU.
#[wasm_bindgen]
pub async fn run_op_on_gpu(text: String) -> String {
    match question(&text) {
        Ok(question) => answer(&run_on_gpu(&question).await),
        Err(error) => answer::<()>(&Err(error)),
    }
}

/// Checks the claims about an op.
#[wasm_bindgen]
pub fn check_op(text: &str) -> String {
    answer(&question(text).and_then(|question| check(&question)))
}

/// What the panic of this instance said; empty if there was none.
#[wasm_bindgen]
pub fn panic_text() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn question(text: &str) -> Result<Question, String> {
    serde_json::from_str(text).map_err(|error| format!("the page asked in a wrong way: {error}"))
}

fn answer<T: Serialize>(answer: &Result<T, String>) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| format!("{{\"Err\":\"{error}\"}}"))
}
