# Tries: names of stages, images and files that look like options of a program.
# Holds: they are names.
# File: --help = x
# Ends: any
FROM python:3-slim AS --help
FROM python:3-slim AS $(touch${IFS}%FOLDER%/written)
COPY -- --help /x
LABEL "$(cat %MARKER%)"="`cat %MARKER%`"
