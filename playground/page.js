"use strict";

const element = (id) => document.getElementById(id);
const source = element("source");
const ISSUES = "https://github.com/tensor-op/tensor-op/issues";
/** Milliseconds after the last key until the formula is compiled. */
const PAUSE = 300;
/** Milliseconds after which a question is given up. */
const PATIENCE = 20000;
/** The largest size of a dim that is asked for. The module refuses products of sizes that are too large. */
const LARGEST = 1e6;

/** Makes an element with attributes and children, which are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** What the page shows: the ops of the formula, which of them, and the sizes and seed of its values. Of several calls on the way, the last one counts. */
const shown = { source: "", ops: [], op: 0, sizes: {}, seed: 0, calls: 0 };

/** The compiler: one worker, which answers one question after the other. */
const compiler = {
  async load() {
    const packed = Uint8Array.from(atob(element("module").textContent), (c) => c.charCodeAt(0));
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    this.module = await WebAssembly.compile(await new Response(bytes).arrayBuffer());
    this.code = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));
    this.waiting = new Map();
    this.count = 0;
  },

  /** Forgets all questions. A worker that still computes is stopped. */
  forget() {
    if (this.waiting.size > 0 || !this.worker) {
      this.worker?.terminate();
      this.waiting.clear();
      this.worker = new Worker(this.code);
      this.worker.postMessage({ module: this.module });
      this.worker.onmessage = ({ data }) => this.waiting.get(data.id)?.(data);
    }
  },

  /** Asks for an answer. A question that is forgotten never gets one. */
  ask(name, question) {
    const id = this.count++;
    this.worker.postMessage({ id, name, question });
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        if (!this.waiting.has(id)) return;
        this.forget();
        reject(new Error(`There was no answer within ${PATIENCE / 1000} seconds. Choose a smaller formula.`));
      }, PATIENCE);
      this.waiting.set(id, ({ answer, panic }) => {
        clearTimeout(late);
        this.waiting.delete(id);
        if (panic) reject(new Error(`The compiler has failed, which is a mistake of its own: ${panic}\nPlease report it with the formula: ${ISSUES}`));
        else if (answer.Err !== undefined) reject(new Error(answer.Err));
        else resolve(answer.Ok);
      });
    });
  },
};

const question = () => ({ source: shown.source, op: shown.op, sizes: shown.sizes, seed: shown.seed });

async function compile() {
  shown.source = source.value;
  compiler.forget();
  try {
    const { ops, mistakes } = await compiler.ask("explain_source", question());
    if (mistakes) return showMistakes(mistakes);
    showMistakes([]);
    shown.ops = ops;
    if (shown.op >= ops.length) shown.op = 0;
    showChoice();
    await showOp();
  } catch (error) {
    showMistakes([]);
    element("results").hidden = true;
    fail("status", error);
  }
}

function fail(id, error) {
  const place = element(id);
  place.className = "wrong";
  place.textContent = error.message;
}

function showMistakes(mistakes) {
  const text = source.value;
  source.setAttribute("aria-invalid", mistakes.length > 0);
  const item = ({ line, column, start, end, message }) => {
    const token = text.slice(start, end).split("\n")[0];
    const button = make("button", { type: "button" }, make("span", { class: "place" }, `${line}:${column}`));
    if (token) button.append(" ", make("code", { class: "token" }, token));
    button.append(" ", ...words(message));
    button.addEventListener("click", () => {
      source.focus();
      source.setSelectionRange(start, end);
    });
    return make("li", {}, button);
  };
  element("mistakes").replaceChildren(...mistakes.map(item));
  underline(mistakes);
  if (mistakes.length > 0) {
    element("results").hidden = true;
    element("status").className = "wrong";
    element("status").textContent = mistakes.length === 1 ? "One mistake:" : `${mistakes.length} mistakes:`;
  }
}

