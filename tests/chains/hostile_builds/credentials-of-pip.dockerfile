# Tries: reads how packages are fetched.
# Holds: no credential is in it.
# Ends: any
# Says: tried
FROM python:3-slim
RUN cat /etc/pip.conf /root/.pip/pip.conf /root/.config/pip/pip.conf /root/.netrc; python3 -m pip config list -v; \
    python3 -m pip download --no-deps --timeout 1 --retries 0 -vvv no-such-package; env; echo tried
