import { property, string } from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import type { RequestEvent } from '../engine/events.ts';
import { processCaller } from '../engine/process-caller.ts';
import { RequestLog } from './request-log.ts';

let lines: string[];
let warnings: string[];
const time = '2026-11-19T21:00:00.000Z';
const newLog = (format: 'text' | 'json' = 'text', log: 'requests' | 'errors' = 'requests') =>
  new RequestLog({
    ...{ log, format, now: () => new Date(time) },
    write: (line) => lines.push(line),
    warn: (line) => warnings.push(line),
  });

const event = (changes: Partial<RequestEvent> & { readonly input?: unknown }): RequestEvent => ({
  operation: 'DescribeBackup',
  caller: {
    ...processCaller({
      ...{ accountId: '111122223333', region: 'us-east-1', accessKeyId: 'AKIAREPORT', requestId: 'R1' },
      authorize: undefined,
    }),
    address: '10.0.0.7',
  },
  ...{ input: {}, touches: [], charges: [], returnedItems: 0, readItems: 0, readBytes: 0 },
  ...{ durationMs: 1.25, outcome: { kind: 'answered' }, pattern: undefined },
  ...{ isInjected: false, isReplay: false, isStale: false },
  ...changes,
});

beforeEach(() => {
  lines = [];
  warnings = [];
});

describe('a line of the request log', () => {
  it('names resource, outcome, account, key and address', () => {
    newLog().request(
      event({ input: { BackupArn: 'arn:aws:dynamodb:us-east-1:111122223333:table/T/backup/01' } }),
    );
    expect(lines).toEqual([
      `${time} DescribeBackup arn:aws:dynamodb:us-east-1:111122223333:table/T/backup/01 200 1.25 ms account=111122223333 key=AKIAREPORT from=10.0.0.7 R1`,
    ]);
    newLog('json').request(event({ input: { TableName: 'T' } }));
    expect(JSON.parse(lines[1]!)).toMatchObject({
      ...{ resource: 'T', account: '111122223333', accessKeyId: 'AKIAREPORT', address: '10.0.0.7' },
    });
  });

  it('names the key that a refused request claims, and does not call it the sender', () => {
    newLog('text', 'errors').refused({
      ...{ target: 'DynamoDB_20120810.PutItem', status: 400, reason: 'InvalidSignatureException' },
      ...{ requestId: 'R2', claimedKeyId: 'AKIASTOLEN', address: '::1' },
    });
    expect(lines).toEqual([
      `${time} PutItem - 400 InvalidSignatureException 0 ms claimed-key=AKIASTOLEN from=::1 R2`,
    ]);
    expect(warnings).toEqual([
      'A request for DynamoDB_20120810.PutItem was refused: InvalidSignatureException, request R2, key AKIASTOLEN, from ::1.',
    ]);
  });

  it('is written for requests to the control API', () => {
    const caller = { accountId: '000000000000', accessKeyId: 'AKIAADMIN' };
    const control = { method: 'POST', path: '/_stator/reset', status: 204, durationMs: 2, address: '::1' };
    newLog().control({ ...control, caller });
    newLog('text', 'errors').control({ ...control, caller });
    newLog('text', 'errors').control({ ...control, status: 403, caller: undefined });
    expect(lines).toEqual([
      `${time} POST /_stator/reset 204 2 ms account=000000000000 key=AKIAADMIN from=::1 -`,
      `${time} POST /_stator/reset 403 2 ms from=::1 -`,
    ]);
  });

  it('gets neither a line nor a word from what clients choose', () => {
    const words = (line: string) => line.replaceAll(/"(?:[^"\\]|\\.)*"/g, 'quoted').split(' ').length;
    const forged = 'x\n2026-11-19T21:00:00.000Z PutItem Orders 200';
    const texts = property(string({ unit: 'binary', minLength: 1, maxLength: 30 }), (text) => {
      for (const chosen of [text, `${forged}${text}`, `\u001b[2K${text}\u2028`]) {
        lines = [];
        const log = newLog();
        log.request(event({ input: { TableName: chosen }, pattern: `p${chosen}` }));
        log.refused({
          ...{ target: `X.${chosen.replaceAll('.', '')}`, status: 400, reason: 'SerializationException' },
          ...{ requestId: 'R', claimedKeyId: chosen, address: '::1' },
        });
        log.control({
          ...{ method: 'GET', path: `/_stator/${chosen}`, status: 404, durationMs: 0 },
          ...{ caller: undefined, address: '::1' },
        });
        expect(lines.map(words)).toEqual([11, 10, 8]);
        for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u);
      }
    });
    assertProperty(texts, { numRuns: 50 });
  });
});
