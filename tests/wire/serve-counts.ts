import { dynamoErrors } from '../../src/operations/api/dynamo-errors.ts';
import { openDoor } from '../../src/wire/authenticate.ts';
import { HttpServer } from '../../src/wire/http-server.ts';

function count(input: unknown): object {
  return { Count: (input as { a: unknown[] }).a.length };
}

/** Serves one operation that counts the elements of a list, and prints its port. */
const server = new HttpServer({
  services: [
    {
      targetPrefix: 'DynamoDB_20120810',
      signingName: 'dynamodb',
      apiVersion: '2012-08-10',
      protocols: ['dynamodb'],
      errors: dynamoErrors,
      operations: new Map([['Count', { name: 'Count', handle: count }]]),
    },
  ],
  authorize: undefined,
  authenticate: openDoor(),
  random: () => 1,
  region: 'us-east-1',
  log: (line) => process.stderr.write(`${line}\n`),
});
const { port } = await server.listen(0, '127.0.0.1');
process.stdout.write(`${port}\n`);
