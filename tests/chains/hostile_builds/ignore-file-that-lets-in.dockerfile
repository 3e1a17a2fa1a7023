# Tries: exceptions of the list of files to ignore name files of the host.
# Holds: only the context is looked at.
# File: .dockerignore = *\n!../../../../../../../..%MARKER%\n!%MARKER%\n![\n
# Ends: any
FROM python:3-slim
COPY . /all
RUN ls -laR /all; echo tried
