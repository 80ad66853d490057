"""Asks rust-analyzer about formulas: hover, definition, references, rename and completion at the marks of a small crate.

    rustup component add rust-analyzer
    python3 tests/editor/run.py

A mark is a line of comment below a line of code. Its `^` stands below the place that is asked about, and after it stands what is
asked and what the answer must have:

    ^ hover TEXT               the text that is shown has this
    ^ definition TEXT          the line that the editor goes to has this
    ^ references N             the name stands in so many places, its definition among them
    ^ rename NAME N            a new name changes so many places, and no error of the editor comes of it
    ^ type `TEXT` offers A, B  with this typed before the place, the editor offers these names

Where no mark says otherwise the file is right, so the editor must show no error in it.
"""

import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import threading

SAMPLE = pathlib.Path(__file__).resolve().parent / "sample"
ROOT = SAMPLE.parents[2]
FILE = SAMPLE / "src" / "lib.rs"
MARK = re.compile(r"^\s*// *(\^) (\w+) (.*)$")
SETTINGS = {
    "checkOnSave": False,
    "cachePriming": {"enable": False},
    "diagnostics": {"experimental": {"enable": True}},
    "completion": {"autoimport": {"enable": False}},
}


class Server:
    """rust-analyzer, by the language server protocol over its standard input and output."""

    def __init__(self, root):
        # The crates of this repository are built once.
        environment = {"CARGO_TARGET_DIR": str(ROOT / "target"), **os.environ}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(["rust-analyzer"], cwd=root, env=environment, **pipes)
        self.inbox = queue.Queue()
        self.count = 0
        self.quiescent = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while line := self.process.stdout.readline():
            length = int(line.split(b":")[1])
            while self.process.stdout.readline().strip():
                pass
            self.inbox.put(json.loads(self.process.stdout.read(length)))
        self.inbox.put(None)

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, seconds=600):
        """The next answer; what the server says or asks in between is dealt with."""
        message = self.inbox.get(timeout=seconds)
        if message is None:
            sys.exit("rust-analyzer ended")
        if "method" in message and "id" in message:
            settings = [SETTINGS for _ in message.get("params", {}).get("items", [])]
            self.send({"id": message["id"], "result": settings or None})
        elif message.get("method") == "experimental/serverStatus":
            self.quiescent = message["params"]["quiescent"]
        return message

    def ask(self, method, params):
        for _ in range(10):
            self.count += 1
            self.send({"id": self.count, "method": method, "params": params})
            while "method" in (message := self.receive()) or message["id"] != self.count:
                pass
            # A change of the file while the server works on an answer.
            if message.get("error", {}).get("code") not in (-32801, -32802):
                break
        return message.get("result"), message.get("error")

    def start(self, root):
        params = {
            "processId": None,
            "rootUri": root.as_uri(),
            "capabilities": {
                "experimental": {"serverStatusNotification": True},
                "window": {"workDoneProgress": False},
                "workspace": {"configuration": True},
                "textDocument": {"hover": {"contentFormat": ["plaintext"]}},
            },
            "initializationOptions": SETTINGS,
        }
        self.ask("initialize", params)
        self.notify("initialized", {})
        while not self.quiescent:
            self.receive()


class Document:
    """The file as the editor has it."""

    def __init__(self, server, path):
        self.server, self.uri, self.text, self.version = server, path.as_uri(), path.read_text(), 1
        item = {"uri": self.uri, "languageId": "rust", "version": 1, "text": self.text}
        server.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, text):
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        changes = [{"text": text}]
        self.server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def ask(self, question, line, column, **more):
        position = {"line": line, "character": column}
        params = {"textDocument": {"uri": self.uri}, "position": position, **more}
        return self.server.ask("textDocument/" + question, params)


def errors(document):
    found, error = document.server.ask("textDocument/diagnostic", {"textDocument": {"uri": document.uri}})
    if error:
        return [error["message"]]
    return [f"line {d['range']['start']['line'] + 1}: {d['message']}" for d in found["items"] if d["severity"] <= 2]


def marks(text):
    """Line, column, question and answer of each mark."""
    code = 0
    for number, line in enumerate(text.splitlines()):
        if mark := MARK.match(line):
            yield code, mark.start(1), mark[2], mark[3]
        else:
            code = number


def hover(document, line, column, wanted):
    found, _ = document.ask("hover", line, column)
    text = found["contents"]["value"] if found else "nothing"
    return None if wanted in text else text


def definition(document, line, column, wanted):
    found, _ = document.ask("definition", line, column)
    found = [found] if isinstance(found, dict) else found or []
    lines = [target_line(document, place) for place in found]
    return None if any(wanted in line for line in lines) else "; ".join(lines) or "nothing"


def target_line(document, place):
    path = pathlib.Path(place["uri"].removeprefix("file://"))
    text = document.text if place["uri"] == document.uri else path.read_text()
    return text.splitlines()[place["range"]["start"]["line"]].strip()


def references(document, line, column, wanted):
    found, _ = document.ask("references", line, column, context={"includeDeclaration": True})
    places = sorted({(r["range"]["start"]["line"] + 1, r["range"]["start"]["character"]) for r in found or []})
    return None if len(places) == int(wanted) else f"{len(places)}: {places}"


def rename(document, line, column, wanted):
    name, count = wanted.split()
    found, error = document.ask("rename", line, column, newName=name)
    if error:
        return error["message"]
    edits = [e for change in found.get("documentChanges", []) for e in change["edits"]]
    edits += [e for edits in found.get("changes", {}).values() for e in edits]
    places = {(e["range"]["start"]["line"], e["range"]["start"]["character"]) for e in edits}
    if len(edits) != len(places) or len(places) != int(count):
        return f"{len(edits)} changes of {len(places)} places"
    lines = document.text.split("\n")
    for edit in sorted(edits, key=lambda e: e["range"]["start"]["character"], reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        row = lines[start["line"]]
        lines[start["line"]] = row[: start["character"]] + edit["newText"] + row[end["character"] :]
    document.change("\n".join(lines))
    found = errors(document)
    document.change(document.text)
    return "; ".join(found) or None


def typed(document, line, column, wanted):
    text, names = re.match(r"`(.*)` offers (.*)", wanted).groups()
    lines = document.text.split("\n")
    lines[line] = lines[line][:column] + text + lines[line][column:]
    document.change("\n".join(lines))
    found, _ = document.ask("completion", line, column + len(text))
    document.change(document.text)
    items = found["items"] if isinstance(found, dict) else found or []
    offered = {re.match(r"\W*(\w*)", item["label"])[1] for item in items}
    missing = [name for name in names.split(", ") if name not in offered]
    return f"no {', '.join(missing)} among {len(items)}: {', '.join(sorted(offered)[:12])}" if missing else None


QUESTIONS = {
    "hover": hover,
    "definition": definition,
    "references": references,
    "rename": rename,
    "type": typed,
}


def main():
    # The versions that this repository is tested with.
    shutil.copy(ROOT / "Cargo.lock", SAMPLE)
    server = Server(SAMPLE)
    server.start(SAMPLE)
    document = Document(server, FILE)
    failures = [f"the editor shows an error: {error}" for error in errors(document)]
    count = 0
    for line, column, question, answer in marks(document.text):
        count += 1
        found = QUESTIONS[question](document, line, column, answer)
        if found is not None:
            failures.append(f"{FILE.name}:{line + 1}:{column + 1}: {question} {answer}\n    found: {found}")
    server.process.kill()
    print("\n".join([*failures, f"{count} questions, {len(failures)} wrong answers"]))
    sys.exit(1 if failures or not count else 0)


if __name__ == "__main__":
    main()
