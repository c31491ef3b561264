"""Checks an S3 server with boto3. Arguments: endpoint, bucket, access key, secret key."""

import concurrent.futures
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT, BUCKET, ACCESS_KEY, SECRET_KEY = sys.argv[1:]
WRITERS, ROUNDS = 6, 40
checks = 0


def client(secret=SECRET_KEY):
    """Makes a client that tries nothing twice."""
    config = Config(
        retries={"total_max_attempts": 1},
        s3={"addressing_style": "path"},
        max_pool_connections=WRITERS,
    )
    return boto3.session.Session().client(
        "s3",
        endpoint_url=ENDPOINT,
        region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=secret,
        config=config,
    )


def expect(what, got, wanted):
    """Ends the run if a check fails."""
    global checks
    checks += 1
    if got != wanted:
        sys.exit(f"{what}: got {got!r}, wanted {wanted!r}")


def outcome(call, **arguments):
    """Returns the status of a call, and its error code if it failed."""
    try:
        answer = call(Bucket=BUCKET, **arguments)
        return answer["ResponseMetadata"]["HTTPStatusCode"], None
    except ClientError as error:
        response = error.response
        return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


def check_objects(s3):
    """Contents, ranges, heads and deletions."""
    content = bytes(range(256)) * 40_000
    for key, body in [("large", content), ("empty", b""), ("small", b"0123456789")]:
        tag = s3.put_object(Bucket=BUCKET, Key=key, Body=body)["ETag"]
        answer = s3.get_object(Bucket=BUCKET, Key=key)
        expect(f"content of {key}", answer["Body"].read() == body, True)
        expect(f"tag of {key}", answer["ETag"], tag)
        head = s3.head_object(Bucket=BUCKET, Key=key)
        expect(f"head of {key}", (head["ContentLength"], head["ETag"]), (len(body), tag))
    part = s3.get_object(Bucket=BUCKET, Key="small", Range="bytes=3-6")
    expect("range", part["Body"].read(), b"3456")
    expect("content range", part["ContentRange"], "bytes 3-6/10")
    expect("range status", part["ResponseMetadata"]["HTTPStatusCode"], 206)
    tail = s3.get_object(Bucket=BUCKET, Key="small", Range="bytes=7-99")
    expect("range beyond the end", tail["Body"].read(), b"789")
    beyond = outcome(s3.get_object, Key="small", Range="bytes=10-11")
    expect("range after the end", beyond, (416, "InvalidRange"))
    expect("get of a missing key", outcome(s3.get_object, Key="none"), (404, "NoSuchKey"))
    expect("head of a missing key", outcome(s3.head_object, Key="none")[0], 404)
    expect("delete", outcome(s3.delete_object, Key="small"), (204, None))
    expect("delete of a missing key", outcome(s3.delete_object, Key="small"), (204, None))
    keys = [{"Key": key} for key in ("large", "empty", "none")]
    answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": keys})
    expect("delete of several", len(answer["Deleted"]), 3)
    expect("nothing is left", s3.list_objects_v2(Bucket=BUCKET)["KeyCount"], 0)


def check_conditions(s3):
    """Every condition has its status."""
    put, get = s3.put_object, s3.get_object
    expect("create", outcome(put, Key="c", Body=b"1", IfNoneMatch="*"), (200, None))
    again = outcome(put, Key="c", Body=b"2", IfNoneMatch="*")
    expect("create again", again, (412, "PreconditionFailed"))
    first = s3.head_object(Bucket=BUCKET, Key="c")["ETag"]
    expect("replace", outcome(put, Key="c", Body=b"3", IfMatch=first), (200, None))
    stale = outcome(put, Key="c", Body=b"4", IfMatch=first)
    expect("stale tag", stale, (412, "PreconditionFailed"))
    missing = outcome(put, Key="none", Body=b"5", IfMatch=first)
    expect("replace a missing key", missing, (404, "NoSuchKey"))
    second = s3.head_object(Bucket=BUCKET, Key="c")["ETag"]
    expect("unchanged", outcome(get, Key="c", IfNoneMatch=second)[0], 304)
    expect("changed", outcome(get, Key="c", IfNoneMatch=first), (200, None))
    expect("get if match", outcome(get, Key="c", IfMatch=first)[0], 412)
    expect("wrong secret", outcome(client("wrong").get_object, Key="c")[0], 403)
    broken = outcome(put, Key="c", Body=b"x", ChecksumSHA256="AAAA" * 10 + "AAA=")
    expect("wrong checksum", broken, (400, "BadDigest"))
    expect("content after all", get(Bucket=BUCKET, Key="c")["Body"].read(), b"3")
    s3.delete_object(Bucket=BUCKET, Key="c")


