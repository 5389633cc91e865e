// The limit for a server on node:http: it parses the JSON of each request and answers with the JSON that DynamoDB
// would, but checks nothing, keeps items as the text they came in, and knows no tables. bare-server.js <port>
import { createServer } from 'node:http';
import { endWithParent } from './end-with-parent.js';

const items = new Map();

function answer(target, text) {
  const input = JSON.parse(text);
  if (target === 'DynamoDB_20120810.PutItem') {
    items.set(`${input.Item.pk.S} ${input.Item.sk.S}`, text);
    return '{}';
  }
  if (target === 'DynamoDB_20120810.GetItem') {
    const put = items.get(`${input.Key.pk.S} ${input.Key.sk.S}`);
    return put === undefined ? '{}' : `{${put.slice(put.indexOf('"Item"'))}`;
  }
  if (target === 'DynamoDB_20120810.UpdateItem') {
    const key = `${input.Key.pk.S} ${input.Key.sk.S}`;
    const put = JSON.parse(items.get(key));
    put.Item.version = input.ExpressionAttributeValues[':version'];
    items.set(key, JSON.stringify(put));
    return '{}';
  }
  return '{"Table":{"TableStatus":"ACTIVE"},"TableNames":[]}';
}

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
