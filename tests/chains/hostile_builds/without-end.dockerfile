# Tries: never ends, deaf to signals.
# Holds: it is ended at its time, with a sentence that says so.
# Ends: failed
FROM python:3-slim
RUN trap '' TERM INT HUP; while true; do sleep 1; done
