# Tries: fills the disk, with blocks and with files.
# Holds: the volume of the repo is full, the host's is not.
# Ends: failed
# Says: tried
FROM python:3-slim
RUN dd if=/dev/zero of=/big bs=1M count=4000; fallocate -l 6000000000 /big2; ls -la /big*; rm -f /big*; echo tried
RUN python3 -c "import os; [open(f'/many/{n}', 'w').close() for n in range(os.mkdir('/many') or 500000)]"; echo tried
