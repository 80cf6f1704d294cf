#!/usr/bin/env bash
# Starts a Kafka broker without the plugin, a proxy with the gateway, clients and an OTLP receiver: run.sh --help
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
examples=$(dirname "$here")
root=$(dirname "$examples")
build_log=$examples/target/gateway-build.log

fail() {
    printf '%s\n' "run.sh: $*" >&2
    exit 1
}

if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
    java=$JAVA_HOME/bin/java
else
    java=$(command -v java) || fail "there is no java on the PATH and no JAVA_HOME; JDK 17 or later is needed"
fi
java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
[ "${java_version:-0}" -ge 17 ] 2>/dev/null \
    || fail "$java is version ${java_version:-unknown}; JDK 17 or later is needed (set JAVA_HOME)"
command -v mvn >/dev/null || fail "there is no mvn on the PATH; Maven 3.8 or later builds the gateway and fetches the rest"

# From 24 on the JDK warns of what gRPC's and Kafka's own classes do in this process.
quiet=()
if [ "$java_version" -ge 24 ]; then
    quiet=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
fi

newest_jar() {
    # shellcheck disable=SC2012 # the names are our own build's
    ls -t "$1"/target/"$2"-[0-9]*.jar 2>/dev/null | grep -v -e '-sources' -e '-tests' | head -n 1 || true
}

build_is_current() {
    gateway_jar=$(newest_jar "$root/gateway" kafka-client-telemetry-gateway)
    examples_jar=$(newest_jar "$examples" kafka-client-telemetry-examples)
    [ -n "$gateway_jar" ] && [ -n "$examples_jar" ] && [ -d "$examples/target/libs" ] \
        && [ -z "$(find "$root/pom.xml" "$root/plugin/pom.xml" "$root/plugin/src/main" \
            "$root/gateway/pom.xml" "$root/gateway/src/main" -newer "$gateway_jar" -type f -print -quit)" ] \
        && [ -z "$(find "$examples/pom.xml" "$examples/src/main" "$examples/kafka" "$examples/kroxylicious" \
            -newer "$examples_jar" -type f -print -quit)" ]
}

build() {
    echo "Building the gateway, the plugin and the examples with Maven; log: $build_log"
    mkdir -p "$examples/target"
    (cd "$root" && exec mvn -B -pl gateway -am package -DskipTests) >"$build_log" 2>&1 || {
        grep '^\[ERROR\]' "$build_log" | head -n 20 >&2 || true
        fail "the build failed; see $build_log"
    }
}

wants_help=false
for argument in "$@"; do
    [ "$argument" = --help ] && wants_help=true
done

build_is_current || { build && build_is_current; } || fail "the build gave no jar; see $build_log"

terminal=false
columns=120
if [ -t 1 ] && [ "$wants_help" = false ]; then
    terminal=true
    columns=$(tput cols 2>/dev/null || echo 120)
fi

exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -Dquickstart.terminal="$terminal" -Dquickstart.columns="$columns" \
    -Dquickstart.gateway.jar="$gateway_jar" -Dquickstart.gateway.directory="$here" \
    -Dorg.slf4j.simpleLogger.logFile="$examples/target/gateway-clients.log" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
    ${quiet[@]+"${quiet[@]}"} \
    -cp "$examples_jar:$examples/target/libs/*" \
    dev.clienttelemetry.examples.quickstart.GatewayQuickstart "$@"
