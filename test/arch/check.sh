#!/usr/bin/env bash
# The rules of ARCHITECTURE.md that a program can check. usage: check.sh SOURCE_DIR BUILD_DIR COMPILER RULE
# Prints each breach and exits 1 if there is one.
set -uo pipefail
cd "$1" || exit 2
build=$2 compiler=$3 rule=$4
breaches=0

breach() { # TEXT...
    printf '%s\n' "$*"
    breaches=$((breaches + 1))
}

scripts() { find test examples -name '*.sh'; echo .ci/run; }
sources() { find src controller include -name '*.[ch]' | sort; }

# Symbols that pure folders must not need: the network, clocks, chance, and memory but through base/mem.c.
check_symbols() {
    local folder archive symbol network='^(uv_|lws_|SSL_|nghttp2_|yaml_)' impure='^(time|clock_gettime|gettimeofday|rand|random|getenv|secure_getenv|getrandom)$'
    for folder in base json api state sched ctl; do
        archive=$build/liblas_$folder.a
        [ -f "$archive" ] || { breach "no archive $archive: what is checked is not there"; continue; }
        while read -r symbol; do
            [[ $symbol =~ $network ]] && breach "src/$folder needs $symbol: only src/net may"
            [[ $symbol =~ ^yajl_ && $folder != json ]] && breach "src/$folder needs $symbol: only src/json may"
            [[ $symbol =~ $impure ]] && breach "src/$folder needs $symbol: decisions are pure, time and chance are arguments"
        done < <(nm -u "$archive" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u)
        while read -r symbol; do
            breach "$symbol needs malloc or its like: only base/mem.c may"
        done < <(nm -A -u "$archive" 2>/dev/null | awk '$NF ~ /^(malloc|calloc|realloc|free|strdup|strndup)$/ { print $1, $NF }' | grep -v ':mem.c.o:' | sort -u)
    done
}

check_sizes() {
    local file lines
    while read -r file; do
        lines=$(wc -l < "$file")
        [ "$lines" -le 600 ] || breach "$file has $lines lines: 600 are allowed"
        [[ $file == *.sh || $file == */run ]] || while read -r lines; do
            breach "$file:$lines: a line of more than 100 columns"
        done < <(LC_ALL=C.UTF-8 grep -nE '^.{101,}' "$file" | cut -d: -f1)
    done < <(sources; find test -name '*.[ch]'; find test examples .ci -name '*.sh' -o -name run -path '*.ci*')
    # A function ends at the first line that is "}" alone.
    while read -r file; do
        awk -v file="$file" '/^[a-zA-Z].*\)$/ || /^[a-zA-Z].*,$/ { start = FNR } /^\{$/ { open = start ? start : FNR } /^\}$/ { if (open && FNR - open > 70) printf "%s:%d: function of %d lines: 70 are allowed\n", file, open, FNR - open; open = 0; start = 0 }' "$file"
    done < <(sources) > "$build/arch-functions.txt"
    while read -r file; do breach "$file"; done < "$build/arch-functions.txt"
}

# Includes across the layers: what each folder may name.
check_includes() {
    local folder file line allowed
    declare -A may=([base]='base' [json]='base json' [api]='base json api' [state]='base api state' [sched]='base api state sched'
        [ctl]='base api state ctl' [port]='base port' [net]='base port net')
    for folder in "${!may[@]}"; do
        for file in src/"$folder"/*.[ch] include/las/"$folder"/*.h; do
            [ -e "$file" ] || continue
            while read -r line; do
                allowed=no
                for name in ${may[$folder]}; do [ "$line" = "$name" ] && allowed=yes; done
                [ $allowed = yes ] || breach "$file includes las/$line/: $folder may not"
            done < <(sed -n 's|^#include "las/\([a-z]*\)/.*|\1|p' "$file")
            grep -nE '#include "[^"]*\.c"' "$file" && breach "$file includes a .c file"
        done
    done
    for file in include/las/api/*.h include/las/state/*.h; do
        ! grep -q '#include "las/json/' "$file" || breach "$file shows json: api uses it in .c files only"
    done
}

check_headers() {
    local header
    while read -r header; do
        printf '#include "%s"\n' "${header#include/}" |
            "$compiler" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c - || breach "$header does not compile alone"
    done < <(find include -name '*.h' | sort)
}

check_banned() {
    local file
    while read -r file; do
        grep -nE '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|setlocale|system|popen|alloca)\(' "$file" | sed "s|^|$file:|" >> "$build/arch-banned.txt"
    done < <(: > "$build/arch-banned.txt"; sources)
    while read -r file; do breach "banned call: $file"; done < "$build/arch-banned.txt"
    while read -r file; do
        breach "unfinished mark: $file"
    done < <(grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $(sources))
    # Under pipefail a writer that outlives such a reader fails the script, now and then and without a word.
    while read -r file; do
        breach "a reader that leaves its pipe early: $file"
    done < <(grep -nE "[|] *(head|sed [^|]*[0-9]q|awk [^|]*exit|grep [^|]*-m ?1)\b" $(scripts) | grep -v 'test/arch/check.sh')
}

# Every source has its test, and ARCHITECTURE.md names every source.
check_docs() {
    local file stem folder
    for file in src/*/*.c controller/*.c; do
        stem=$(basename "$file" .c) folder=$(basename "$(dirname "$file")")
        [ "$file" = controller/main.c ] || [ -f "test/unit/$folder/${stem}_test.c" ] || breach "$file has no test/unit/$folder/${stem}_test.c"
        grep -qE "(^|[^a-z_])$stem\.c" ARCHITECTURE.md || breach "ARCHITECTURE.md does not name $file"
    done
    while read -r file; do
        compgen -G "src/*/$file" > /dev/null || compgen -G "controller/$file" > /dev/null || compgen -G "test/*/$file" > /dev/null ||
            compgen -G "examples/$file" > /dev/null || breach "ARCHITECTURE.md names $file, which is not there"
    done < <(grep -oE '\b[a-z0-9_]+\.c\b' ARCHITECTURE.md | sort -u)
    while read -r file; do
        [ -e "$file" ] || breach "README.md links to $file, which is not there"
    done < <(grep -oE '\]\([^)#:]+\)' README.md | sed 's/^](//; s/)$//' | sort -u)
    local flags
    flags=$("$build/bin/latency-aware-scheduler" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p')
    for file in $flags; do
        [ "$file" = help ] || [ "$file" = version ] || grep -q -- "--$file" README.md || breach "README.md does not tell of --$file"
    done
}

check_tree() {
    local entry
    for entry in $(git ls-files | cut -d/ -f1 | sort -u); do
        case $entry in
        controller | crd | src | include | test | examples | CMakeLists.txt | README.md | ARCHITECTURE.md | CONTRIBUTING.md | CMakePresets.json | .clang-format | .clang-tidy | .gitignore | .ci | LICENSE) ;;
        *) breach "top level has $entry" ;;
        esac
    done
}

"check_$rule" || true
[ $breaches -eq 0 ] && echo "$rule: ok"
[ $breaches -eq 0 ]
