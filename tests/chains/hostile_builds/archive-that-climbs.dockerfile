# Tries: adds an archive with `..`, an absolute name and a link that later entries go through.
# Holds: it is unpacked inside of the image or not at all.
# Tar: evil.tar
# Ends: any
# Says: tried
FROM python:3-slim
ADD evil.tar /somewhere/
RUN cat /somewhere/link%MARKER%; echo tried
