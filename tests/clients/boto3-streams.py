# Reads a stream with boto3, shard by shard, while the table is written to: boto3-streams.py <endpoint> <table>
import sys

import boto3

endpoint, table_name = sys.argv[1:]
client = boto3.client("dynamodb", endpoint_url=endpoint)
streams = boto3.client("dynamodbstreams", endpoint_url=endpoint)

client.create_table(
    TableName=table_name,
    BillingMode="PAY_PER_REQUEST",
    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
)
client.get_waiter("table_exists").wait(TableName=table_name)
for i in range(10):
    client.put_item(TableName=table_name, Item={"pk": {"S": f"item{i}"}, "b": {"B": bytes([0, i, 255])}})
client.delete_item(TableName=table_name, Key={"pk": {"S": "item3"}})

found = streams.list_streams(TableName=table_name)["Streams"]
assert [stream["TableName"] for stream in found] == [table_name], found
arn = found[0]["StreamArn"]
described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
assert described["StreamStatus"] == "ENABLED", described
assert described["CreationRequestDateTime"].year > 2020, described

records = []
for shard in described["Shards"]:
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    while True:
        page = streams.get_records(ShardIterator=iterator, Limit=3)
        records += page["Records"]
        if not page["Records"]:
            break
        iterator = page["NextShardIterator"]

assert len(records) == 11, records
removed = [record for record in records if record["eventName"] == "REMOVE"]
assert [record["dynamodb"]["Keys"] for record in removed] == [{"pk": {"S": "item3"}}], removed
assert removed[0]["dynamodb"]["OldImage"]["b"] == {"B": bytes([0, 3, 255])}, removed
for record in records:
    change = record["dynamodb"]
    assert change["ApproximateCreationDateTime"].microsecond == 0, record
    assert change["SequenceNumber"].isdecimal() and len(record["eventID"]) == 32, record

try:
    streams.get_records(ShardIterator=iterator[:-4] + "AAAA")
    raise AssertionError("an iterator was taken that nobody issued")
except streams.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "ValidationException", error.response
try:
    streams.describe_stream(StreamArn=arn[:-1] + ("1" if arn[-1] == "0" else "0"))
    raise AssertionError("a stream was found that is not there")
except streams.exceptions.ResourceNotFoundException:
    print("done")
