#!/usr/bin/env bash
# Starts a Kafka broker with the plugin, clients and an OTLP receiver, and shows what arrives: quickstart.sh --help
set -euo pipefail

examples=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
name=quickstart
module=plugin
jar_name=kafka-client-telemetry
sources=()
# shellcheck source=src/launch.sh
source "$examples/src/launch.sh"

help_if_asked "$@"
find_tools
build_is_current || { build && build_is_current; } || fail "the build gave no jar; see $build_log"
launch -Dquickstart.plugin="$module_jar" -Dquickstart.properties="$examples/server.properties" \
    dev.clienttelemetry.examples.quickstart.Quickstart "$@"
