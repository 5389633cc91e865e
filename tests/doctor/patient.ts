import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DoctorReport, Finding } from '../../src/doctor/index.ts';
import { Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';

const open: Stator[] = [];
const reports = new Map<Patient, DoctorReport>();

/** A database under enforced physics, with its clock and a client that tries everything once. */
export interface Patient {
  readonly db: Stator;
  readonly clock: VirtualClock;
  readonly client: DynamoDBClient;
  readonly url: string;
  /** Moves the clock and lets the work of the background run. */
  pass(ms: number): Promise<void>;
  doctor(query?: string): Promise<DoctorReport>;
}

export async function patient(options: StatorOptions = {}): Promise<Patient> {
  const clock = (options.clock as VirtualClock | undefined) ?? new VirtualClock(Date.UTC(2026, 10, 18, 9));
  const db = await Stator.open({ seed: 5, observe: true, physics: 'enforce', ...options, clock });
  open.push(db);
  const { url } = await db.listen({ port: 0 });
  const made: Patient = {
    ...{ db, clock, url, client: db.client({ maxAttempts: 1 }) },
    async pass(ms) {
      clock.advanceMs(ms);
      await db.settled();
    },
    async doctor(query = '') {
      const answer = await fetch(`${url}/_stator/doctor${query}`);
      if (answer.status !== 200) throw new Error(await answer.text());
      const report = (await answer.json()) as DoctorReport;
      reports.set(made, report);
      return report;
    },
  };
  return made;
}

/** What the doctor said last of each patient that is still here. */
export function lastReports(): readonly (readonly [Patient, DoctorReport])[] {
  return [...reports];
}

export async function dismissPatients(): Promise<void> {
  reports.clear();
  for (const db of open.splice(0)) await db.close();
}

/** Creates a table with text keys `pk` and `sk`, and waits until it is there. */
export async function withTable(
  { client, pass }: Patient,
  more: Partial<CreateTableCommandInput> & { readonly TableName: string },
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      BillingMode: more.ProvisionedThroughput === undefined ? 'PAY_PER_REQUEST' : 'PROVISIONED',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      ...more,
    }),
  );
  await pass(60_000);
}

export type Values = Readonly<Record<string, string | number>>;

/** Texts become S, numbers N. */
export function itemOf(values: Values): Record<string, { S: string } | { N: string }> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  );
}

export async function put(client: DynamoDBClient, TableName: string, values: Values): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item: itemOf(values) }));
}

/** Whether a request succeeded. */
export async function tried(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch {
    return false;
  }
}

/** The findings without those about settings, which a table in a test lacks on purpose. */
export function symptoms({ findings }: DoctorReport): readonly Finding[] {
  return findings.filter(({ id }) => id !== 'no-recovery' && id !== 'alarms-missing');
}

export function named(report: DoctorReport, id: string): Finding {
  const found = report.findings.find((each) => each.id === id);
  if (found === undefined)
    throw new Error(`${id} was not found, only ${report.findings.map((each) => each.id).join(', ')}`);
  return found;
}
