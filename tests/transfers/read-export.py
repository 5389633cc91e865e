"""Reads an export by what the service documents of its files, with nothing of Stator: manifests, checksums, gzip, and
boto3's own reading of attribute values. Prints one line of JSON for each item, or for each change."""

import base64
import gzip
import hashlib
import json
import os
import sys
from decimal import Decimal

from boto3.dynamodb.types import Binary, TypeDeserializer

bucket, summary_key = sys.argv[1:3]
deserialize = TypeDeserializer().deserialize


def read(key):
    with open(os.path.join(bucket, key), "rb") as file:
        return file.read()


def checked(key):
    body = read(key)
    md5 = base64.b64encode(hashlib.md5(body).digest()).decode()
    assert md5 == read(key.replace(".json", ".checksum")).decode().strip(), key
    return body.decode()


def plain(value):
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Binary):
        return base64.b64encode(value.value).decode()
    if isinstance(value, set):
        return sorted(plain(each) for each in value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def with_bytes(value):
    """boto3 decodes binary values when it reads an answer; in a file they are base64."""
    [(kind, content)] = value.items()
    if kind == "B":
        return {kind: base64.b64decode(content)}
    if kind == "BS":
        return {kind: [base64.b64decode(each) for each in content]}
    if kind == "L":
        return {kind: [with_bytes(each) for each in content]}
    if kind == "M":
        return {kind: {name: with_bytes(each) for name, each in content.items()}}
    return value


def image(item):
    return plain({name: deserialize(with_bytes(value)) for name, value in item.items()})


summary = json.loads(checked(summary_key))
count = 0
for line in checked(summary["manifestFilesS3Key"]).splitlines():
    file = json.loads(line)
    packed = read(file["dataFileS3Key"])
    assert base64.b64encode(hashlib.md5(packed).digest()).decode() == file["md5Checksum"]
    rows = gzip.decompress(packed).decode().splitlines()
    assert len(rows) == file["itemCount"], file
    count += len(rows)
    for row in rows:
        read_row = json.loads(row)
        parts = {name: image(part) for name, part in read_row.items() if name != "Metadata"}
        if "Metadata" in read_row:
            parts["micros"] = int(deserialize(read_row["Metadata"]["WriteTimestampMicros"]))
        print(json.dumps(parts, sort_keys=True, ensure_ascii=False))
assert count == summary["itemCount"], summary
