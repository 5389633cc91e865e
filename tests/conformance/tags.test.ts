import {
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  type Tag,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

throughEveryDoor('tags', (door) => {
  let arn: string;
  beforeAll(async () => {
    const TableName = await door.createTable();
    const { Table: table } = await door.client.send(new DescribeTableCommand({ TableName }));
    arn = table!.TableArn!;
  });

  const tag = (Tags: Tag[], ResourceArn = arn) =>
    door.client.send(new TagResourceCommand({ ResourceArn, Tags }));
  const untag = (...TagKeys: string[]) =>
    door.client.send(new UntagResourceCommand({ ResourceArn: arn, TagKeys }));

  /** Reads of tags lag behind their changes on the service. */
  async function expectTags(expected: Record<string, string>): Promise<void> {
    const found = async () => {
      const { Tags: tags } = await door.client.send(new ListTagsOfResourceCommand({ ResourceArn: arn }));
      return Object.fromEntries(tags!.map(({ Key, Value }) => [Key, Value]));
    };
    await expect.poll(found, { timeout: 30_000, interval: 1_000 }).toEqual(expected);
  }

  it('are added, replaced and taken away', async () => {
    await expectTags({});
    const { $metadata: metadata, ...answer } = await tag([
      { Key: 'team', Value: 'blue' },
      { Key: 'empty', Value: '' },
    ]);
    expect(metadata.httpStatusCode).toBe(200);
    expect(answer).toEqual({});
    await expectTags({ team: 'blue', empty: '' });
    await tag([
      { Key: 'team', Value: 'red' },
      { Key: 'größe', Value: '𝒳'.repeat(256) },
    ]);
    await expectTags({ team: 'red', empty: '', größe: '𝒳'.repeat(256) });
    await untag('empty', 'größe', 'never there');
    await expectTags({ team: 'red' });
    await untag('team');
    await expectTags({});
  });

  it('are fifty at most', async () => {
    const tags = Array.from({ length: 51 }, (_, i) => ({ Key: `k${i}`, Value: 'v' }));
    await tag(tags.slice(0, 50));
    await expectInvalid(
      door,
      tag([tags[50]!]),
      'Number of Tags exceed the current limit for the provided ResourceArn',
    );
    await tag([{ Key: 'k49', Value: 'another' }]);
    await untag(...tags.slice(0, 50).map(({ Key }) => Key));
    await expectTags({});
  });

  it('need to be there', async () => {
    await expectInvalid(door, tag([]), 'Atleast one Tag needs to be provided as Input.');
    await expectInvalid(door, untag(), 'Atleast one Tag Key needs to be provided as Input.');
  });

  it('belong to a table that exists', async () => {
    const missing = `${arn}-missing`;
    const notFound = `Requested resource not found: ResourcArn: ${missing} not found`;
    await expectRefused(
      door,
      tag([{ Key: 'a', Value: 'b' }], missing),
      'ResourceNotFoundException',
      notFound,
    );
    await expectInvalid(
      door,
      tag([{ Key: 'a', Value: 'b' }], 'nonsense'),
      "One or more parameter values were invalid: ARNs must start with 'arn:': nonsense",
    );
    await expectInvalid(
      door,
      tag([{ Key: 'a', Value: 'b' }], 'arn:nonsense'),
      'Invalid TableArn: Invalid ResourceArn provided as input arn:nonsense',
    );
  });

  it('have letters, digits, white space and a few signs', async () => {
    await tag([{ Key: 'Ж 9+-=._:/@', Value: 'Ж 9+-=._:/@' }]);
    await untag('Ж 9+-=._:/@');
    for (const character of ['#', '*', '🦊', '\u0000']) {
      await expect(tag([{ Key: character, Value: 'v' }])).rejects.toMatchObject({
        name: 'ValidationException',
      });
      await expect(tag([{ Key: 'k', Value: character }])).rejects.toMatchObject({
        name: 'ValidationException',
      });
    }
    await expectTags({});
  });
});
