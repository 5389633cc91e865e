// The limit for a server on node:http: it parses the JSON of each request and answers with the JSON that DynamoDB
// would, but checks nothing, keeps items as the text they came in, and knows one table. bare-server.js <port>
import { createServer } from 'node:http';
import { endWithParent } from './end-with-parent.js';
import { profileOnSignal } from './profile-on-signal.js';

/** The text of items by key, and the keys of each customer and each warehouse in the order of their sort keys. */
const items = new Map();
const customers = new Map();
const warehouses = new Map();

const operations = {
  PutItem(input, text) {
    put(input.Item, text.slice(text.indexOf('"Item"') + 7, -1));
    return '{}';
  },
  GetItem: ({ Key }) => {
    const item = items.get(keyOf(Key));
    return item === undefined ? '{}' : `{"Item":${item}}`;
  },
  UpdateItem(input) {
    update(input);
    return '{}';
  },
  Query({ IndexName, FilterExpression, ExpressionAttributeValues: values }) {
    const keys =
      IndexName === undefined ? customers.get(values[':pk'].S) : warehouses.get(values[':warehouse'].S);
    const all = keys.map((key) => items.get(key));
    const found = FilterExpression === undefined ? all : all.filter((item) => isWanted(item, values));
    return `{"Items":[${found.join()}],"Count":${found.length},"ScannedCount":${all.length}}`;
  },
  BatchGetItem({ RequestItems }) {
    const { Keys } = RequestItems.Orders;
    const found = Keys.map((key) => items.get(keyOf(key)));
    return `{"Responses":{"Orders":[${found.join()}]},"UnprocessedKeys":{}}`;
  },
  BatchWriteItem({ RequestItems }) {
    for (const { PutRequest } of RequestItems.Orders) put(PutRequest.Item, JSON.stringify(PutRequest.Item));
    return '{"UnprocessedItems":{}}';
  },
  TransactWriteItems({ TransactItems }) {
    for (const { Update, Put } of TransactItems)
      if (Update === undefined) put(Put.Item, JSON.stringify(Put.Item));
      else update(Update);
    return '{}';
  },
  ExecuteStatement: ({ Parameters: [pk, sk] }) => `{"Items":[${items.get(`${pk.S} ${sk.S}`)}]}`,
};

function put(item, text) {
  const key = keyOf(item);
  if (!items.has(key)) {
    insert(customers, item.pk.S, key, item.sk.S);
    insert(warehouses, item.warehouse.S, key, item.sk.S);
  }
  items.set(key, text);
}

function update({ Key, ExpressionAttributeValues: values }) {
  const key = keyOf(Key);
  const item = JSON.parse(items.get(key));
  item.version = values[':version'];
  items.set(key, JSON.stringify(item));
}

function isWanted(text, values) {
  const item = JSON.parse(text);
  return item.paid.BOOL === values[':paid'].BOOL && Number(item.total.N) > Number(values[':total'].N);
}

function insert(map, name, key, sort) {
  const keys = map.get(name) ?? [];
  const after = keys.findIndex((other) => other.slice(other.indexOf(' ') + 1) > sort);
  keys.splice(after === -1 ? keys.length : after, 0, key);
  map.set(name, keys);
}

function keyOf({ pk, sk }) {
  return `${pk.S} ${sk.S}`;
}

function answer(target, text) {
  const input = JSON.parse(text);
  const operation = operations[target.slice(target.indexOf('.') + 1)];
  return operation?.(input, text) ?? '{"Table":{"TableStatus":"ACTIVE"},"TableNames":[]}';
}

profileOnSignal();
endWithParent();
createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    const body = answer(request.headers['x-amz-target'], bytes.toString());
    response.writeHead(200, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
