"""What a Python program meets where throughput is enforced. Prints `done` when all of it held."""
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

endpoint, table_name = sys.argv[1:]
impatient = boto3.client(
    "dynamodb", endpoint_url=endpoint, config=Config(retries={"mode": "standard", "total_max_attempts": 1})
)
patient = boto3.client(
    "dynamodb", endpoint_url=endpoint, config=Config(retries={"mode": "standard", "total_max_attempts": 10})
)

# One write unit a second, of which 300 seconds are there to be spent at once.
impatient.create_table(
    TableName=table_name,
    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    ProvisionedThroughput={"ReadCapacityUnits": 100, "WriteCapacityUnits": 1},
)


def item(i):
    return {"pk": {"S": str(i)}, "data": {"S": "x" * 9_000}}


def put(client, i):
    return client.put_item(TableName=table_name, Item=item(i))


done = 0
try:
    for i in range(100):
        put(impatient, i)
        done += 1
    raise AssertionError("nothing was throttled")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ProvisionedThroughputExceededException", error.response
    assert "configured provisioned throughput for the table" in error.response["Error"]["Message"]
    # Clients that do not know the member yet leave it out.
    reasons = error.response.get("ThrottlingReasons")
    if reasons is not None:
        assert reasons[0]["reason"] == "TableWriteProvisionedThroughputExceeded", reasons
        assert reasons[0]["resource"].endswith(":table/" + table_name), reasons
assert 30 <= done <= 36, done

# A batch of which nothing can be done fails as a whole.
requests = [{"PutRequest": {"Item": {"pk": {"S": "small"}}}}]
try:
    impatient.batch_write_item(RequestItems={table_name: requests})
    raise AssertionError("a batch was done")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ProvisionedThroughputExceededException", error.response

# Statements have errors of their own.
statement = f"INSERT INTO \"{table_name}\" VALUE {{'pk': 'partiql'}}"
answer = impatient.batch_execute_statement(Statements=[{"Statement": statement}])
assert answer["Responses"][0]["Error"]["Code"] == "ProvisionedThroughputExceeded", answer

# A transaction is cancelled for the reason.
try:
    impatient.transact_write_items(TransactItems=[{"Put": {"TableName": table_name, "Item": {"pk": {"S": "t"}}}}])
    raise AssertionError("a transaction was done")
except ClientError as error:
    assert error.response["Error"]["Code"] == "TransactionCanceledException", error.response
    assert error.response["CancellationReasons"][0]["Code"] == "ProvisionedThroughputExceeded", error.response

# Retries wait until there is capacity again, which is within ten seconds of the last large item.
answer = put(patient, "patient")
assert answer["ResponseMetadata"]["RetryAttempts"] > 0, answer
print("done")
