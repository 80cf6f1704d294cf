#!/usr/bin/env bash
# Puts Debian trixie's victoria-metrics into a scratch directory and prints the path of its binary. Takes the package
# with apt from the mirror that the system's own Debian sources name, with an apt state of its own: neither the
# system's sources nor its package lists are touched, nothing is installed, no rights are needed.
#
# usage: fetch-victoriametrics.sh DIRECTORY
set -euo pipefail

directory=$(mkdir -p "$1" && cd "$1" && pwd)
binary=$directory/root/usr/bin/victoria-metrics
if [ -x "$binary" ]; then
    echo "$binary"
    exit
fi

# Where the installed release itself comes from: sources of other makers have other suites or components.
release=$(. /etc/os-release && echo "${ID:-unknown} ${VERSION_CODENAME:-unknown}")
mirror=$(apt-get indextargets --no-release-info --format '$(REPO_URI) debian $(RELEASE) $(COMPONENT)' |
    awk -v main="$release main" '$2 " " $3 " " $4 == main { print $1; exit }')
if [ -z "$mirror" ]; then
    echo "No mirror of main for the installed release ($release; must be a Debian) among this system's apt sources." >&2
    exit 1
fi

mkdir -p "$directory"/{lists,cache,etc}/partial
touch "$directory/etc/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$directory/etc/sources.list"
options=(-q
    -o "APT::Sandbox::User=$(id -un)"
    -o "Acquire::Languages=none"
    -o "Dir::Etc::SourceList=$directory/etc/sources.list"
    -o "Dir::Etc::SourceParts=-"
    -o "Dir::State::Lists=$directory/lists"
    -o "Dir::State::Status=$directory/etc/status"
    -o "Dir::Cache=$directory/cache")
{
    apt-get "${options[@]}" -o APT::Update::Error-Mode=any update
    (cd "$directory" && apt-get "${options[@]}" download victoria-metrics)
    dpkg-deb -x "$directory"/victoria-metrics_*.deb "$directory/root"
} >&2
[ -x "$binary" ] || { echo "The package has no $binary." >&2; exit 1; }
rm -rf "$directory"/{lists,cache,etc} "$directory"/victoria-metrics_*.deb
echo "$binary"
