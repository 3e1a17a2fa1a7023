# Tries: starts processes without end.
# Holds: they are refused at the limit, and the host goes on.
# Ends: any
# Says: tried
FROM python:3-slim
RUN i=0; while [ $i -lt 400 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; echo tried
RUN (:(){ :|:& };:) 2>/dev/null; true
