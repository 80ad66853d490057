//! The functions that the page calls. A text comes in as its place and length. An answer is its length, as
//! four bytes with the lowest first, and its text.

use crate::{Question, check, explain, run};
use serde::Serialize;
use std::sync::{Mutex, Once, PoisonError};

/// What the panic of this instance said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Room for a text, which the page then passes to one of the other functions.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn alloc(length: usize) -> *mut u8 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
        }));
    });
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Explains a declaration.
///
/// # Safety
///
/// The text is one for which [`alloc`] made room.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn explain_source(text: *const u8, length: usize) -> *const u8 {
    // SAFETY: as the caller promises.
    let question = unsafe { question(text, length) };
    answer(&question.map(|question| explain(&question.source)))
}

/// Runs an op with made-up values.
///
/// # Safety
///
/// The text is one for which [`alloc`] made room.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn run_op(text: *const u8, length: usize) -> *const u8 {
    // SAFETY: as the caller promises.
    let question = unsafe { question(text, length) };
    answer(&question.and_then(|question| run(&question)))
}

/// Checks the claims about an op.
///
/// # Safety
///
/// The text is one for which [`alloc`] made room.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn check_op(text: *const u8, length: usize) -> *const u8 {
    // SAFETY: as the caller promises.
    let question = unsafe { question(text, length) };
    answer(&question.and_then(|question| check(&question)))
}

/// What the panic of this instance said; empty if there was none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn panic_text() -> *const u8 {
    leaked(&PANIC.lock().unwrap_or_else(PoisonError::into_inner))
}

/// # Safety
///
/// The text is one for which [`alloc`] made room.
unsafe fn question(text: *const u8, length: usize) -> Result<Question, String> {
    // SAFETY: as the caller promises.
    let text = unsafe { std::slice::from_raw_parts(text, length) };
    serde_json::from_slice(text).map_err(|error| format!("the page asked in a wrong way: {error}"))
}

fn answer(answer: &Result<impl Serialize, String>) -> *const u8 {
    leaked(&serde_json::to_string(answer).unwrap_or_else(|error| format!("{{\"Err\":\"{error}\"}}")))
}

/// An instance answers one question, so that what it leaks goes with it.
fn leaked(text: &str) -> *const u8 {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let bytes = [&length.to_le_bytes()[..], text.as_bytes()].concat();
    Box::leak(bytes.into_boxed_slice()).as_ptr()
}
