"""Clients and servers."""

import asyncio
import threading

import aiohttp
import aiohttp.web
import boto3
import bs4
import fastapi
import grpc
import httpx
import paramiko
import requests
from cryptography.fernet import Fernet
from fastapi.openapi.utils import get_openapi
from google.protobuf.struct_pb2 import Struct
from playwright.sync_api import sync_playwright

key = Fernet.generate_key()
assert Fernet(key).decrypt(Fernet(key).encrypt(b"bird")) == b"bird"
message = Struct()
message.update({"birds": 3})
assert Struct.FromString(message.SerializeToString())["birds"] == 3
assert bs4.BeautifulSoup("<p>curlew</p>", "html.parser").p.text == "curlew"
assert paramiko.RSAKey.generate(2048).get_bits() == 2048
assert boto3.client("s3", region_name="eu-north-1").meta.region_name == "eu-north-1"
assert callable(sync_playwright)

app = fastapi.FastAPI()


@app.get("/birds")
def birds() -> int:
    return 3


assert "/birds" in get_openapi(title="t", version="1", routes=app.routes)["paths"]
channel = grpc.insecure_channel("127.0.0.1:1")
assert isinstance(channel, grpc.Channel)


async def ask() -> None:
    async def answer(request):
        return aiohttp.web.json_response({"birds": 3})

    served = aiohttp.web.Application()
    served.router.add_get("/", answer)
    runner = aiohttp.web.AppRunner(served)
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 8080).start()
    async with aiohttp.ClientSession() as session, session.get("http://127.0.0.1:8080/") as response:
        assert (await response.json())["birds"] == 3
    async with httpx.AsyncClient() as client:
        assert (await client.get("http://127.0.0.1:8080/")).json() == {"birds": 3}
    sync = await asyncio.to_thread(requests.get, "http://127.0.0.1:8080/", timeout=20)
    assert sync.json() == {"birds": 3}
    await runner.cleanup()


asyncio.run(ask())
# What is left open at the end, as a pool or a progress bar leaves it.
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("all well")
