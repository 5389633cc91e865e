import { afterEach, describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../src/doctor/index.ts';
import { Stator, VirtualClock } from '../../src/index.ts';

const open: Stator[] = [];

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

describe('GET /_stator/doctor', () => {
  it('answers findings as plain data, with what it could not see and what it cost', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1, 12));
    const db = await Stator.open({ observe: true, physics: 'shadow', clock });
    open.push(db);
    await db.createTable({
      TableName: 'Tracking',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await db.settled();
    clock.advanceMs(60_000);
    await db.settled();
    for (let i = 0; i < 3_000; i++)
      await db.putItem({ TableName: 'Tracking', Item: { pk: { S: 'SHIPMENT#881' } } });
    const { url } = await db.listen({ port: 0 });
    const answer = await fetch(`${url}/_stator/doctor?table=Tracking`);
    const report = (await answer.json()) as DoctorReport;
    expect(answer.status).toBe(200);
    expect(report.findings[0]).toMatchObject({
      ...{ id: 'hot-partition', severity: 'warning', table: 'Tracking', key: 'SHIPMENT#881' },
      runbook: 'docs/runbooks/hot-partition.md',
    });
    expect(report.findings[0]!.evidence.join()).toMatch(/SHIPMENT#881 asked for 3,000 write units a second/);
    expect(report.notSeen).toEqual([]);
    expect(report.consumed.readUnits).toBeLessThanOrEqual(10);
    expect(report.tables).toEqual(['Tracking']);
    // The doctor's own Scan is no access pattern of a program.
    expect((await fetch(`${url}/_stator/doctor?budget=x`)).status).toBe(400);
  });

  it('reads nothing again of tables that nobody has used, and sees at once who is used or changed', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1, 12));
    const db = await Stator.open({ observe: true, physics: 'shadow', clock });
    open.push(db);
    for (const TableName of ['Idle', 'Used'])
      await db.createTable({
        TableName,
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      });
    for (let i = 0; i < 100; i++)
      for (const TableName of ['Idle', 'Used']) await db.putItem({ TableName, Item: { pk: { S: `a${i}` } } });
    const { url } = await db.listen({ port: 0 });
    const look = async () => {
      clock.advanceMs(10_000);
      await db.settled();
      return (await (await fetch(`${url}/_stator/doctor`)).json()) as DoctorReport;
    };
    const idsOf = ({ findings }: DoctorReport, table: string) =>
      findings.filter((one) => one.table === table).map(({ id }) => id);
    // The first looks age differently, and the doctor's own samples are counted once.
    let report = await look();
    const first = report.findings;
    for (let i = 0; i < 40 && (i < 5 || report.consumed.metrics > 0); i++) report = await look();
    expect(report.consumed).toMatchObject({ readUnits: 0, metrics: 0 });
    expect(report.findings).toEqual(first);
    for (let i = 0; i < 40; i++) await db.scan({ TableName: 'Used' });
    report = await look();
    expect(idsOf(report, 'Used')).toContain('scan-on-hot-path');
    expect(idsOf(report, 'Idle')).toEqual(first.filter(({ table }) => table === 'Idle').map(({ id }) => id));
    expect(idsOf(report, 'Idle')).toContain('no-recovery');
    await db.updateContinuousBackups({
      TableName: 'Idle',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    clock.advanceMs(50_000);
    expect(idsOf(await look(), 'Idle')).not.toContain('no-recovery');
    // A put is refused before its table is looked at, and is told by its key all the same.
    const Item = { pk: { S: 'whale' }, all: { S: 'x'.repeat(410_000) } };
    await expect(db.putItem({ TableName: 'Used', Item })).rejects.toThrow('Item size');
    report = await look();
    expect(report.findings[0]).toMatchObject({ id: 'item-too-large', table: 'Used', key: 'whale' });
  });
});
