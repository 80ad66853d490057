// Answers questions in a thread of its own, so that the page stays alive. `bind` makes the functions around an
// instance of the module. Each question gets an instance of its own, so that nothing is left of a question, not even
// of one that has panicked. Those that ask the GPU share one, because it takes time to open a GPU.
"use strict";

let compiled;
let ofGpu;
/** Ends the question that is being answered. A panic in a callback of the browser reaches no other code. */
let fail = () => {};
let last = Promise.resolve();

function instance() {
  const made = bind();
  made.initSync({ module: compiled });
  return made;
}

/** What the panic of an instance said. An instance whose stack has overflowed may not answer. */
function told(wasm) {
  try {
    return wasm?.panic_text();
  } catch {
    return undefined;
  }
}

async function answer({ id, name, question }) {
  let wasm;
  try {
    const panicked = new Promise((_, reject) => (fail = reject));
    wasm = name.endsWith("_on_gpu") ? (ofGpu ??= instance()) : instance();
    const answered = await Promise.race([wasm[name](JSON.stringify(question)), panicked]);
    postMessage({ id, answer: JSON.parse(answered) });
  } catch (error) {
    const panic = told(wasm) || String(error);
    if (wasm === ofGpu) ofGpu = undefined;
    // The stack of the browser, which no formula of usual size fills.
    const Err = "The formula is nested too deep for this browser: give a part a name, `let y = ..;`.";
    if (error instanceof RangeError) postMessage({ id, answer: { Err } });
    else postMessage({ id, panic });
  }
}

/** Ends the question that is being answered, whose instance may be the one that has the GPU. */
function failed(error) {
  ofGpu = undefined;
  fail(error);
}

onmessage = ({ data }) => {
  if (data.module) compiled = data.module;
  else last = last.then(() => answer(data));
};
onerror = (message, source, line, column, error) => failed(error ?? new Error(message));
onunhandledrejection = ({ reason }) => failed(reason);
