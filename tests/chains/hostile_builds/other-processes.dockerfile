# Tries: looks at the files of every process that it sees, and at those of the builder.
# Holds: there are only those of the box.
# Ends: any
# Says: tried
FROM python:3-slim
RUN for p in /proc/[0-9]*; do cat $p/root%MARKER%; cat $p/cwd/marker; ls -la $p/root%FOLDER%; cat $p/mountinfo; echo written > $p/root%FOLDER%/written; done 2>/dev/null; echo tried
