echo page,hits >/output/pages.csv
awk '{ print $2 "," $1 }' /input/pages.txt >>/output/pages.csv
