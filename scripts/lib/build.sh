# How `swift build` is called: $build_options, after the options of the caller.
#
# With BRASA_BUILD_ONCE=1 a fresh clone is built to be tested and then thrown away, as continuous integration
# does: the examples are built in the folder of the program, so that what both packages use is built once, and
# without what debuggers read, which takes the compiler time. A clone that people work in is not built so: each of
# the two packages takes the other's own dependencies out of a common folder.

build_options=()
if [ -n "${BRASA_BUILD_ONCE:-}" ]; then
  # Whole modules take a quarter less of the compiler's time, where nothing is compiled a second time. C at -O2
  # compiles as fast, and then hashes passwords and speaks TLS many times as fast.
  build_options=(
    --scratch-path "$PWD/.build" -debug-info-format none -Xcc -O2 -Xcxx -O2
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
  )
fi

# A release has Swift's libraries in itself where the system can: calls into them go no detour, which is about a sixth of
# what a get costs, and the program runs where no Swift is installed. It has no information for debuggers, which takes the
# compiler time and the disk room; backtraces name functions without it. Packages are stripped of it anyway.
release_options=(-c release -debug-info-format none)
if [ "$(uname -s)" = Linux ]; then
  release_options+=(--static-swift-stdlib)
  # Without Python the program has ICU's data of all languages, and is 30 MB larger.
  if icu_options=$(python3 scripts/lib/icu.py .build/icu.o 2>/dev/null); then
    while IFS= read -r option; do release_options+=("$option"); done <<<"$icu_options"
  fi
fi

# The commit for `brasa --version`, with a + where files differ from it; empty outside a repository.
BRASA_COMMIT=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
if [ -n "$BRASA_COMMIT" ] && ! git diff --quiet HEAD 2>/dev/null; then
  BRASA_COMMIT=$BRASA_COMMIT+
fi
export BRASA_COMMIT
