"""Charts of places along an axis: dots, sticks, dumbbells, slopes, intervals and strips."""
