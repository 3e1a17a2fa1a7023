"""Images and the files of runs, as several hosts of one installation share them."""
