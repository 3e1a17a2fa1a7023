# Tries: leaves a file of many terabytes that takes no room.
# Holds: the image is refused, or the file is not copied byte by byte.
# Ends: any
# Says: tried
FROM python:3-slim
RUN truncate -s 3T /huge || truncate -s 900G /huge; ls -la /huge; echo tried
