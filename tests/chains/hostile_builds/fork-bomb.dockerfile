# Tries: processes that start two of their kind each.
# Holds: they are refused at the limit, and are gone with the build.
# Ends: any
FROM python:3-slim
RUN echo 'sh /b & sh /b & sleep %SLEEP%' > /b; sh /b >/dev/null 2>&1 & sleep 2; echo tried
