// Answers questions in a thread of its own, so that the page stays alive. Each question gets an instance of the
// module of its own: nothing is left of a question, not even of one that has panicked.
"use strict";

let compiled;

onmessage = ({ data }) => {
  if (data.module) {
    compiled = data.module;
    return;
  }
  const { id, name, question } = data;
  let wasm;
  const read = (place) => {
    const at = place >>> 0;
    const length = new DataView(wasm.memory.buffer).getUint32(at, true);
    return new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, at + 4, length));
  };
  try {
    wasm = new WebAssembly.Instance(compiled, {}).exports;
    const text = new TextEncoder().encode(JSON.stringify(question));
    const at = wasm.alloc(text.length) >>> 0;
    new Uint8Array(wasm.memory.buffer, at, text.length).set(text);
    postMessage({ id, answer: JSON.parse(read(wasm[name](at, text.length))) });
  } catch (error) {
    // The stack of the browser, which no formula of usual size fills.
    const Err = "The formula is nested too deep for this browser: give a part a name, `let y = ..;`.";
    if (error instanceof RangeError) postMessage({ id, answer: { Err } });
    else postMessage({ id, panic: (wasm && read(wasm.panic_text())) || String(error) });
  }
};
