import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { installed, output } from '../clients/installed-programs.ts';
import { newDirectory } from '../storage/directories.ts';
import { keyedByPk } from './doors.ts';

const pythons = await installed('python3', ['-c', 'import boto3']);
const script = fileURLToPath(new URL('read-export.py', import.meta.url));
const TableName = 'exported';
const TableArn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;

describe.runIf(pythons.length > 0).each(pythons.length > 0 ? pythons : ['python3-boto3'])('%s', (python) => {
  it('reads exports by the documented layout, full and incremental', async () => {
    const root = await newDirectory();
    const bucket = join(root, 'data');
    await mkdir(bucket);
    const clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
    await using db = await Stator.open({ clock, s3: { directory: root } });
    await db.createTable({ TableName, ...keyedByPk });
    await db.updateContinuousBackups({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    const put = (pk: string, more: object = {}) =>
      db.putItem({ TableName, Item: { pk: { S: pk }, ...more } as never });
    const exported = async (more: object) => {
      const { ExportDescription: begun } = await db.exportTableToPointInTime({
        ...{ TableArn, S3Bucket: 'data', S3Prefix: 'out', ...more },
      });
      await db.settled();
      const { ExportDescription } = await db.describeExport({ ExportArn: begun!.ExportArn! });
      const lines = await output(python, [script, bucket, ExportDescription!.ExportManifest!]);
      return lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    await put('all', {
      ...{ n: { N: '-1.25' }, b: { B: new Uint8Array([0, 255]) }, yes: { BOOL: true }, no: { NULL: true } },
      ...{ ss: { SS: ['b', 'a'] }, ns: { NS: ['2', '1'] }, bs: { BS: [new Uint8Array([7])] } },
      ...{ m: { M: { l: { L: [{ S: 'é "x"\n' }] } } }, empty: { S: '' } },
    });
    await put('other');
    const full = await exported({});
    expect(full.map(({ Item }) => Item)).toContainEqual({
      ...{ pk: 'all', n: '-1.25', b: 'AP8=', yes: true, no: null, empty: '' },
      ...{ ss: ['a', 'b'], ns: ['1', '2'], bs: ['Bw=='], m: { l: ['é "x"\n'] } },
    });
    expect(full).toHaveLength(2);
    clock.advanceMs(60_000);
    const from = clock.nowMicros();
    await put('other', { v: { S: '2' } });
    await db.deleteItem({ TableName, Key: { pk: { S: 'all' } } });
    clock.advanceMs(20 * 60_000);
    const changes = await exported({
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: {
        ...{ ExportFromTime: from / 1e6, ExportToTime: clock.nowMicros() / 1e6 },
      },
    });
    const byKey = new Map(changes.map((change) => [(change.Keys as { pk: string }).pk, change]));
    expect(byKey.get('other')).toMatchObject({
      ...{ OldImage: { pk: 'other' }, NewImage: { pk: 'other', v: '2' } },
    });
    expect(Number(byKey.get('other')!.micros)).toBeGreaterThanOrEqual(from);
    expect(byKey.get('all')).toMatchObject({ OldImage: { pk: 'all' } });
    expect(byKey.get('all')).not.toHaveProperty('NewImage');
  });
});
