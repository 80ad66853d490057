#!/usr/bin/env bash
# Builds the page, one file with the compiler in it: playground/dist/index.html.
set -euo pipefail
cd "$(dirname "$0")"
RUSTFLAGS="-C target-feature=+simd128" cargo build -p tensor-op-playground --target wasm32-unknown-unknown --profile playground
target=${CARGO_TARGET_DIR:-../target}
mkdir -p dist
cargo run --quiet --release --manifest-path bind/Cargo.toml --target-dir "$target/bind" -- \
    "$target/wasm32-unknown-unknown/playground/tensor_op_playground.wasm" dist
gzip -9 -n -c dist/glue_bg.wasm >dist/module.gz
base64 <dist/module.gz >dist/module.base64
# A line `<!-- insert FILE -->` stands for the file.
awk '/^<!-- insert / { while ((getline line < $3) > 0) print line; next } { print }' page.html >dist/index.html
rm dist/glue.js dist/glue_bg.wasm dist/module.gz dist/module.base64
echo "playground/dist/index.html: $(wc -c <dist/index.html) bytes, $(gzip -9 -c dist/index.html | wc -c) compressed"
