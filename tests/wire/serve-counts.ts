import { openDoor } from '../../src/wire/authenticate.ts';
import { HttpServer } from '../../src/wire/http-server.ts';

/** Serves one operation that counts the elements of a list, and prints its port. */
const server = new HttpServer({
  services: [
    {
      targetPrefixes: ['DynamoDB_20120810'],
      signingName: 'dynamodb',
      contentType: 'application/x-amz-json-1.0',
      operations: new Map([['Count', (input: unknown) => ({ Count: (input as { a: unknown[] }).a.length })]]),
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
