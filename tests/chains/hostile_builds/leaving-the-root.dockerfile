# Tries: leaves the root by the known ways: a folder that stays open, a handle of the file system's root.
# Holds: what lies around it is the box.
# Copy: leave.py
# Ends: any
# Says: tried
FROM python:3-slim
COPY leave.py /leave.py
RUN python3 /leave.py %MARKER% %FOLDER%
