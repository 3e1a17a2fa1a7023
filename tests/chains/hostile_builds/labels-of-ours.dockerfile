# Tries: says that the image is another repo's, built from another commit, with names and volumes of its own.
# Holds: the labels are those that the server writes.
# Ends: any
FROM python:3-slim
LABEL curlew.repo=1 curlew.commit=forged org.opencontainers.image.revision=forged other=mine
VOLUME /etc %FOLDER%
HEALTHCHECK --interval=1s CMD cat %MARKER%
STOPSIGNAL SIGKILL
EXPOSE 22
USER 65534
ENTRYPOINT ["cat", "%MARKER%"]
