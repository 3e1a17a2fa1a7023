# Tries: kills everything that it may send a signal to.
# Holds: the build ends with a sentence, and nothing else does.
# Ends: failed
FROM python:3-slim
RUN kill -9 -1; kill -9 1; kill -STOP -1; sleep 30; kill -9 $PPID; sleep 30
