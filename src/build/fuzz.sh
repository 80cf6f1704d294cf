#!/usr/bin/env bash
# Has Jazzer look for bytes that the check or the conversion of pushes cannot stand (PushFuzz in the plugin's tests),
# starting from the corpus in the test resources and the recorded payloads; or, with "sequences", for pushes one after the
# other that break a rule of sequences (SequenceFuzz).
#
# usage: fuzz.sh [sequences] SECONDS [WORK_DIRECTORY]
#        fuzz.sh [sequences] minimise [WORK_DIRECTORY]
#
# What it finds on the way is collected in WORK_DIRECTORY/corpus. "minimise" brings what of that reaches new code back
# into the test resources: one input a line, in hexadecimal, none of more than 512 bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=PushFuzz
kept=plugin/src/test/resources/fuzz/push-corpus.txt
seeds=(plugin/src/test/resources/payloads)
if [ "$1" = sequences ]; then
    shift
    target=SequenceFuzz
    kept=plugin/src/test/resources/fuzz/sequence-corpus.txt
    seeds=()
fi
work=${2:-plugin/target/fuzz/$target}
mkdir -p "$work/corpus" "$work/kept" "$work/minimised"
work=$(cd "$work" && pwd)

number=0
while read -r hex; do
    number=$((number + 1))
    printf '%b' "$(sed 's/../\\x&/g' <<<"$hex")" >"$work/kept/$number"
done <"$kept"

mvn -B -ntp -q -Pfuzz -pl plugin -am test-compile dependency:build-classpath \
    -Dmdep.outputFile="$work/classpath" -Dmdep.includeScope=test
jazzer=(java -Xmx2g -cp "plugin/target/test-classes:plugin/target/classes:$(cat "$work/classpath")"
    com.code_intelligence.jazzer.Jazzer
    "--target_class=dev.clienttelemetry.otlp.$target"
    "--instrumentation_includes=dev.clienttelemetry.otlp.**"
    "--instrumentation_excludes=dev.clienttelemetry.otlp.WireRules**:dev.clienttelemetry.otlp.DecodedPoints**"
    "--custom_hook_includes=dev.clienttelemetry.otlp.**"
    "--reproducer_path=$work"
    "-artifact_prefix=$work/")

if [ "$1" = minimise ]; then
    rm -f "$work/minimised"/*
    "${jazzer[@]}" -merge=1 "$work/minimised" "$work/kept" "$work/corpus"
    find "$work/minimised" -type f -size -513c | while read -r input; do
        od -An -v -tx1 "$input" | tr -d ' \n'
        echo
    done | sort | awk '{ print length, $0 }' | sort -s -n -k1,1 | cut -d' ' -f2- >"$kept"
else
    "${jazzer[@]}" "-max_total_time=$1" -max_len=4096 -timeout=20 -use_value_profile=1 \
        "$work/corpus" "$work/kept" "${seeds[@]}"
fi
