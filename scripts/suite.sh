# shellcheck shell=bash
# Packages of other suites of Debian than the machine's, and programs that need newer libraries than the machine has. They come from the mirror that the
# machine's own apt uses, checked by Debian's keys; that apt does not learn of the suite. Sourced behind lib.sh, never run.

suite_options=() # with which apt knows the suite
suite_files=     # where it puts what it gets

# What the machine has installed does not matter.
know_suite() { # deb or deb-src, suite, for what
  suite_files=/var/lib/abelian/sources/$3
  suite_options=(-q -o "Dir::Etc::sourcelist=$suite_files.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$suite_files.lists"
    -o Dir::State::status=/dev/null -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
  as_root install -d -m 755 "$suite_files.lists/partial" "$suite_files"
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$1" "$(mirror)" "$2" | as_root tee "$suite_files.list" >/dev/null
  as_root apt-get "${suite_options[@]}" update >&2
}

of_suite() { # arguments of apt-get
  # shellcheck disable=SC2016 # the inner shell's
  as_root sh -c 'cd "$1" && shift && exec apt-get "$@"' sh "$suite_files" "${suite_options[@]}" "$@" >&2
}

# The packages that the suite has for these, unpacked into the folder `work` beside them.
unpack_packages() { # package ...
  local package
  as_root rm -rf "$suite_files/work" "$suite_files"/*.deb
  of_suite download "$@"
  for package in "$suite_files"/*.deb; do as_root dpkg-deb -x "$package" "$suite_files/work"; done
}

# The libraries that have been unpacked, without what they load by themselves.
copy_libraries() { # folder to put them in
  as_root install -d -m 755 "$1"
  as_root find "$suite_files/work/usr/lib" -path '*-linux-gnu/*.so*' -not -path '*/*-linux-gnu/*/*' -exec cp -a -t "$1" {} +
}

# Programs and libraries in the folders look for libraries in one folder first, and the programs are loaded by its loader if it has one.
use_libraries() { # folder of the libraries, folder of programs and libraries ...
  local file loader path
  loader=$(find "$1" -name 'ld-linux*' -print -quit)
  as_root find "${@:2}" -type f -print0 | while IFS= read -r -d '' file; do
    [ "$(head -c 4 "$file" | tail -c 3 | tr -d '\0')" = ELF ] || continue
    path=$(patchelf --print-rpath "$file")
    as_root patchelf --force-rpath --set-rpath "$1${path:+:$path}" "$file"
    if [ -n "$loader" ] && [ -n "$(patchelf --print-interpreter "$file" 2>/dev/null)" ]; then as_root patchelf --set-interpreter "$loader" "$file"; fi
  done
}
