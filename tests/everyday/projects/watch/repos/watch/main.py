"""Ask a service how it is, three times at most; fail if it stays down."""

import os
import sys
import time
import urllib.request

request = urllib.request.Request(os.environ["SERVICE"], headers={"Authorization": os.environ["API_KEY"]})
print("asking with", os.environ["API_KEY"])
for wait in (0.2, 1, None):
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            print("it says", answer.read().decode())
            break
    except OSError as error:
        print("no:", error)
        if wait is None:
            sys.exit(f"it is down: {error}")
        time.sleep(wait)