/** Lays lines under the tokens of mistakes, behind the text. */
function underline(mistakes) {
  const parts = [];
  let at = 0;
  for (const { start, end } of [...mistakes].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    parts.push(source.value.slice(at, start), make("mark", {}, source.value.slice(start, end)));
    at = end;
  }
  element("underlines").replaceChildren(...parts, source.value.slice(at) + "\n");
  element("numbers").textContent = source.value.split("\n").map((_, line) => line + 1).join("\n");
  scrolled();
}

function scrolled() {
  element("underlines").scrollTo(source.scrollLeft, source.scrollTop);
  element("numbers").scrollTop = source.scrollTop;
}

/** The menu of formulas, if a call chooses among several. */
function showChoice() {
  const option = ({ when }, index) => make("option", { value: index }, when.replaceAll("`", ""));
  element("op").replaceChildren(...shown.ops.map(option));
  element("op").value = shown.op;
  element("choice").hidden = shown.ops.length < 2;
}

async function showOp() {
  const op = shown.ops[shown.op];
  element("formula").textContent = op.formula;
  element("gradient").textContent = op.gradient ?? "No argument has one.";
  element("saved").replaceChildren(...(op.saved ? ["Saved for it: ", ...words(op.saved), "."] : []));
  element("kept").textContent = op.kept;
  element("kept").hidden = !op.kept;
  element("cpu-code").textContent = op.cpu.code;
  element("gpu-code").textContent = op.gpu.code;
  const same = op.cpu.forward === op.gpu.forward && op.cpu.backward === op.gpu.backward;
  const processors = same ? [["On the CPU and on GPUs", op.cpu]] : [["On the CPU", op.cpu], ["On GPUs", op.gpu]];
  const kernels = processors.map(([title, { picture, forward, backward }]) => {
    const text = (name, text) => [make("h4", {}, name), make("pre", { tabindex: 0, "aria-label": `${title}, ${name}` }, text)];
    // The compiler escapes all text of the formula in it.
    const drawn = make("div", { class: "picture", tabindex: 0 });
    drawn.innerHTML = picture;
    const texts = [...text("forward", forward), ...(backward ? text("gradient", backward) : [])];
    return make("div", {}, make("h3", {}, title), drawn, make("details", {}, make("summary", {}, "As text"), ...texts));
  });
  element("kernels").replaceChildren(...kernels);
  element("graph").textContent = op.graph;
  const count = (text) => text.split("\n").filter((line) => line.startsWith("kernel ")).length;
  const counted = [`${count(op.cpu.forward)} forward`, ...(op.cpu.backward ? [`${count(op.cpu.backward)} for the gradient`] : [])];
  element("status").className = "right";
  element("status").textContent = `${op.name} compiles. Kernels on the CPU: ${counted.join(", ")}.`;
  element("results").hidden = false;
  showSizes(op.dims);
  element("checks").replaceChildren(make("li", {}, "Checking."));
  await showValues();
  await showChecks();
}