def check_listing(s3):
    """Pages, folders and keys that need care."""
    keys = ["a b", "a%20b", "a+b", "a&b<c>", "é/日本", "f/1", "f/2", "tab\tnewline\n"]
    keys += [f"many/{number:05}" for number in range(1_200)]
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda key: s3.put_object(Bucket=BUCKET, Key=key, Body=b"x"), keys))
    pages = list(s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET))
    found = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
    expect("keys", found, sorted(keys, key=str.encode))
    expect("pages", len(pages), 2)
    folders = s3.list_objects_v2(Bucket=BUCKET, Delimiter="/")["CommonPrefixes"]
    expect("folders", [entry["Prefix"] for entry in folders], ["f/", "many/", "é/"])
    older = list(s3.get_paginator("list_objects").paginate(Bucket=BUCKET, Delimiter="/"))
    found = [entry["Prefix"] for page in older for entry in page["CommonPrefixes"]]
    expect("folders of the older listing", found, ["f/", "many/", "é/"])
    page = s3.list_objects_v2(Bucket=BUCKET, Prefix="many/", StartAfter="many/01197", MaxKeys=1)
    expect("start after", [entry["Key"] for entry in page["Contents"]], ["many/01198"])
    expect("more", page["IsTruncated"], True)


def check_notes(s3):
    """What a client notes with an object comes back, goes along with a copy, or is replaced."""
    noted = {"Metadata": {"mode": "33188"}, "ContentType": "text/markdown"}

    def notes(key):
        head = s3.head_object(Bucket=BUCKET, Key=key)
        return {name: head[name] for name in noted}

    s3.put_object(Bucket=BUCKET, Key="n", Body=b"x", **noted)
    expect("notes", notes("n"), noted)
    source = {"Bucket": BUCKET, "Key": "n"}
    s3.copy_object(Bucket=BUCKET, Key="copy", CopySource=source)
    expect("notes of a copy", notes("copy"), noted)
    other = {"Metadata": {"mode": "1"}, "ContentType": "text/plain"}
    s3.copy_object(
        Bucket=BUCKET, Key="n", CopySource=source, MetadataDirective="REPLACE", **other
    )
    expect("notes replaced", notes("n"), other)
    expect("content of a copy", s3.get_object(Bucket=BUCKET, Key="copy")["Body"].read(), b"x")
    missing = {"Bucket": BUCKET, "Key": "none"}
    copied = outcome(s3.copy_object, Key="copy", CopySource=missing)
    expect("copy of a missing key", copied, (404, "NoSuchKey"))
    for key in ("n", "copy"):
        s3.delete_object(Bucket=BUCKET, Key=key)


def check_races(s3):
    """Of several writers under one condition exactly one wins."""
    tag = s3.put_object(Bucket=BUCKET, Key="head", Body=b"start")["ETag"]
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        for turn in range(ROUNDS):

            def race(writer):
                body = f"{turn} {writer}".encode()
                return outcome(s3.put_object, Key="head", Body=body, IfMatch=tag)[0]

            statuses = sorted(pool.map(race, range(WRITERS)))
            expect("race", statuses, [200] + [412] * (WRITERS - 1))
            tag = s3.head_object(Bucket=BUCKET, Key="head")["ETag"]


s3 = client()
check_objects(s3)
check_conditions(s3)
check_notes(s3)
check_listing(s3)
check_races(s3)
print(f"{checks} checks passed")
