"""What a Python program does with a table, given nothing but the endpoint. Prints `done` when all of it held."""
import sys
from decimal import Decimal

import boto3
from botocore.exceptions import ClientError

endpoint, table_name = sys.argv[1:]
client = boto3.client("dynamodb", endpoint_url=endpoint)

created = client.create_table(
    TableName=table_name,
    AttributeDefinitions=[
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    KeySchema=[
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    BillingMode="PAY_PER_REQUEST",
)
assert created["TableDescription"]["TableStatus"] == "CREATING"
client.get_waiter("table_exists").wait(TableName=table_name)
described = client.describe_table(TableName=table_name)["Table"]
assert described["TableStatus"] == "ACTIVE", described
assert described["CreationDateTime"].year > 2000
assert table_name in client.list_tables()["TableNames"]

arn = described["TableArn"]
client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "blue"}])
assert client.list_tags_of_resource(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "blue"}]

# The resource interface turns Python's values into DynamoDB's and back.
table = boto3.resource("dynamodb", endpoint_url=endpoint).Table(table_name)
item = {
    "pk": "a",
    "sk": Decimal("1.5"),
    "binary": b"\x00\xff",
    "strings": {"x", "y"},
    "numbers": {Decimal(1), Decimal("2.50")},
    "nested": {"list": [1, "two", None, True]},
    "large": "x" * 10000,
}
table.put_item(Item=item)
found = table.get_item(Key={"pk": "a", "sk": Decimal("1.50")}, ConsistentRead=True)
assert found["Item"] == item, found
assert found["ResponseMetadata"]["HTTPHeaders"]["x-amz-crc32"].isdigit()

try:
    table.get_item(Key={"pk": "a"})
    raise AssertionError("a key of one attribute was accepted")
except ClientError as error:
    assert error.response["Error"] == {
        "Code": "ValidationException",
        "Message": "The provided key element does not match the schema",
    }, error.response

client.transact_write_items(
    TransactItems=[
        {"Put": {"TableName": table_name, "Item": {"pk": {"S": "b"}, "sk": {"N": str(i)}}}} for i in range(3)
    ]
)
read = client.transact_get_items(
    TransactItems=[
        {"Get": {"TableName": table_name, "Key": {"pk": {"S": "b"}, "sk": {"N": str(i)}}}} for i in (2, 7)
    ]
)
assert read["Responses"] == [{"Item": {"pk": {"S": "b"}, "sk": {"N": "2"}}}, {}], read
try:
    client.transact_write_items(
        TransactItems=[
            {"Delete": {"TableName": table_name, "Key": {"pk": {"S": "b"}, "sk": {"N": "0"}}}},
            {
                "Put": {
                    "TableName": table_name,
                    "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}},
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
        ]
    )
    raise AssertionError("a transaction was done whose condition failed")
except client.exceptions.TransactionCanceledException as error:
    reasons = [reason["Code"] for reason in error.response["CancellationReasons"]]
    assert reasons == ["None", "ConditionalCheckFailed"], error.response
    assert error.response["Error"]["Message"].endswith("[None, ConditionalCheckFailed]")
for i in range(3):
    table.delete_item(Key={"pk": "b", "sk": i})

old = table.delete_item(Key={"pk": "a", "sk": Decimal("1.5")}, ReturnValues="ALL_OLD")
assert old["Attributes"] == item
assert "Item" not in table.get_item(Key={"pk": "a", "sk": Decimal("1.5")})

client.delete_table(TableName=table_name)
client.get_waiter("table_not_exists").wait(TableName=table_name)
try:
    client.describe_table(TableName=table_name)
    raise AssertionError("the table is still there")
except client.exceptions.ResourceNotFoundException:
    print("done")
