#!/usr/bin/env bash
# Rules that no compiler checks; each prints what breaks it.
set -euo pipefail
cd "$(dirname "$0")/.."
broken=0
rule() { # title, offending lines
  if [ -n "$2" ]; then printf 'rule broken: %s\n%s\n' "$1" "$2"; broken=1; fi
}

sources=$(git ls-files '*.rs')
rule "a file has at most 500 lines" "$(wc -l $sources | awk '$2 != "total" && $1 > 500 {print "  " $2 ": " $1}')"
# Code in comments, tables, drawings and addresses are as wide as they are.
rule "comments have at most 100 columns" \
  "$(awk 'FNR == 1 {fence = 0}
       /^[ \t]*\/\/[\/!]? *```/ {fence = !fence; next}
       !/^[ \t]*\/\// || fence || /^[ \t]*\/\/[\/!]? *\|/ || /http/ {next}
       {text = $0; sub(/^[ \t]*\/\/[\/!]? */, "", text)}
       text ~ /[^ ]   / {next}
       {line = $0; gsub(/[\200-\277]/, "", line)}
       length(line) > 100 {print "  " FILENAME ":" FNR}' $sources)"
rule "names that say nothing" "$(grep -E '/(base|utils?|common|types|helpers?|misc)\.rs$' <<<"$sources" || true)"
# Tests aside, and programs of other runtimes, which say the same in each.
rule "a name is that of at most three types" \
  "$(grep -vE '/(tests|examples)/|(tests|loom)\.rs$|^tools/odeon-peers/' <<<"$sources" \
     | xargs grep -hoE '^( *(pub(\([^)]*\))? )?(struct|enum|trait|union)|(pub(\([^)]*\))? )?type) [A-Z][A-Za-z0-9]*' \
     | awk '{print $NF}' | sort | uniq -c | awk '$1 > 3 {print "  " $2 ": " $1}')"
# Exceptions: the orphan rule wants the implementations of serde's traits in the crates of the collections and of the
# references, and who uses these alone shall not have to compile serde; nor who has no journal, for which that writes values. Who has no tokio shall not have to compile that. Nor shall who tries the command have to compile a network and
# a compiler for GPUs first.
rule "cfg(feature) only in the facade and in the command" "$(grep -n 'cfg(feature' $sources \
  | grep -vE '^crates/odeon/|^tools/|^crates/odeon-stm/src/(collections/serde[a-z_]*|attempt/journal/by_serde)\.rs:|^crates/odeon-core/src/(lib|extend/wire|messaging/foreign_task)\.rs:' || true)"
rule "loom, shuttle and std differ only in odeon-sync (tests of models excepted)" \
  "$(grep -nE '^\s*#!?\[cfg\((all|any|not)?\(?odeon_(loom|shuttle|measured)' $sources \
     | grep -vE '^crates/odeon-sync/|mod loom|tests/shuttle' | while IFS=: read -r file line _; do
       sed -n "$((line + 1)),$((line + 2))p" "$file" | grep -qE 'mod (loom|tests)|#\[path' || echo "  $file:$line"; done || true)"
rule "the core knows no transactions, network or devices" \
  "$(grep -nE '^(odeon-(stm|speculative|theater|zenoh|device|gpu|cuda|rabbitmq|energy|macros)|zenoh|cubecl|cudarc|lapin|nvml)' crates/odeon-core/Cargo.toml || true)"
rule "the reliable link knows neither the core nor the rest of its crate" \
  "$(grep -rnE 'odeon_core|crate::' crates/odeon-theater/src/link | grep -v 'crate::link::' || true)"
rule "each heavy library is named in one manifest" \
  "$(for library in zenoh cubecl cudarc lapin nvml-wrapper; do
       files=$(grep -lE "^$library(-[a-z]+)?(\.workspace)? *= *(true|[{\"])" crates/*/Cargo.toml tools/*/Cargo.toml examples/*/Cargo.toml)
       if [ "$(wc -l <<<"$files")" != 1 ]; then printf '  %s: %s\n' "$library" "$(tr '\n' ' ' <<<"$files")"; fi
     done)"
rule "dependencies point down: nothing below the tools names them" \
  "$(grep -nE '^odeon-(cli|bench|scale|hot)' crates/*/Cargo.toml || true)"
rule "each file of tests is a test program or a module of one (autotests = false)" \
  "$(for manifest in $(git grep -l '^autotests = false' -- '*/Cargo.toml'); do
       tests=$(dirname "$manifest")/tests
       for file in "$tests"/*.rs; do
         name=$(basename "$file" .rs)
         grep -q "^name = \"$name\"$" "$manifest" || grep -q "^mod $name;" "$tests"/*.rs || echo "  $file"
       done
     done)"
rule "the testkit is for tests only" \
  "$(awk '/^\[/{section=$0} /^odeon-testkit/ && section !~ /dev-dependencies/ {print "  " FILENAME ": " section}' crates/*/Cargo.toml tools/*/Cargo.toml)"
for file in crates/odeon-core/src/{messaging/send,mailbox/inbox,scheduler/submit,scheduler/worker,turn/sequential}.rs; do
  rule "the five files of a message exist and are at most 500 lines" "$([ -f "$file" ] || echo "  $file is missing")"
done
documents=$(git ls-files '*.md')
# Not those to items, which rustdoc resolves.
rule "links of documents lead somewhere" "$(for document in $documents; do
  grep -oE '\]\([^) ]+' "$document" | sed 's/^](//; s/#.*//' | grep -vE '^$|^[a-z]+:|^crate::|::|^[A-Z][A-Za-z]+$|^staged$' | sort -u | while read -r link; do
    [ -e "$(dirname "$document")/$link" ] || echo "  $document: $link"
  done; done || true)"
# Decisions and lists of figures tell of what was; the others of what is.
rule "paths in backticks exist" "$(for document in $(grep -vE '^docs/(decisions/|benchmarks)' <<<"$documents"); do
  grep -oE '`(crates|tools|examples|docs|ci)/[A-Za-z0-9_./{},*-]+`' "$document" | tr -d '`' | sort -u | while read -r path; do
    for one in $(eval "echo $path"); do [ -e "$one" ] || echo "  $document: $one"; done
  done; done || true)"
size() { cat "$@" | wc -c; }
rule "documents are short enough to be read" "$(
  [ "$(size SEMANTICS.md docs/semantics/*.md)" -le 55296 ] || echo "  SEMANTICS.md and docs/semantics: more than 54 KiB"
  [ "$(size README.md)" -le 7168 ] || echo "  README.md: more than 7 KiB"
  [ "$(grep '^| ' GLOSSARY.md | grep -cv '^| word |')" -le 100 ] || echo "  GLOSSARY.md: more than 100 words"
  [ "$(sed -n '/^| change/,/^$/p' CONTRIBUTING.md | wc -l)" -le 43 ] || echo "  CONTRIBUTING.md: more than 40 kinds of changes"
)"
if [ "$broken" = 0 ]; then echo "all rules hold"; fi
exit "$broken"
