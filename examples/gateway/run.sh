#!/usr/bin/env bash
# Starts a Kafka broker without the plugin, a proxy with the gateway, clients and an OTLP receiver: run.sh --help
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
examples=$(dirname "$here")
name=gateway
module=gateway
jar_name=kafka-client-telemetry-gateway
sources=("$examples/../gateway/pom.xml" "$examples/../gateway/src/main")
# shellcheck source=../src/launch.sh
source "$examples/src/launch.sh"

help_if_asked "$@"
find_tools
build_is_current || { build && build_is_current; } || fail "the build gave no jar; see $build_log"
launch -Dquickstart.gateway.jar="$module_jar" -Dquickstart.gateway.directory="$here" \
    dev.clienttelemetry.examples.quickstart.GatewayQuickstart "$@"
