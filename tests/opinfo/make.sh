#!/usr/bin/env bash
# Makes the project's own copy of the samples from a folder of safetensors files: tests/opinfo/make.sh FOLDER ARCHIVE, where the
# archive is `samples`, or `linalg` for the samples that make.py makes.
set -euo pipefail
cd "$1"
# The same folder gives the same bytes.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=644 --format=ustar -cf - -- *.safetensors |
    gzip -9n > "$OLDPWD/$(dirname "$0")/$2.tar.gz"
