# Tries: the list of files to ignore is a link to a file of the host, whose lines an error may quote.
# Holds: nothing of it is told.
# Link: .dockerignore -> %MARKER%
# Link: .containerignore -> /etc/shadow
# Ends: any
# Says: tried
FROM python:3-slim
COPY . /all
RUN cat /all/.dockerignore /all/.containerignore; echo tried
