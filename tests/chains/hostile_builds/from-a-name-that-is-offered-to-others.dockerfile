# Tries: guesses the name under which images are offered to those who may use them.
# Holds: nothing is offered that was not asked for.
# Ends: failed
FROM curlew.invalid/image:%ID%
RUN cat /secret
