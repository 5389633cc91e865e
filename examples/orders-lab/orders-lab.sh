#!/bin/sh
# The order-management lab with the AWS CLI:
#
#   orders-lab.sh                        against a Stator on this machine, http://127.0.0.1:8000
#   orders-lab.sh <endpoint>             against another one
#   orders-lab.sh aws                    against the service, with your credentials and your Region
#   orders-lab.sh <endpoint> <program>   with another AWS CLI than the first one in PATH
#
# Every step prints a line `== <name>` and after it what the CLI answered. Customers own their orders, orders own their
# items, and only open orders carry the keys of GSI2, which therefore holds nothing else. README.md has the tables of
# access patterns and keys, and what each step proves. The table is removed in the end.
set -eu

endpoint=${1:-http://127.0.0.1:8000}
cli=${2:-aws}
table=app-main
here=$(dirname "$0")

# Any credentials do for Stator, so none need to be set up for it.
if [ "$endpoint" != aws ]; then
  export AWS_ACCESS_KEY_ID="${AWS_ACCESS_KEY_ID:-local}" AWS_SECRET_ACCESS_KEY="${AWS_SECRET_ACCESS_KEY:-local}"
  export AWS_DEFAULT_REGION="${AWS_DEFAULT_REGION:-us-east-1}"
fi
export AWS_PAGER=

dynamodb() {
  if [ "$endpoint" = aws ]; then
    "$cli" --output json dynamodb "$@"
  else
    "$cli" --endpoint-url "$endpoint" --output json dynamodb "$@"
  fi
}

ddb() {
  operation=$1
  shift
  dynamodb "$operation" --table-name "$table" "$@"
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
# However the lab ends from here on, it leaves no table behind.
trap 'ddb delete-table > /dev/null' EXIT
dynamodb wait table-exists --table-name "$table"
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
step seed-line-item
ddb put-item --return-consumed-capacity INDEXES --item '{
  "PK": {"S": "ORDER#o-9001"}, "SK": {"S": "ITEM#001"},
  "sku": {"S": "ABC"}, "qty": {"N": "2"}
}'

# A1: a customer by id; and single orders, all of them or a part.
step customer
ddb get-item --key "$profile" --return-consumed-capacity TOTAL
step open-order
ddb get-item --key "$open_order" --consistent-read --return-consumed-capacity TOTAL
step shipped-order
ddb get-item --key "$shipped_order" --projection-expression '#s, #t' \
  --expression-attribute-names '{"#s": "status", "#t": "total"}'

# Step 3, A2: all orders of the customer, the newest first.
step orders
ddb query --no-scan-index-forward --return-consumed-capacity TOTAL \
  --key-condition-expression 'PK = :customer AND begins_with(SK, :orders)' \
  --expression-attribute-values '{":customer": {"S": "CUST#a1b2"}, ":orders": {"S": "ORDER#"}}'

# The same without keys that select: a filter is applied to what was read, and what was read is paid for.
step orders-by-filter
ddb query --return-consumed-capacity TOTAL \
  --key-condition-expression 'PK = :customer' --filter-expression '#s = :shipped' \
  --expression-attribute-names '{"#s": "status"}' \
  --expression-attribute-values '{":customer": {"S": "CUST#a1b2"}, ":shipped": {"S": "SHIPPED"}}'

# Step 4, A3: an order with what belongs to it.
step order-items
ddb query --return-consumed-capacity TOTAL --key-condition-expression 'PK = :order' \
  --expression-attribute-values '{":order": {"S": "ORDER#o-9001"}}'

# A4: one customer's orders in a status.
orders_in_status() {
  ddb query --index-name GSI1 --return-consumed-capacity TOTAL --key-condition-expression 'GSI1PK = :status' \
    --expression-attribute-values '{":status": {"S": "CUST#a1b2#'"$1"'"}}'
}
step shipped-of-customer
orders_in_status SHIPPED

# Step 5, A5: how many orders are open. An index follows its table with a delay, so the count is awaited.
count_open_orders() {
  ddb query --index-name GSI2 --select COUNT --key-condition-expression 'GSI2PK = :open' \
    --expression-attribute-values '{":open": {"S": "OPEN"}}'
}
await_open_orders() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    counted=$(count_open_orders)
    case $counted in *"\"Count\": $1,"*) break ;; esac
    sleep 1
  done
  printf '%s\n' "$counted"
}
step open-orders
await_open_orders 1

