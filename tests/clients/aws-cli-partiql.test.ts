import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { installed, output } from './installed-programs.ts';

const programs = await installed('aws', ['--version']);

describe('PartiQL through the AWS CLI', () => {
  let db: Stator;
  let server: StatorServer;
  beforeAll(async () => {
    db = await Stator.open();
    server = await db.listen({ port: 0 });
  });
  afterAll(() => db.close());

  it.runIf(programs.length > 0).each(programs.length > 0 ? programs : ['awscli'])(
    'works as %s',
    async (program) => {
      const table = `Music${programs.indexOf(program)}`;
      const aws = async (command: string, ...args: string[]) => {
        const text = await output(program, [
          ...['--endpoint-url', server.url, '--output', 'json', '--region', 'us-east-1', 'dynamodb', command],
          ...args,
        ]);
        return text === '' ? undefined : (JSON.parse(text) as unknown);
      };
      const run = (statement: string, ...args: string[]) =>
        aws('execute-statement', '--statement', statement, ...args);
      await db.createTable({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'Artist', AttributeType: 'S' },
          { AttributeName: 'SongTitle', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'Artist', KeyType: 'HASH' },
          { AttributeName: 'SongTitle', KeyType: 'RANGE' },
        ],
      });

      for (const song of ['One', 'Two', 'Three']) {
        const item = `{'Artist': 'Acme', 'SongTitle': '${song}', 'Awards': <<1, 2>>}`;
        expect(await run(`INSERT INTO ${table} VALUE ${item}`)).toEqual({ Items: [] });
      }
      await expect(run(`INSERT INTO ${table} VALUE {'Artist': 'Acme', 'SongTitle': 'One'}`)).rejects.toThrow(
        'DuplicateItemException',
      );
      const where = "WHERE Artist = ? AND SongTitle = 'One'";
      const parameters = ['--parameters', '[{"S":"Acme"}]'];
      expect(
        await run(
          `UPDATE "${table}" SET AwardDetail = {'Grammys': [2020, 2018]} ${where} RETURNING MODIFIED NEW *`,
          ...parameters,
        ),
      ).toEqual({ Items: [{ AwardDetail: { M: { Grammys: { L: [{ N: '2020' }, { N: '2018' }] } } } }] });
      expect(await run(`SELECT AwardDetail.Grammys[0] FROM "${table}" ${where}`, ...parameters)).toEqual({
        Items: [{ 'Grammys[0]': { N: '2020' } }],
      });
      // The CLI follows NextToken by itself.
      const songs = await run(`SELECT SongTitle FROM ${table} WHERE Artist = 'Acme'`, '--limit', '2');
      expect(songs).toMatchObject({ Items: [{ SongTitle: { S: 'One' } }, { SongTitle: { S: 'Three' } }] });

      const statements = [
        { Statement: `SELECT SongTitle FROM ${table} WHERE Artist = 'Acme' AND SongTitle = 'Two'` },
        { Statement: `SELECT * FROM ${table} WHERE Artist = 'Acme'` },
      ];
      expect(await aws('batch-execute-statement', '--statements', JSON.stringify(statements))).toEqual({
        Responses: [
          { TableName: table, Item: { SongTitle: { S: 'Two' } } },
          {
            Error: {
              Code: 'ValidationError',
              Message:
                'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
            },
          },
        ],
      });
      const transaction = [
        {
          Statement: `EXISTS(SELECT * FROM ${table} WHERE Artist = 'Acme' AND SongTitle = 'Two' AND Sold IS MISSING)`,
        },
        { Statement: `DELETE FROM ${table} ${where}`, Parameters: [{ S: 'Acme' }] },
      ];
      await aws('execute-transaction', '--transact-statements', JSON.stringify(transaction));
      const left = await run(`SELECT SongTitle FROM ${table} WHERE Artist = 'Acme'`);
      expect(left).toEqual({ Items: [{ SongTitle: { S: 'Three' } }, { SongTitle: { S: 'Two' } }] });
    },
    60_000,
  );
});
