# shellcheck shell=bash disable=SC2034 # the scripts that source this use the names
# What every script needs to know: where this clone's PostgreSQL lives and how to act as root or as the database user.
# Sourced, never run. It must not print anything nor change anything.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
packaged_major=15 # what Debian 12 has packages of
pg_major=${ABELIAN_PG_MAJOR:-$packaged_major}
os_user=abelian

# Two clones never share a PostgreSQL: the identity is the clone's path, readable part first. Short, since the path of a socket is limited
# to 107 bytes.
clone_name=$(basename "$repository" | tr -c 'A-Za-z0-9\n' '_' | cut -c1-20)
clone_id=$clone_name-$(printf '%s' "$repository" | sha256sum | cut -c1-8)

# One number for the extension, the router and the driver.
abelian_version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$repository/pg-extension/extension/abelian.control")

# Nothing that runs as the database user may lie in the clone: that user may not be able to reach it.
home=/var/lib/abelian/$clone_id
# Other versions than the packaged one have everything of their own: a copy of what scripts/build-postgresql built, nodes, and the extension.
version_suffix=
[ "$pg_major" = "$packaged_major" ] || version_suffix=-$pg_major
prefix=$home/postgresql$version_suffix
bindir=$prefix/lib/postgresql/$pg_major/bin
pkglibdir=$prefix/lib/postgresql/$pg_major/lib
sharedir=$prefix/share/postgresql/$pg_major
nodes=$home/nodes$version_suffix
cargo_target=${CARGO_TARGET_DIR:-$repository/pg-extension/target}${version_suffix:+/pg$pg_major}

# What is copied: Debian's packages, or one for all clones.
built=/var/lib/abelian/built/$pg_major
system=/usr
[ "$pg_major" = "$packaged_major" ] || system=$built
system_libdir=$system/lib/postgresql/$pg_major
system_sharedir=$system/share/postgresql/$pg_major

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$(basename "$0"): $*"
  exit 1
}

as_root() {
  if [ "$EUID" -eq 0 ]; then "$@"; else sudo -- "$@"; fi
}

# Runs a program as the database user, from a folder and with an environment that do not depend on the caller's.
# A backtrace for every ERROR would slow the extension down a hundredfold, so the variables that ask for it are dropped.
as_database_user() {
  local clean=(env -i "PATH=$bindir:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    HOME=/var/lib/abelian LC_ALL=C.UTF-8)
  # Debian's pg_config and psql wrappers are not in the way: the prefix's bin directory comes first.
  if [ "$EUID" -eq 0 ]; then
    (cd / && exec runuser -u "$os_user" -- "${clean[@]}" "$@")
  else
    (cd / && exec sudo -u "$os_user" -- "${clean[@]}" "$@")
  fi
}

# Debian packages that one script needs, beside those of scripts/setup.
install_tools() { # package ...
  local package wanted=()
  for package; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || wanted+=("$package")
  done
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${wanted[*]}"
  as_root apt-get -q update >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${wanted[@]}" >&2
}

# Debian's mirror as the machine's own sources name it.
# shellcheck disable=SC2016 # apt's own variable
mirror() {
  local uri
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1)
  [ -n "$uri" ] || fail "apt knows no mirror of Debian: run apt-get update"
  printf '%s\n' "$uri"
}

# Rust is often installed for the user only, in a folder that non-login shells do not search.
find_cargo() {
  if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH=$HOME/.cargo/bin:$PATH
    export PATH
  fi
}

# Holds the named lock of this clone for the rest of the script; two scripts of one clone then follow each other.
take_lock() {
  mkdir -p "$repository/target"
  exec 9>"$repository/target/$1.lock"
  if ! flock --nonblock 9; then
    say "waiting for another $1 of this clone to finish"
    flock --timeout 1800 9 || fail "another $1 of this clone has held its lock for 30 minutes"
  fi
}

# First pg_config that belongs to the PostgreSQL we build for.
find_pg_config() {
  local candidate
  for candidate in "$system_libdir/bin/pg_config" /usr/bin/pg_config; do
    if [ -x "$candidate" ] && "$candidate" --version 2>/dev/null | grep -q "^PostgreSQL ${pg_major}[. ]"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# Whether nobody listens there.
port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A port between 20000 and 30000, drawn at random, such that all ports at the given distances from it are free; 0 is itself. Scripts that run side
# by side get ranges of their own, since a port may be drawn long before somebody listens there.
free_port() { # distance ...
  local base distance tries range=${ABELIAN_FREE_PORTS:-20000-29999}
  for ((tries = 0; tries < 100; tries++)); do
    base=$((${range%-*} + RANDOM % (${range#*-} - ${range%-*} + 1)))
    for distance; do port_is_free $((base + distance)) || continue 2; done
    printf '%s\n' "$base"
    return
  done
  fail "no free port in $range"
}

# Stands for the SQL objects that CREATE EXTENSION makes now.
install_script_digest() { { cat "$sharedir"/extension/abelian*.sql 2>/dev/null || true; } | sha256sum | cut -d' ' -f1; }

# The local cluster: nodes n1..n3 on the ports after the base, the router on 6432 (432 above the base when that is moved).
# The node `plain` is outside the cluster, for what is compared with a single PostgreSQL.
# Tests that need a cluster of their own move the ports and give their nodes another prefix.
port_base=${ABELIAN_PORT_BASE:-7000}
router_port=$((port_base == 7000 ? 6432 : port_base + 432))
node_prefix=${ABELIAN_NODE_PREFIX:-n}
cluster_nodes=("${node_prefix}1" "${node_prefix}2" "${node_prefix}3")
plain_node=${ABELIAN_NODE_PREFIX:-}plain

server_jar=$repository/middleware/server/target/abelian-server-$abelian_version.jar
workloads_jar=$repository/workloads/target/abelian-workloads-$abelian_version.jar
advisor_jar=$repository/partition-advisor/target/abelian-partition-advisor-$abelian_version.jar

# What runs our Java programs; what builds them is the PATH's.
jvm=${ABELIAN_JVM:-java}

# The program of a Java module: its jar, and beside it in lib/ what it needs.
class_path() { printf '%s:%s/lib/*\n' "$1" "$(dirname "$1")"; }
