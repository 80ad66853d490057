"""Uses the playground's page in a headless Chromium, as a reader would: by keys, clicks and links.

    playground/build.sh
    python3 tests/playground/run.py [--screenshots FOLDER]

Without Chromium it says so and checks nothing. `CHROMIUM` names another browser of that kind.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

PAGE = pathlib.Path(__file__).resolve().parents[2] / "playground" / "dist" / "index.html"
NAMES = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"]
WRONG = "fn gate(x: Tensor![.., n]) -> Tensor![.., n] {\n    x * sigmod(x) + shift\n}"
# The most bytes of the page after compression.
MOST = 4_000_000


class Browser:
    """One page, by the browser's debugging protocol over two pipes."""

    def __init__(self, program, profile):
        theirs, self.out = os.pipe()
        self.inbox, back = os.pipe()
        arguments = [program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe"]
        # A GPU that is a program, which every machine has.
        arguments += ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
        arguments += [f"--user-data-dir={profile}", "about:blank"]
        shell = ["sh", "-c", f'exec "$@" 3<&{theirs} 4>&{back}', "sh", *arguments]
        self.process = subprocess.Popen(shell, pass_fds=(theirs, back), stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(back)
        self.rest, self.count, self.session = b"", 0, None
        self.errors = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime"]:
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            if answer.get("id") == self.count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.inbox, 1 << 16)
            assert part, "the browser has ended"
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.time() + seconds
        while not self.value(expression):
            assert time.time() < end, f"{expression} was never true:\n{self.text('body')}"
            time.sleep(0.05)

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def open(self, source=""):
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=f"{PAGE.as_uri()}#{urllib.parse.quote(source)}")
        self.wait("document.readyState == 'complete' && typeof element == 'function' && element('status').className != ''")

    def key(self, key, code, modifiers=0):
        for kind in ["keyDown", "keyUp"]:
            parameters = {"type": kind, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            if key == "Enter" and kind == "keyDown":
                parameters["text"] = "\r"
            self.ask("Input.dispatchKeyEvent", **parameters)


def checked(browser):
    """Waits for the verdicts of the checks."""
    browser.wait("document.querySelectorAll('#checks li strong').length == 2")
    return browser.text("#checks")


def shows_a_formula(browser):
    browser.open()
    assert "rms_norm compiles" in browser.text("#status"), browser.text("#status")
    verdicts = checked(browser)
    assert "central differences in f64: yes" in verdicts, verdicts
    assert "grad_gamma = " in browser.text("#gradient")
    assert "Saved for it: x, gamma" in browser.text("#saved"), browser.text("#saved")
    picture = browser.value("document.querySelector('#kernels .picture').textContent")
    assert "row_sum = sum(x * x, n)" in picture, picture
    assert "kernel 0: row" in browser.value("element('kernels').textContent")
    values = browser.text("#values")
    assert "out result, f32 [3, 4, 2]" in values and "grad_x gradient" in values, values
    code = browser.value("element('gpu-code').textContent")
    assert "#[cube" in code, code[:400]


def shows_mistakes_of_a_link(browser):
    browser.open(WRONG)
    mistakes = browser.text("#mistakes")
    assert "2:9 sigmod" in mistakes and "did you mean sigmoid?" in mistakes, mistakes
    assert "2:21 shift" in mistakes, mistakes
    assert browser.value("document.querySelectorAll('#underlines mark').length") == 2
    assert browser.value("element('results').hidden")
    assert browser.value("source.getAttribute('aria-invalid')") == "true"
    browser.value("document.querySelector('#mistakes button').click()")
    assert browser.value("source.value.slice(source.selectionStart, source.selectionEnd)") == "sigmod"


def compiles_what_is_typed(browser):
    browser.open(WRONG)
    browser.value("source.focus(); source.select()")
    browser.ask("Input.insertText", text="fn cube(x: Tensor) -> Tensor { x * x * x }")
    browser.wait("element('status').textContent.startsWith('cube compiles')")
    assert browser.value("decodeURIComponent(location.hash)").startswith("#fn cube("), "the link has the formula"
    assert browser.value("element('mistakes').children.length") == 0


def takes_sizes(browser):
    browser.open()
    checked(browser)
    answers = [
        ("9", "element('values').innerText.includes('f32 [3, 4, 9]')"),
        ("many", "element('refused').innerText.includes('is a whole number')"),
        ("1000000", "element('refused').innerText.includes('choose smaller sizes')"),
        ("4294967296", "element('refused').innerText.includes('is a whole number')"),
        ("0", "element('values').innerText.includes('no elements')"),
    ]
    for text, shown in answers:
        browser.value("element('size-n').focus(); element('size-n').select()")
        browser.ask("Input.insertText", text=text)
        browser.key("Enter", 13)
        browser.wait(shown)


def has_right_examples(browser):
    browser.open()
    examples = "[...document.querySelectorAll('script.example:not(.wrong)')]"
    count = browser.value(f"{examples}.length")
    assert count >= 10, count
    for at in range(count):
        name = browser.value(f"{examples}[{at}].title")
        browser.value(f"take({examples}[{at}].textContent); element('checks').replaceChildren()")
        verdicts = checked(browser)
        assert "does not hold" not in verdicts and browser.text("#refused") == "", f"{name}: {verdicts}"
        assert browser.text("#values").count("gradient") >= 2, name


def computes_on_a_gpu(browser):
    browser.open()
    checked(browser)
    examples = "[...document.querySelectorAll('script.example:not(.wrong)')]"
    for at in range(browser.value(f"{examples}.length")):
        name = browser.value(f"{examples}[{at}].title")
        of_cpu = computed(browser, "run_op", f"take({examples}[{at}].textContent)")
        of_gpu = computed(browser, "run_op_on_gpu", "showValues()")
        assert "wgsl" in browser.text("#device-name"), browser.text("#device-name")
        assert len(of_cpu) == len(of_gpu) > 10, name
        for own, other in zip(of_gpu, of_cpu):
            near = own == other or abs(float(own) - float(other)) < 1e-4 * max(1.0, abs(float(other)))
            assert near, f"{name}: {own} on the GPU, {other} on the CPU"


def computed(browser, by, action):
    """The words and numbers of a call."""
    browser.value(f"element('device').value = '{by}'; element('device-name').textContent = ''; {action}; 0")
    browser.wait("(element('device-name').textContent || element('refused').textContent) != ''")
    assert browser.text("#refused") == "", browser.text("#refused")
    return browser.text("#values").split()


def chooses_a_formula(browser):
    browser.open("fn f(x: Tensor![n], b: Option<Tensor![n]>) -> Tensor![n] { x * x + b.unwrap_or(0.0) }")
    checked(browser)
    assert browser.text("#choice").count("b is") == 2
    browser.value("element('op').value = 1; element('op').dispatchEvent(new Event('change'))")
    browser.wait("!element('formula').innerText.includes('b:')")


def tells_of_failures(browser):
    browser.open()
    told = browser.value("compiler.ask('missing', question()).catch((error) => error.message)")
    assert "Please report it" in told, told
    browser.open(f"fn f(x: Tensor) -> Tensor {{ {' + '.join(['x'] * 1000)} }}")
    assert "give a part a name" in browser.text("#status"), browser.text("#status")
    assert browser.value("element('results').hidden")


def works_by_keys_and_for_screen_readers(browser):
    browser.open()
    checked(browser)
    browser.value("document.activeElement.blur()")
    reached = []
    for _ in range(10):
        browser.key("Tab", 9)
        reached.append(browser.value("document.activeElement.id || document.activeElement.tagName"))
    assert reached[:7] == ["skip", "A", "A", "examples", "share", "source", "formula"], reached
    browser.value("element('skip').focus()")
    browser.key("Enter", 13)
    browser.wait("document.activeElement.id == 'results'")
    browser.open(WRONG)
    browser.value("element('skip').focus()")
    browser.key("Enter", 13)
    browser.wait("document.activeElement.closest('#mistakes') != null")
    browser.open()
    checked(browser)
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    wanted = ["textbox", "combobox", "button", "region", "link", "heading", "status", "form"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]
    for role in ["textbox", "combobox", "button", "region", "status"]:
        assert any(found == role for found, _ in roles), f"no {role}"
    unnamed = [role for role, name in roles if role in wanted and role != "status" and not name]
    assert not unnamed, f"without a name: {unnamed}"


def photographed(browser, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ["light", "dark"]:
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in [1280, 420]:
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            for name, source in [("formula", ""), ("mistakes", WRONG)]:
                browser.open(source)
                if name == "formula":
                    checked(browser)
                assert browser.value("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}"
                for whole in [False, True]:
                    data = browser.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"] if not whole else whole_page(browser)
                    end = "-whole" if whole else ""
                    (folder / f"{name}-{width}-{scheme}{end}.png").write_bytes(base64.b64decode(data))


def whole_page(browser):
    size = browser.ask("Page.getLayoutMetrics")["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
    return browser.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]


TESTS = [
    shows_a_formula,
    shows_mistakes_of_a_link,
    compiles_what_is_typed,
    takes_sizes,
    has_right_examples,
    computes_on_a_gpu,
    chooses_a_formula,
    tells_of_failures,
    works_by_keys_and_for_screen_readers,
]


def main():
    program = next((name for name in NAMES if name and shutil.which(name)), None)
    if program is None:
        print("skipped: there is no Chromium")
        return
    assert PAGE.exists(), "there is no page: run playground/build.sh"
    size = len(subprocess.run(["gzip", "-9c", PAGE], stdout=subprocess.PIPE, check=True).stdout)
    assert size < MOST, f"the page has {size} bytes after compression"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for test in TESTS:
                start = time.time()
                test(browser)
                print(f"{test.__name__}: {time.time() - start:.1f} s")
            if "--screenshots" in sys.argv:
                photographed(browser, pathlib.Path(sys.argv[sys.argv.index("--screenshots") + 1]))
            assert not browser.errors, browser.errors
        finally:
            browser.process.terminate()
            browser.process.wait()


main()
