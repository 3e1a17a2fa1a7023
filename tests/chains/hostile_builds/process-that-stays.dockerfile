# Tries: leaves a process behind that no longer belongs to the build.
# Holds: it ends with the build.
# Ends: any
# Says: tried
FROM python:3-slim
RUN setsid sh -c 'trap "" TERM HUP; sleep %SLEEP%' >/dev/null 2>&1 & setsid nohup sleep %SLEEP% >/dev/null 2>&1 & echo tried
