# What quickstart.sh and gateway/run.sh share; sourced by them after they set:
#   examples  the directory of the examples
#   name      the base name of the files that a run leaves in examples/target
#   module    the Maven module to build, beside the examples
#   jar_name  the name of its jar, without the version
#   sources   directories and files that the module's jar is made of, beside the plugin's and the examples'
# shellcheck shell=bash disable=SC2154

root=$(dirname "$examples")
build_log=$examples/target/$name-build.log
built=$examples/target/$name-built

fail() {
    printf '%s\n' "$(basename "$0"): $*" >&2
    exit 1
}

# Prints the program's own help from a file, so that it can be read before anything is built.
help_if_asked() {
    local argument
    for argument in "$@"; do
        if [ "$argument" = --help ]; then
            exec cat "$examples/src/$name-help.txt"
        fi
    done
}

find_tools() {
    if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
        java=$JAVA_HOME/bin/java
    else
        java=$(command -v java) || fail "there is no java on the PATH and no JAVA_HOME; JDK 17 or later is needed"
    fi
    # The first line may be a note on JAVA_TOOL_OPTIONS; before 9, versions began with "1.".
    java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${java_version:-0}" -ge 17 ] 2>/dev/null \
        || fail "$java is version ${java_version:-unknown}; JDK 17 or later is needed (set JAVA_HOME)"
    command -v mvn >/dev/null \
        || fail "there is no mvn on the PATH; Maven 3.8 or later builds the $module and fetches Kafka"
}

newest_jar() {
    # shellcheck disable=SC2012 # the names are our own build's
    ls -t "$1"/target/"$2"-[0-9]*.jar 2>/dev/null | grep -v -e '-sources' -e '-tests' | head -n 1 || true
}

unchanged_since() {
    [ -e "$1" ] && [ -z "$(find "$root/pom.xml" "$root/plugin/pom.xml" "$root/plugin/src/main" ${sources[@]+"${sources[@]}"} \
        "$examples/pom.xml" "$examples/kafka" "$examples/kroxylicious" "$examples/src/main" \
        -newer "$1" -type f -print -quit)" ]
}

# A build that was interrupted leaves its first mark, and a jar that is not whole.
is_interrupted() {
    local mark
    for mark in "$examples"/target/*-built.started; do
        if [ -e "$mark" ] && { [ ! -e "$built" ] || [ "$mark" -nt "$built" ]; }; then
            return 0
        fi
    done
    ! grep -q dev/clienttelemetry/shaded/ "$module_jar"
}

# Maven leaves a jar alone whose content would be the same: an old one may be current, which our own mark then tells.
build_is_current() {
    module_jar=$(newest_jar "$root/$module" "$jar_name")
    examples_jar=$(newest_jar "$examples" kafka-client-telemetry-examples)
    [ -n "$module_jar" ] && [ -n "$examples_jar" ] && [ -d "$examples/target/libs" ] || return 1
    ! is_interrupted || return 1
    unchanged_since "$built" || { unchanged_since "$module_jar" && unchanged_since "$examples_jar"; }
}

# What Maven is at, for example ", kafka-client-telemetry: compile", and how much it had to fetch, if anything.
build_step() {
    local step fetched
    step=$(sed -n 's/^\[INFO\] --- [^ ]*:\([^: ]*\) .*@ \([^ ]*\) ---.*/\2: \1/p' "$build_log" | tail -n 1)
    fetched=$(grep -c 'Downloaded from' "$build_log" || true)
    printf '%s' "${step:+, $step}"
    if [ "${fetched:-0}" -gt 0 ]; then
        printf '%s' ", $fetched artifacts downloaded"
    fi
}

build() {
    echo "Building the $module and the examples with Maven; log: $build_log"
    mkdir -p "$examples/target"
    rm -f "$built"
    # What changes while Maven runs is newer than this.
    touch "$built.started"
    # In a process group of its own it would survive Ctrl-C; so it stays in this one.
    (cd "$root" && exec mvn -B -pl "$module" -am package -DskipTests) >"$build_log" 2>&1 &
    local maven=$! seconds=0
    trap 'kill "$maven" 2>/dev/null || true' EXIT
    while kill -0 "$maven" 2>/dev/null; do
        sleep 1
        seconds=$((seconds + 1))
        if [ -t 1 ] || [ $((seconds % 10)) -eq 0 ]; then
            progress "  ${seconds} s$(build_step)"
        fi
    done
    trap - EXIT
    [ -t 1 ] && printf '\r\033[K'
    wait "$maven" || {
        grep '^\[ERROR\]' "$build_log" | head -n 20 >&2 || true
        fail "the build failed; see $build_log"
    }
    mv "$built.started" "$built"
}

progress() {
    if [ -t 1 ]; then
        printf '\r\033[K%s' "$1"
    else
        printf '%s\n' "$1"
    fi
}

# Runs a main class of the examples with its arguments, in place of this shell.
launch() {
    local quiet=() terminal=false columns=120
    # From 24 on the JDK warns of what gRPC's and Kafka's own classes do in this process.
    if [ "$java_version" -ge 24 ]; then
        quiet=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
    fi
    if [ -t 1 ]; then
        terminal=true
        columns=$(tput cols 2>/dev/null || echo 120)
    fi
    exec "$java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${quiet[@]+"${quiet[@]}"} \
        -Dquickstart.terminal="$terminal" -Dquickstart.columns="$columns" \
        -Dorg.slf4j.simpleLogger.logFile="$examples/target/$name-clients.log" \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
        -cp "$examples_jar:$examples/target/libs/*" "$@"
}
