# Tries: copies a file of the host through links of the repository.
# Holds: they lead nowhere in the box.
# Link: away -> %MARKER%
# Link: folder -> %FOLDER%
# Link: shadow -> /etc/shadow
# Ends: any
# Says: tried
FROM python:3-slim
COPY . /all
RUN cat /all/away /all/folder/marker /all/shadow; echo tried
COPY away /stolen
COPY folder/marker /stolen2
COPY shadow /stolen3
