# Tries: leaves a file of many terabytes that takes no room.
# Holds: the image is refused, or the file is not copied byte by byte.
# Ends: any
FROM python:3-slim
RUN truncate -s 3T /huge || truncate -s 900G /huge; ls -la /huge; true
