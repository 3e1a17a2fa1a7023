# Tries: no instruction that a builder knows.
# Holds: the reason is a sentence.
# Ends: failed
FORM python:3-slim
\
RUN