/** A text with names in backquotes as elements. */
function words(text) {
  return text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

function showSizes(dims) {
  const field = ({ name, sizes }) => {
    const size = (shown.sizes[name] ?? sizes).join(" ");
    const several = name === "..";
    const input = make("input", { id: `size-${name}`, value: size, size: several ? 7 : 4, inputmode: several ? "text" : "numeric" });
    input.addEventListener("change", () => {
      const given = input.value.split(/[\s,x]+/).filter(Boolean).map(Number);
      const right = given.every((size) => Number.isInteger(size) && size >= 0 && size <= LARGEST) && (several || given.length === 1);
      input.setAttribute("aria-invalid", !right);
      if (!right) return fail("refused", new Error(`The size of ${name} is a whole number up to ${LARGEST}${several ? " for each axis, with spaces in between" : ""}.`));
      shown.sizes[name] = given;
      showValues();
    });
    const label = several ? "sizes of .." : `size of ${name}`;
    return make("span", { class: "field" }, make("label", { for: input.id }, label), input);
  };
  const seed = make("input", { id: "seed", value: shown.seed, size: 4, inputmode: "numeric" });
  seed.addEventListener("change", () => {
    shown.seed = Math.min(Math.abs(Math.trunc(Number(seed.value) || 0)), Number.MAX_SAFE_INTEGER);
    seed.value = shown.seed;
    showValues();
  });
  const fields = dims.map(field);
  element("sizes").replaceChildren(...fields, make("span", { class: "field" }, make("label", { for: "seed" }, "seed"), seed));
}

/** Shows the values of a call. The checks choose sizes of their own. */
async function showValues() {
  element("refused").textContent = "";
  const call = ++shown.calls;
  try {
    const ran = await compiler.ask(element("device").value, question());
    if (call !== shown.calls) return;
    element("device-name").textContent = ran.device;
    const table = (title, tensors) => tensors.map(({ name, ty, values }) =>
      make("figure", {}, make("figcaption", {}, make("code", {}, name), ` ${title}, ${ty}`), make("pre", { tabindex: 0, "aria-label": `${name}, ${title}` }, values || "no elements")));
    element("values").replaceChildren(
      ...table("argument", ran.args), ...table("result", ran.results),
      ...table("given gradient", ran.seeds), ...table("gradient", ran.gradients));
  } catch (error) {
    if (call !== shown.calls) return;
    element("values").replaceChildren();
    element("device-name").textContent = "";
    fail("refused", error);
  }
}

async function showChecks() {
  try {
    const checks = await compiler.ask("check_op", question());
    const item = ({ claim, holds, told }) => {
      const [kind, verdict] = holds === null ? ["free", "not compared"] : holds ? ["right", "yes"] : ["wrong", "no"];
      return make("li", { class: kind }, make("strong", {}, `${claim}: ${verdict}.`), make("pre", {}, told));
    };
    element("checks").replaceChildren(...checks.map(item));
  } catch (error) {
    element("checks").replaceChildren(make("li", { class: "wrong" }, error.message));
  }
}

/** Takes a formula as new: sizes that were chosen for another one are dropped. */
function take(text) {
  source.value = text;
  Object.assign(shown, { op: 0, sizes: {} });
  underline([]);
  compile();
}

const ofLink = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};
const keep = () => history.replaceState(null, "", "#" + encodeURIComponent(source.value));

function listen() {
  const examples = [...document.querySelectorAll("script.example")];
  const options = examples.map(({ title }, index) => make("option", { value: index }, title));
  element("examples").replaceChildren(make("option", { value: "" }, "Your own"), ...options);
  element("examples").addEventListener("change", ({ target }) => {
    if (target.value === "") return;
    take(examples[target.value].textContent);
    keep();
  });
  let pause;
  source.addEventListener("input", () => {
    element("examples").value = "";
    underline([]);
    clearTimeout(pause);
    pause = setTimeout(() => {
      keep();
      compile();
    }, PAUSE);
  });
  source.addEventListener("scroll", scrolled);
  element("op").addEventListener("change", ({ target }) => {
    Object.assign(shown, { op: Number(target.value), sizes: {} });
    compiler.forget();
    showOp();
  });
  element("device").addEventListener("change", () => {
    compiler.forget();
    showOp();
  });
  element("sizes").addEventListener("submit", (event) => event.preventDefault());
  element("skip").addEventListener("click", (event) => {
    event.preventDefault();
    const first = element("results").hidden ? element("mistakes").querySelector("button") ?? source : element("results");
    first.focus();
  });
  element("share").addEventListener("click", async () => {
    keep();
    const told = (text) => (element("shared").textContent = text);
    await navigator.clipboard.writeText(location.href).then(() => told("Copied."), () => told("The link is in the address bar."));
    setTimeout(() => told(""), 5000);
  });
  addEventListener("hashchange", () => {
    element("examples").value = "";
    take(ofLink());
  });
  return examples[0].textContent;
}

async function start() {
  const first = listen();
  source.value = ofLink() || first;
  element("examples").value = ofLink() ? "" : "0";
  underline([]);
  try {
    await compiler.load();
  } catch (error) {
    return fail("status", new Error(`This browser can't run the compiler (${error.message}). It needs WebAssembly with SIMD, and DecompressionStream.`));
  }
  await compile();
}

start();
