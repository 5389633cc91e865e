import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  DeleteItemCommand,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

/**
 * Values that are nested too deep, beside other faults. A depth is a number of maps around a string: 31 fit into an
 * item, and from 63 on the operations of the newer validation layer answer in the words of the older.
 */

const E = '1 validation error detected: ';
const tooDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const ofValue = (key: string) =>
  `ExpressionAttributeValues contains invalid value: ${tooDeep} for key ${key}`;
const emptyName = 'Empty attribute name';
const syntaxError = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"';

const S = (text: string): AttributeValue => ({ S: text });

function deep(depth: number, inner: AttributeValue = S('x')): AttributeValue {
  let value = inner;
  for (let i = 0; i < depth; i++) value = { M: { n: value } };
  return value;
}

throughEveryDoor('values nested too deep', (door) => {
  /** All of these are told before a table is looked for. */
  const missing = door.newName();
  let table: string;
  beforeAll(async () => {
    table = await door.createTable();
  });

  const pk = S('a');
  const refused = (request: Promise<unknown>, message: string) => expectInvalid(door, request, message);

  describe('PutItem', () => {
    const put = (more: object) =>
      door.client.send(
        new PutItemCommand({ TableName: missing, Item: { pk }, ...more } as PutItemCommandInput),
      );

    it.each([
      [32, E + tooDeep],
      [40, E + tooDeep],
      [63, tooDeep],
      [100, tooDeep],
    ])('of an item with %i levels', (depth, message) =>
      refused(put({ Item: { pk, d: deep(depth) } }), message),
    );

    it('of a condition, after what is told before values are read', async () => {
      const condition = (depth: number) => ({
        ConditionExpression: 'd = :d',
        ExpressionAttributeValues: { ':d': deep(depth) },
      });
      await refused(put(condition(40)), E + tooDeep);
      await refused(put(condition(100)), ofValue(':d'));
      const mixed =
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}';
      const expected = { Expected: { a: { Exists: false } } };
      await refused(put({ ...condition(40), ...expected }), E + mixed);
      await refused(put({ ...condition(100), ...expected }), mixed);
      const oldOnly = 'ReturnValues can only be ALL_OLD or NONE';
      await refused(put({ ...condition(40), ReturnValues: 'UPDATED_NEW' }), E + oldOnly);
      await refused(put({ ...condition(100), ReturnValues: 'UPDATED_NEW' }), oldOnly);
    });

    it('of a legacy condition, after an operator that does not exist', () =>
      refused(
        put({ Expected: { a: { Value: deep(100) }, b: { Exists: false } }, ConditionalOperator: 'XOR' }),
        `${E}Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: [OR, AND]`,
      ));
  });

  describe('an item with an empty name too', () => {
    const put = (Item: Record<string, AttributeValue>) =>
      door.client.send(new PutItemCommand({ TableName: missing, Item }));
    const transactPut = (Item: Record<string, AttributeValue>) =>
      door.client.send(
        new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: missing, Item } }] }),
      );
    const nested = { M: { '': S('x') } };

    it('is told of its own name first', async () => {
      await refused(transactPut({ pk, '': S('x'), d: deep(100) }), emptyName);
      await refused(transactPut({ pk, d: deep(100), '': S('x') }), emptyName);
      await refused(put({ pk, d: deep(40), '': S('x') }), E + emptyName);
    });

    it('is told of the name of a member last', async () => {
      await refused(transactPut({ pk, m: nested, d: deep(40) }), tooDeep);
      await refused(transactPut({ pk, d: deep(40), m: nested }), tooDeep);
      await refused(put({ pk, m: nested, d: deep(40) }), E + tooDeep);
      await refused(transactPut({ pk, m: nested, d: deep(31) }), emptyName);
    });
  });

  describe('UpdateItem and DeleteItem', () => {
    const update = (more: Partial<UpdateItemCommandInput>) =>
      door.client.send(new UpdateItemCommand({ TableName: missing, Key: { pk }, ...more }));
    const wrongReturnValues = `${E}Value 'BOGUS' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]`;
    const newerReturnValues = `${E}Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]`;
    const BOGUS = 'BOGUS' as 'NONE';

    it('name the value from 63 on', async () => {
      const values = (depth: number) => ({
        UpdateExpression: 'SET a = :a, d = :name',
        ExpressionAttributeValues: { ':a': S('x'), ':name': deep(depth) },
      });
      await refused(update(values(32)), E + tooDeep);
      await refused(update(values(62)), E + tooDeep);
      await refused(update(values(63)), ofValue(':name'));
      await refused(update({ AttributeUpdates: { a: { Value: deep(63) } } }), tooDeep);
    });

    it('tell unknown ReturnValues first', async () => {
      const remove = (more: object) =>
        door.client.send(
          new DeleteItemCommand({ TableName: missing, Key: { pk }, ReturnValues: BOGUS, ...more }),
        );
      const condition = (depth: number) => ({
        ConditionExpression: 'd = :d',
        ExpressionAttributeValues: { ':d': deep(depth) },
      });
      await refused(remove(condition(40)), newerReturnValues);
      await refused(remove(condition(63)), wrongReturnValues);
      await refused(remove({ Expected: { d: { Value: deep(63) } } }), wrongReturnValues);
      await refused(remove({ Key: { pk: deep(100) } }), wrongReturnValues);
      await refused(
        update({ AttributeUpdates: { a: { Value: deep(100) } }, ReturnValues: BOGUS }),
        wrongReturnValues,
      );
    });
  });

  it('Query and Scan', async () => {
    const filter = (depth: number) => ({
      FilterExpression: 'd = :d',
      ExpressionAttributeValues: { ':pk': pk, ':d': deep(depth) },
    });
    const query = (depth: number) =>
      door.client.send(
        new QueryCommand({ TableName: missing, KeyConditionExpression: 'pk = :pk', ...filter(depth) }),
      );
    await refused(query(40), tooDeep);
    await refused(query(63), ofValue(':d'));
    // In Regions of the older layer.
    const scan = door.client.send(
      new ScanCommand({
        TableName: missing,
        ScanFilter: { a: { ComparisonOperator: 'EQ', AttributeValueList: [deep(40)] } },
        ConditionalOperator: 'AND',
      }),
    );
    if (!door.onAws) await refused(scan, tooDeep);
    else await scan.catch(() => undefined);
  });

  describe('TransactWriteItems', () => {
    const send = (...TransactItems: TransactWriteItem[]) =>
      door.client.send(new TransactWriteItemsCommand({ TransactItems }));
    const put = (Item: Record<string, AttributeValue>, more: object = {}): TransactWriteItem => ({
      Put: { TableName: missing, Item, ...more },
    });
    const remove = (depth: number, more: object = {}): TransactWriteItem => ({
      Delete: { TableName: missing, Key: { pk: deep(depth) }, ...more },
    });
    const check = (depth: number): TransactWriteItem => ({
      ConditionCheck: {
        TableName: missing,
        Key: { pk: S('b') },
        ConditionExpression: 'd = :deep',
        ExpressionAttributeValues: { ':deep': deep(depth) },
      },
    });
    const update = (depth: number): TransactWriteItem => ({
      Update: {
        TableName: missing,
        Key: { pk: S('c') },
        UpdateExpression: 'SET d = :deep',
        ExpressionAttributeValues: { ':deep': deep(depth) },
      },
    });
    const unnamed = put({ pk, '': S('x') });
    const broken = put({ pk }, { ConditionExpression: 'a = = b' });
    const unused: TransactWriteItem = {
      Update: {
        TableName: missing,
        Key: { pk },
        UpdateExpression: 'SET a = :v',
        ExpressionAttributeValues: { ':v': S('x'), ':u': S('y') },
      },
    };
    const ofUnused = 'Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}';

    it.each<[string, TransactWriteItem[], string]>([
      ['an item of 40 before a name', [put({ pk: S('b'), d: deep(40) }), unnamed], tooDeep],
      ['a name before an item of 100', [unnamed, put({ pk: S('b'), d: deep(100) })], emptyName],
      ['a name before a value of 100', [unnamed, check(100)], emptyName],
      ['a value of 40 of a check before a name', [check(40), unnamed], ofValue(':deep')],
      ['a value of 40 of an update before a name', [update(40), unnamed], ofValue(':deep')],
      ['a value of 100 before a name', [update(100), unnamed], ofValue(':deep')],
      ['a key of 40 before an expression', [remove(40), broken], tooDeep],
      ['a key of 40 before an unused value', [remove(40), unused], tooDeep],
      ['an expression before a key of 100', [broken, remove(100)], syntaxError],
      ['an unused value before a key of 100', [unused, remove(100)], ofUnused],
      [
        'an expression before the key of 100 beside it',
        [remove(100, { ConditionExpression: 'a = = b' })],
        syntaxError,
      ],
      [
        'an expression too long before the key of 100 beside it',
        [
          remove(100, {
            ConditionExpression: `a = :v${' AND a = :v'.repeat(373)}`,
            ExpressionAttributeValues: { ':v': S('x') },
          }),
        ],
        'Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4109',
      ],
    ])('tells faults in the order of the actions: %s', (_, actions, message) =>
      refused(send(...actions), message),
    );

    describe('values of 32 levels, which no item can hold', () => {
      /** In a few Regions they are refused with the request. */
      const reasonsOf = async (action: TransactWriteItem) => {
        const error = await send(action).catch((thrown: unknown) => thrown);
        if (door.onAws && !(error instanceof TransactionCanceledException)) return undefined;
        expect(error).toBeInstanceOf(TransactionCanceledException);
        return (error as TransactionCanceledException).CancellationReasons;
      };
      const values = { ':deep': deep(32) };
      const failed = [{ Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' }];

      it('are compared', async () => {
        const Key = { pk: S(randomUUID()) };
        await door.client.send(new PutItemCommand({ TableName: table, Item: { ...Key, d: deep(31) } }));
        const condition = { ConditionExpression: 'd = :deep', ExpressionAttributeValues: values };
        const actions: TransactWriteItem[] = [
          { ConditionCheck: { TableName: table, Key, ...condition } },
          { Delete: { TableName: table, Key, ...condition } },
          { Put: { TableName: table, Item: Key, ...condition } },
          { Update: { TableName: table, Key, UpdateExpression: 'REMOVE d', ...condition } },
        ];
        for (const action of actions) expect((await reasonsOf(action)) ?? failed).toEqual(failed);
      });

      it('are not stored', async () => {
        const Key = { pk: S(randomUUID()) };
        const invalid = [
          { Code: 'ValidationError', Message: 'Nesting Levels have exceeded supported limits' },
        ];
        for (const UpdateExpression of ['SET d = :deep', 'SET d = if_not_exists(d, :deep)']) {
          const update = { TableName: table, Key, UpdateExpression, ExpressionAttributeValues: values };
          expect((await reasonsOf({ Update: update })) ?? invalid).toEqual(invalid);
        }
      });

      it('are refused when one level deeper', () => refused(send(check(33)), ofValue(':deep')));
    });
  });

  describe('parameters of statements', () => {
    const Statement = (count: number) =>
      `SELECT * FROM "${table}" WHERE pk = 'a'${' AND x = ?'.repeat(count)}`;
    const execute = (Parameters: AttributeValue[]) =>
      door.client.send(new ExecuteStatementCommand({ Statement: Statement(Parameters.length), Parameters }));
    const none = { N: 'abc' };
    const notNumeric = 'The parameter cannot be converted to a numeric value: abc';

    it.each([40, 100])('are judged in their order (%i)', async (depth) => {
      await refused(execute([deep(depth), none]), tooDeep);
      await refused(execute([none, deep(depth)]), notNumeric);
      await refused(execute([{ M: { d: deep(depth), bad: none } }]), tooDeep);
      await refused(execute([{ M: { bad: none, d: deep(depth) } }]), notNumeric);
      await refused(execute([deep(depth, none)]), tooDeep);
      await refused(execute([deep(depth), { N: '1e126' }]), tooDeep);
    });

    it.each([40, 100])('refuse a transaction, and of a batch their statement (%i)', async (depth) => {
      const sent = { Statement: Statement(2), Parameters: [deep(depth), none] };
      await refused(door.client.send(new ExecuteTransactionCommand({ TransactStatements: [sent] })), tooDeep);
      const sound = { Statement: Statement(0) };
      const { Responses } = await door.client.send(
        new BatchExecuteStatementCommand({ Statements: [sent, sound] }),
      );
      expect(Responses).toEqual([
        { Error: { Code: 'ValidationError', Message: tooDeep } },
        { TableName: table },
      ]);
    });
  });
});
