# Tries: mounts secrets and the agent of the account that builds.
# Holds: there are none.
# Ends: any
# Says: tried
FROM python:3-slim
RUN --mount=type=ssh,required=false cat $SSH_AUTH_SOCK; echo $SSH_AUTH_SOCK; env; echo tried
RUN --mount=type=secret,id=../../..%MARKER%,target=/s,required=false cat /s; echo tried
