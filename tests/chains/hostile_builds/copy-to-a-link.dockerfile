# Tries: writes to the host through a link where a copy goes.
# Holds: the link is followed inside of the image.
# File: file = planted
# Ends: any
FROM python:3-slim
RUN ln -s / /out && ln -s ../../../../../../../..%FOLDER% /out2
COPY file /out%FOLDER%/written
COPY file /out2/written
