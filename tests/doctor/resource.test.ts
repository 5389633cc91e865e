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
});