# Step 6, A7: the order is shipped. It leaves the index of open orders with the keys that put it there, and moves from
# OPEN to SHIPPED within the customer's index: a status that stands in a key has to be changed in the key as well.
ship() {
  ddb update-item --key "$open_order" \
    --update-expression 'SET #s = :shipped, GSI1PK = :key REMOVE GSI2PK, GSI2SK' \
    --condition-expression '#s = :open' \
    --expression-attribute-names '{"#s": "status"}' \
    --expression-attribute-values \
      '{":shipped": {"S": "SHIPPED"}, ":key": {"S": "CUST#a1b2#SHIPPED"}, ":open": {"S": "OPEN"}}' \
    --return-values ALL_NEW --return-consumed-capacity INDEXES
}
step ship
ship
step no-open-orders
await_open_orders 0
step shipped-of-customer-now
orders_in_status SHIPPED
step ship-again
refused ship

# A6: an order and its items are created together, or not at all. Who comes second is refused, and changes nothing.
place_order() {
  dynamodb transact-write-items --transact-items "file://$here/place-order.json" \
    --return-consumed-capacity INDEXES
}
step place
place_order
step placed
ddb query --key-condition-expression 'PK = :order' --consistent-read \
  --expression-attribute-values '{":order": {"S": "ORDER#o-9100"}}'
step place-again
refused place_order
step open-orders-again
await_open_orders 1

# The other entities of the key map, and the Queries that find them.
dynamodb batch-write-item --request-items "file://$here/entities.json" > /dev/null
belonging_to() {
  ddb query --key-condition-expression 'PK = :key AND begins_with(SK, :prefix)' \
    --expression-attribute-values '{":key": {"S": "'"$1"'"}, ":prefix": {"S": "'"$2"'"}}'
}
indexed_under() {
  ddb query --index-name "$1" --key-condition-expression "${1}PK = :key AND begins_with(${1}SK, :prefix)" \
    --expression-attribute-values '{":key": {"S": "'"$2"'"}, ":prefix": {"S": "'"$3"'"}}'
}
step order-with-everything
ddb query --return-consumed-capacity TOTAL --key-condition-expression 'PK = :order' \
  --expression-attribute-values '{":order": {"S": "ORDER#o-9001"}}'
step payments
belonging_to 'ORDER#o-9001' 'PAYMENT#'
step audit
belonging_to 'ORDER#o-9001' 'EVENT#'
step addresses
belonging_to 'CUST#a1b2' 'ADDR#'
step groups-of-user
belonging_to 'USER#u1' 'GROUP#'
step category
belonging_to CATALOG 'CATEGORY#Electronics#Audio'
step users-of-group
indexed_under GSI1 'GROUP#g1' 'USER#'
step sessions-of-user
indexed_under GSI1 'USER#u1' 'SESSION#'
step low-stock
indexed_under GSI2 LOW 'SKU#'
step idempotency-token
ddb get-item --key '{"PK": {"S": "IDEMP#req-1"}, "SK": {"S": "LOCK"}}' --consistent-read

# Only who has read the present version may change the order.
pay() {
  ddb update-item --key '{"PK": {"S": "ORDER#o-9001"}, "SK": {"S": "META"}}' \
    --update-expression 'SET #s = :paid, version = :next' \
    --condition-expression 'version = :read' \
    --expression-attribute-names '{"#s": "status"}' \
    --expression-attribute-values '{":paid": {"S": "PAID"}, ":read": {"N": "7"}, ":next": {"N": "8"}}' \
    --return-values UPDATED_NEW
}
step pay
pay
step pay-again
refused pay

step delete
trap - EXIT
ddb delete-table
dynamodb wait table-not-exists --table-name "$table"
step deleted
refused ddb describe-table
