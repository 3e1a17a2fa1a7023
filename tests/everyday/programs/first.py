"""The six packages with which most scripts begin."""

import http.server
import io
import ssl
import threading

import lxml.etree
import openpyxl
import pandas as pd
import requests
import sqlalchemy
from PIL import Image

frame = pd.read_csv(io.StringIO("month,birds\nMay,3\nJune,4\n"))
assert frame.groupby("month").birds.sum()["June"] == 4

Image.new("RGB", (40, 20), "red").save("/output/red.png")
assert Image.open("/output/red.png").size == (40, 20)

assert lxml.etree.fromstring("<a><b c='1'/></a>").xpath("//b/@c") == ["1"]

frame.to_excel("/output/birds.xlsx", index=False)
assert openpyxl.load_workbook("/output/birds.xlsx").active["B3"].value == 4

with sqlalchemy.create_engine("sqlite:////tmp/birds.db").begin() as connection:
    frame.to_sql("birds", connection)
    assert connection.execute(sqlalchemy.text("select sum(birds) from birds")).scalar() == 7

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("server.pem")
server = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
answer = requests.get(f"https://localhost:{server.server_port}/first.py", verify="server.pem", timeout=20)
assert answer.text.startswith('"""The six packages')
try:
    requests.get(f"https://localhost:{server.server_port}/", timeout=20)
    raise SystemExit("a certificate of nobody's was taken")
except requests.exceptions.SSLError:
    print("all well")
