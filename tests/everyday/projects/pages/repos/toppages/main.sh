#!/bin/bash
# The three pages that were asked for most, from the logs of a web server.
set -euo pipefail
awk '$9 == 200 { print $7 }' /input/*.log | sort | uniq -c | sort -k1,1nr -k2 | head -n 3 >/output/pages.txt
echo "$(wc -l </output/pages.txt) pages"
