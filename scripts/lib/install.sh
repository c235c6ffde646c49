# Finds what the build and the tests need and installs what is missing: Debian packages with apt,
# on macOS Homebrew's. Needs say.sh.

# What `swift build` needs beside Swift itself.
BUILD_PACKAGES_DEBIAN=(librocksdb-dev libbrotli-dev libsqlite3-dev zlib1g-dev pkg-config)
BUILD_PACKAGES_BREW=(rocksdb brotli pkg-config)
# What the tests need beside that.
TEST_PACKAGES_DEBIAN=(python3 python3-venv curl gcc libc6-dev chromium chromium-driver nodejs
  postgresql libpq5 awscli s3cmd rclone)
TEST_PACKAGES_BREW=(python3)
# What packages are made with.
PACKAGE_TOOLS_DEBIAN=(dpkg-dev binutils patchelf python3 ca-certificates tzdata)
# What tests of packages look at them with.
TEST_PACKAGES_DEBIAN+=("${PACKAGE_TOOLS_DEBIAN[@]}" adduser systemd man-db zsh fish)
# What the examples' tests need beside that.
EXAMPLE_PACKAGES_DEBIAN=(ca-certificates libsqlite3-dev chromium chromium-driver fonts-dejavu-core fonts-liberation
  python3 python3-venv curl)
# What the slow tests alone need: 300 MB.
SLOW_TEST_PACKAGES_DEBIAN=(firefox-esr debootstrap skopeo)

require_swift() {
  if ! command -v swift >/dev/null; then
    fail "Swift 6.3 is missing. Install it as https://www.swift.org/install says, then run this again."
  fi
}

install_build_packages() {
  case $(uname -s) in
    Linux) install_debian "${BUILD_PACKAGES_DEBIAN[@]}" ;;
    Darwin) install_brew "${BUILD_PACKAGES_BREW[@]}" ;;
    *) fail "Only Linux and macOS are supported; this is $(uname -s)." ;;
  esac
}

install_test_packages() {
  case $(uname -s) in
    Linux) install_debian "${TEST_PACKAGES_DEBIAN[@]}" ;;
    Darwin) install_brew "${TEST_PACKAGES_BREW[@]}" ;;
  esac
}

install_example_packages() {
  case $(uname -s) in
    Linux) install_debian "${EXAMPLE_PACKAGES_DEBIAN[@]}" ;;
  esac
}

install_package_tools() { install_debian "${PACKAGE_TOOLS_DEBIAN[@]}"; }

install_slow_test_packages() {
  case $(uname -s) in
    Linux) install_debian "${SLOW_TEST_PACKAGES_DEBIAN[@]}" ;;
  esac
}

install_debian() {
  local missing=() package
  for package in "$@"; do
    has_debian "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null \
    || fail "Missing: ${missing[*]}. This system has no apt-get; install their like by hand."
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null \
      || fail "Missing: ${missing[*]}. Run as root: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  quietly "updating the package lists" "${root[@]}" apt-get update
  quietly "installing ${missing[*]}" \
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    "${missing[@]}"
}

# Python and the compiler, which builds a preloaded library, may be there without being Debian's.
has_debian() {
  case $1 in
    python3 | curl | pkg-config | patchelf) command -v "$1" >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    gcc) command -v cc >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    *) dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed' ;;
  esac
}

install_brew() {
  local missing=() package
  command -v brew >/dev/null \
    || fail "Homebrew is missing. Install it as https://brew.sh says, then run this again."
  for package in "$@"; do
    brew list --formula "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  quietly "installing ${missing[*]}" brew install "${missing[@]}"
}

# Makes an environment with the packages of a requirements file, unless it holds just those already. Packages of a file
# beside it that ends in -alone.txt come without what they would bring.
# Arguments: the checkout, the requirements file, the environment's folder (.venv if it is not said).
prepare_python() {
  local environment=$1/${3:-.venv} requirements=$2 alone=${2%.txt}-alone.txt
  [ -e "$alone" ] || alone=/dev/null
  if ! cat "$requirements" "$alone" | cmp -s - "$environment/installed.txt"; then
    quietly "making a Python environment in ${3:-.venv}" python3 -m venv --clear "$environment"
    quietly "installing packages from PyPI" \
      "$environment/bin/python" -m pip install --disable-pip-version-check -r "$requirements"
    quietly "installing files from PyPI" \
      "$environment/bin/python" -m pip install --disable-pip-version-check --no-deps -r "$alone"
    cat "$requirements" "$alone" > "$environment/installed.txt"
  fi
}
