import {
  ConditionalCheckFailedException,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';

/**
 * The bytes of a failed condition. With the item beside it the text is `Message`, alone it is `message` (LocalStack's
 * snapshots of AWS); the SDK's error hides the difference.
 */
throughEveryDoor('A failed condition', (door) => {
  it('spells its message by whether it shows the item', async () => {
    const TableName = await door.createTable();
    const put = { TableName, Item: { pk: { S: 'a' }, v: { N: '1' } } };
    await door.client.send(new PutItemCommand(put));

    async function refusedBody(more: Partial<PutItemCommandInput>): Promise<unknown> {
      const command = new PutItemCommand({
        ...put,
        ConditionExpression: 'attribute_not_exists(pk)',
        ...more,
      });
      let text = '';
      command.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          const response = result.response as { body: AsyncIterable<Uint8Array> | Uint8Array };
          const parts = response.body instanceof Uint8Array ? [response.body] : response.body;
          const chunks: Uint8Array[] = [];
          for await (const part of parts) chunks.push(part);
          response.body = Buffer.concat(chunks);
          text = response.body.toString();
          return result;
        },
        // Nearer to the socket than the SDK's own reader.
        { step: 'deserialize', priority: 'low', name: 'keepBody' },
      );
      const error = await door.client.send(command).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConditionalCheckFailedException);
      return JSON.parse(text);
    }

    const name = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
    const words = 'The conditional request failed';
    expect(await refusedBody({})).toEqual({ __type: name, message: words });
    expect(await refusedBody({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })).toEqual({
      __type: name,
      Message: words,
      Item: put.Item,
    });
  });
});
