#!/usr/bin/env bash
# Makes the project's own copy of the sets from a folder of NumPy's source or wheel, `numpy/_core/tests/data`, in which
# NumPy's LICENSE.txt has been put: tests/umath/make.sh FOLDER
set -euo pipefail
cd "$1"
# The same folder gives the same bytes.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=644 --format=ustar -cf - -- \
    LICENSE.txt umath-validation-set-*.csv | gzip -9n > "$OLDPWD/$(dirname "$0")/sets.tar.gz"
