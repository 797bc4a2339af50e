# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Bare Debian systems in folders, for scripts that must not depend on (or change) what is installed here.
# To be sourced, as root:
#
#   bare_system_make NAME FOLDER            makes (or reuses) FOLDER: Debian NAME, nothing but apt in it
#   bare_system_enter FOLDER COMMAND...     runs COMMAND there, in the folder /memprof-source
#   bare_system_install FOLDER PACKAGE...   installs Debian packages there, those that are missing
#
# Inside, /memprof-source is this repository, or BARE_SYSTEM_REPOSITORY if that is set (a clone of it); its
# folder build is one of the system's own, FOLDER/memprof-build, so that builds of several systems do not
# meet. Further folders are mounted by BARE_SYSTEM_MOUNTS, an array of OUTSIDE:INSIDE. COMMAND gets no
# variables from here except by `env VARIABLE=value COMMAND...`.
#
# All mounts are in a namespace of COMMAND alone: they are gone when it ends, however it ends, and
# removing FOLDER never reaches through one of them.

BARE_SYSTEM_MOUNTS=()

bare_system_fail() {
  echo "$0: $*" >&2
  exit 1
}

# The mirror that apt uses here for the release NAME, else for any; empty if that is not a Debian.
bare_system_mirror() {
  local format="\$(CODENAME) \$(REPO_URI)" lines
  lines=$(apt-get indextargets --format "$format" "Created-By: Packages" "Origin: Debian" 2>/dev/null || true)
  awk -v name="$1" '$1 == name { exact = $2; exit } $1 !~ /-/ && !any { any = $2 }
    END { print exact ? exact : any }' <<<"$lines"
}

bare_system_make() {
  local name=$1 folder=$2 mirror
  [[ $(id -u) -eq 0 ]] || bare_system_fail "making a system in a folder takes root: sudo $0"
  if [[ -e $folder/etc/memprof-bare-system ]]; then
    [[ $(<"$folder/etc/memprof-bare-system") == "$name" ]] ||
      bare_system_fail "$folder is no '$name' but '$(<"$folder/etc/memprof-bare-system")': remove it"
  else
    # What an interrupted run left would not be complete; what is not ours is not touched.
    if [[ -e $folder && ! -e $folder.incomplete ]] && [[ -n $(ls -A "$folder") ]]; then
      bare_system_fail "$folder exists and is no bare system: remove it, or name another folder"
    fi
    if ! command -v debootstrap >/dev/null; then
      DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends \
        debootstrap debian-archive-keyring
    fi
    mirror=$(bare_system_mirror "$name")
    rm -rf --one-file-system "$folder"
    mkdir -p "$(dirname "$folder")"
    touch "$folder.incomplete"
    echo "Making a bare Debian '$name' in $folder"
    debootstrap --variant=minbase "$name" "$folder" ${mirror:+"$mirror"} >"$folder.log" 2>&1 ||
      bare_system_fail "debootstrap of '$name' failed: $folder.log says why"
    # The way to the mirror, where this machine has a special one.
    apt-config dump | grep -E '^Acquire::(http|https|ftp)::' >"$folder/etc/apt/apt.conf.d/90outside" || true
    # A mirror may lag behind by more than sid's lists are valid.
    printf '%s\n' 'APT::Install-Recommends "false";' 'Acquire::Check-Valid-Until "false";' \
      >"$folder/etc/apt/apt.conf.d/91bare"
    echo "$name" >"$folder/etc/memprof-bare-system"
    rm -f "$folder.incomplete" "$folder.log"
  fi
}

bare_system_enter() {
  local folder=$1 repository
  shift
  repository=${BARE_SYSTEM_REPOSITORY:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  # Whom npm trusts here, where that is somebody special.
  if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$folder/etc/certificates-outside.crt"
  fi
  # shellcheck disable=SC2016  # $1 ... are those of the inner shell
  unshare --mount --propagation private bash -euc '
    folder=$1 repository=$2 mounts=$3
    shift 3
    mount --bind "$folder" "$folder"
    for name in proc dev sys; do mount --rbind "/$name" "$folder/$name"; done
    mkdir -p "$folder/memprof-source" "$folder/memprof-build" "$repository/build"
    mount --bind "$repository" "$folder/memprof-source"
    mount --bind "$folder/memprof-build" "$folder/memprof-source/build"
    for ((; mounts > 0; --mounts)); do
      mkdir -p "$folder/${1#*:}"
      mount --bind "${1%%:*}" "$folder/${1#*:}"
      shift
    done
    # Not chroot: nobody may make a user namespace in one.
    cd "$folder"
    pivot_root . .
    umount --lazy .
    cd /memprof-source
    certificates=
    if [[ -e /etc/certificates-outside.crt ]]; then
      certificates=NPM_CONFIG_CAFILE=/etc/certificates-outside.crt
    fi
    exec env -i HOME=/root LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive $certificates \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' bash "$folder" "$repository" "${#BARE_SYSTEM_MOUNTS[@]}" "${BARE_SYSTEM_MOUNTS[@]}" "$@"
}

bare_system_install() {
  local folder=$1 package state missing=()
  shift
  for package in "$@"; do
    # shellcheck disable=SC2016  # a field of dpkg-query
    state=$(chroot "$folder" dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
    if ! grep -qx installed <<<"$state"; then missing+=("$package"); fi
  done
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  bare_system_enter "$folder" apt-get -q update
  bare_system_enter "$folder" apt-get -q -y -o Dpkg::Use-Pty=0 install "${missing[@]}"
  bare_system_enter "$folder" apt-get clean
}
