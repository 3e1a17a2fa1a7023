"""Text, settings, databases."""

import jinja2
import nltk
import novem
import orjson
import psycopg
import psycopg2
import pydantic
import pymysql
import rich.table
import spacy
import tabulate
import yaml


class Bird(pydantic.BaseModel):
    name: str
    legs: int = 2


assert Bird.model_validate_json(b'{"name": "curlew"}').legs == 2
assert orjson.loads(orjson.dumps({"a": [1, 2]})) == {"a": [1, 2]}
assert yaml.safe_load("a: [1, 2]") == {"a": [1, 2]}
assert jinja2.Template("{% for b in n %}{{ b }}{% endfor %}").render(n=[1, 2]) == "12"
assert "curlew" in tabulate.tabulate([["curlew", 2]])
assert rich.table.Table("a").columns[0].header == "a"
assert nltk.tokenize.wordpunct_tokenize("Two birds.") == ["Two", "birds", "."]
assert [word.text for word in spacy.blank("en")("Two birds.")] == ["Two", "birds", "."]
assert novem.Plot.__name__ == "Plot"
for connect, error in (
    (lambda: psycopg2.connect("host=127.0.0.1 port=1 user=a"), psycopg2.OperationalError),
    (lambda: psycopg.connect("host=127.0.0.1 port=1 user=a"), psycopg.OperationalError),
    (lambda: pymysql.connect(host="127.0.0.1", port=1, user="a"), pymysql.OperationalError),
):
    try:
        connect()
        raise SystemExit("there is no database")
    except error:
        pass
print("all well")
