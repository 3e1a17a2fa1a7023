# escape=`
# Tries: the same mount, taken apart over continuation lines with another escape character.
# Holds: as on one line.
# Ends: any
# Says: tried
FROM python:3-slim AS trap
RUN ln -s / /rootlink
FROM python:3-slim
RU`
N --mount=type=bind,fr`
# a comment between
om=trap,source=/rootlink,target=/host,rw `
  cat /host%MARKER%; echo written > /host%FOLDER%/written; echo tried
