#!/bin/sh
# The order-management lab with the AWS CLI: orders-lab.sh <aws> <endpoint>
#
# Every step prints a line `== <name>` and after it what the CLI answered, for the test to read. Customers own their
# orders, orders own their items, and only open orders carry the keys of GSI2, which therefore holds nothing else.
set -eu

cli=$1
endpoint=$2
table=app-main

ddb() {
  operation=$1
  shift
  "$cli" --endpoint-url "$endpoint" --output json dynamodb "$operation" --table-name "$table" "$@"
}

step() {
  printf '== %s\n' "$1"
}

# Passes when the command is refused, and prints why; a command that succeeds ends the lab.
refused() {
  if "$@" 2>&1; then
    echo "This should have been refused: $*" >&2
    exit 1
  fi
}

# Step 1: a table on demand with two overloaded indexes.
step create
ddb create-table --billing-mode PAY_PER_REQUEST \
  --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
  --attribute-definitions \
    AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S \
    AttributeName=GSI1PK,AttributeType=S AttributeName=GSI1SK,AttributeType=S \
    AttributeName=GSI2PK,AttributeType=S AttributeName=GSI2SK,AttributeType=S \
  --global-secondary-indexes '[
    {
      "IndexName": "GSI1",
      "KeySchema": [
        {"AttributeName": "GSI1PK", "KeyType": "HASH"},
        {"AttributeName": "GSI1SK", "KeyType": "RANGE"}
      ],
      "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["status", "total"]}
    },
    {
      "IndexName": "GSI2",
      "KeySchema": [
        {"AttributeName": "GSI2PK", "KeyType": "HASH"},
        {"AttributeName": "GSI2SK", "KeyType": "RANGE"}
      ],
      "Projection": {"ProjectionType": "KEYS_ONLY"}
    }
  ]'
"$cli" --endpoint-url "$endpoint" dynamodb wait table-exists --table-name "$table"
step created
ddb describe-table

# Step 2: a customer, an open order, a shipped order, and an item of the open one.
profile='{"PK": {"S": "CUST#a1b2"}, "SK": {"S": "PROFILE"}}'
open_order='{"PK": {"S": "CUST#a1b2"}, "SK": {"S": "ORDER#2026-06-01#o-9001"}}'
shipped_order='{"PK": {"S": "CUST#a1b2"}, "SK": {"S": "ORDER#2026-06-03#o-9044"}}'

step seed-customer
ddb put-item --return-consumed-capacity INDEXES --item '{
  "PK": {"S": "CUST#a1b2"}, "SK": {"S": "PROFILE"},
  "name": {"S": "Acme Co"}, "tier": {"S": "GOLD"}
}'
step seed-open-order
ddb put-item --return-consumed-capacity INDEXES --item '{
  "PK": {"S": "CUST#a1b2"}, "SK": {"S": "ORDER#2026-06-01#o-9001"},
  "status": {"S": "OPEN"}, "total": {"N": "149.00"},
  "GSI1PK": {"S": "CUST#a1b2#OPEN"}, "GSI1SK": {"S": "2026-06-01#o-9001"},
  "GSI2PK": {"S": "OPEN"}, "GSI2SK": {"S": "2026-06-01#o-9001"}
}'
step seed-shipped-order
ddb put-item --return-consumed-capacity INDEXES --item '{
  "PK": {"S": "CUST#a1b2"}, "SK": {"S": "ORDER#2026-06-03#o-9044"},
  "status": {"S": "SHIPPED"}, "total": {"N": "72.50"},
  "GSI1PK": {"S": "CUST#a1b2#SHIPPED"}, "GSI1SK": {"S": "2026-06-03#o-9044"}
}'
ddb put-item --item '{
  "PK": {"S": "ORDER#o-9001"}, "SK": {"S": "ITEM#001"},
  "sku": {"S": "ABC"}, "qty": {"N": "2"}
}'

step customer
ddb get-item --key "$profile"
step open-order
ddb get-item --key "$open_order" --consistent-read --return-consumed-capacity TOTAL
step shipped-order
ddb get-item --key "$shipped_order" --projection-expression '#s, #t' \
  --expression-attribute-names '{"#s": "status", "#t": "total"}'
step line-item
ddb get-item --key '{"PK": {"S": "ORDER#o-9001"}, "SK": {"S": "ITEM#001"}}'

# Step 3: all orders of the customer, the newest first.
step orders
ddb query --no-scan-index-forward --return-consumed-capacity TOTAL \
  --key-condition-expression 'PK = :customer AND begins_with(SK, :orders)' \
  --expression-attribute-values '{":customer": {"S": "CUST#a1b2"}, ":orders": {"S": "ORDER#"}}'

# Step 4: an order with what belongs to it.
step order-items
ddb query --key-condition-expression 'PK = :order' \
  --expression-attribute-values '{":order": {"S": "ORDER#o-9001"}}'

# Step 5: how many orders are open, and one customer's orders by their status.
count_open_orders() {
  ddb query --index-name GSI2 --select COUNT --key-condition-expression 'GSI2PK = :open' \
    --expression-attribute-values '{":open": {"S": "OPEN"}}'
}
step open-orders
count_open_orders
step shipped-of-customer
ddb query --index-name GSI1 --key-condition-expression 'GSI1PK = :shipped' \
  --expression-attribute-values '{":shipped": {"S": "CUST#a1b2#SHIPPED"}}'

# Step 6: the order is shipped, and leaves the index of open orders with the keys that put it there.
step ship
ddb update-item --key "$open_order" \
  --update-expression 'SET #s = :shipped REMOVE GSI2PK, GSI2SK' \
  --condition-expression '#s = :open' \
  --expression-attribute-names '{"#s": "status"}' \
  --expression-attribute-values '{":shipped": {"S": "SHIPPED"}, ":open": {"S": "OPEN"}}' \
  --return-values ALL_NEW --return-consumed-capacity INDEXES
step no-open-orders
count_open_orders
step ship-again
refused ddb update-item --key "$open_order" \
  --update-expression 'SET #s = :shipped REMOVE GSI2PK, GSI2SK' \
  --condition-expression '#s = :open' \
  --expression-attribute-names '{"#s": "status"}' \
  --expression-attribute-values '{":shipped": {"S": "SHIPPED"}, ":open": {"S": "OPEN"}}'

# An order is created once; who comes second is refused.
place_order() {
  ddb put-item --condition-expression 'attribute_not_exists(PK)' --item '{
    "PK": {"S": "CUST#a1b2"}, "SK": {"S": "ORDER#2026-06-08#o-9100"}, "status": {"S": "OPEN"}
  }'
}
place_order
step place-again
refused place_order

# Only who has read the present version may change the order.
pay() {
  ddb update-item --key '{"PK": {"S": "ORDER#o-9001"}, "SK": {"S": "META"}}' \
    --update-expression 'SET #s = :paid, version = :next' \
    --condition-expression 'version = :read' \
    --expression-attribute-names '{"#s": "status"}' \
    --expression-attribute-values '{":paid": {"S": "PAID"}, ":read": {"N": "7"}, ":next": {"N": "8"}}' \
    --return-values UPDATED_NEW
}
ddb put-item --item '{
  "PK": {"S": "ORDER#o-9001"}, "SK": {"S": "META"}, "status": {"S": "OPEN"}, "version": {"N": "7"}
}'
step pay
pay
step pay-again
refused pay

step delete
ddb delete-table
"$cli" --endpoint-url "$endpoint" dynamodb wait table-not-exists --table-name "$table"
step deleted
refused ddb describe-table
