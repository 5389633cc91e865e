import { ListTablesCommand, paginateListTables } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

throughEveryDoor('ListTables', (door) => {
  describe('of three tables', () => {
    let prefix: string;
    const names = () => ['.A', '.a', '.b'].map((end) => prefix + end);

    beforeAll(async () => {
      prefix = door.newName();
      await Promise.all(names().map((TableName) => door.createTable({ TableName })));
    });

    it('lists names in the order of their bytes, after one that need not exist', async () => {
      const { TableNames: found } = await door.client.send(
        new ListTablesCommand({ ExclusiveStartTableName: prefix }),
      );
      expect(found?.slice(0, 3)).toEqual(names());
    });

    it('says where a page ended', async () => {
      const [first, second, third] = names();
      const page = await door.client.send(
        new ListTablesCommand({ ExclusiveStartTableName: prefix, Limit: 2 }),
      );
      expect(page).toMatchObject({ TableNames: [first, second], LastEvaluatedTableName: second });
      const next = await door.client.send(
        new ListTablesCommand({ ExclusiveStartTableName: second!, Limit: 1 }),
      );
      expect(next.TableNames).toEqual([third]);
    });

    it('comes to an end', async () => {
      const found: string[] = [];
      for await (const page of paginateListTables({ client: door.client, pageSize: 2 }, {})) {
        expect(page.TableNames!.length).toBeLessThanOrEqual(2);
        found.push(...page.TableNames!);
      }
      expect(found.filter((name) => name.startsWith(prefix))).toEqual(names());
      expect(new Set(found).size).toBe(found.length);
    });
  });

  it.each([
    [
      { Limit: 0 },
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ],
    [
      { Limit: 101 },
      "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100",
    ],
    [
      { ExclusiveStartTableName: 'ab' },
      "1 validation error detected: Value 'ab' at 'exclusiveStartTableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
    ],
    [
      { ExclusiveStartTableName: 'a;b' },
      "1 validation error detected: Value 'a;b' at 'exclusiveStartTableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ],
  ])('refuses %j', async (input, message) => {
    await expectInvalid(door, door.client.send(new ListTablesCommand(input)), message);
  });
});
