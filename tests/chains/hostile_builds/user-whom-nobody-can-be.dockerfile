# Tries: runs the steps as a user beyond all that a step's map holds.
# Holds: the build fails, and says whom steps can be.
# Ends: failed
FROM python:3-slim
USER 4294967294
