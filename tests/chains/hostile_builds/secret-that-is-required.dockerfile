# Tries: needs a secret that was never given.
# Holds: the reason is a sentence.
# Ends: failed
FROM python:3-slim
RUN --mount=type=secret,id=marker,target=/s,required=true cat /s
