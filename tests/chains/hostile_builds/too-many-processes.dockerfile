# Tries: starts processes without end.
# Holds: they are refused at the limit, and the host goes on.
# Ends: failed
# Says: exit status 2
FROM python:3-slim
RUN i=0; while [ $i -lt 400 ]; do sleep 5 & i=$((i+1)); done
