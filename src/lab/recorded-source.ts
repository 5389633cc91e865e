import type { Request } from '../design/index.ts';
import { defaultRetryMode, type RetryMode, sdkPolicies } from '../kit/sdk-policies.ts';
import type { RequestLine, TrafficHeader } from '../traffic/traffic-file.ts';
import type { Job } from '../workload/feed.ts';
import { Seeded } from '../workload/seeded.ts';
import type { LabSource } from './lab-source.ts';
import { type LabTable, labTableOf } from './table-requests.ts';

export interface RecordedSourceOptions {
  readonly name: string;
  readonly header: TrafficHeader;
  readonly lines: readonly RequestLine[];
  readonly tables?: readonly LabTable[] | undefined;
  readonly clients?: number | undefined;
  readonly retry?: RetryMode | undefined;
  readonly attempts?: number | undefined;
}

/**
 * Recorded requests, at their times. A scale of ten sends each line ten times within the second after its own, so that keys
 * are ten times as hot; a scale of a half leaves out half of the lines. A copy of a put with a sort key writes an item
 * beside the recorded one.
 */
export function recordedSource(options: RecordedSourceOptions): LabSource {
  const { name, header, lines, retry = defaultRetryMode } = options;
  const tables = options.tables ?? (header.tables ?? []).map((table) => labTableOf(createRequestOf(table)));
  const sortKeys = new Map(tables.map(({ name: table, keyNames }) => [table, keyNames[1]]));
  const seconds = Math.max(1, Math.ceil((lines.at(-1)?.at ?? 0) / 1000));
  return {
    ...{ name, seconds, change: 'The requests as they were recorded.' },
    startMs: Math.floor(Date.parse(header.startedAt) / 60_000) * 60_000,
    clients: options.clients ?? 16,
    retry,
    attempts: options.attempts ?? sdkPolicies[retry].attemptsMax,
    tables,
    does: new Map(),
    times: new Map(),
    load: async () => 0,
    feed({ seed, scale }) {
      const random = new Seeded(seed, 'recorded');
      const jobs: { readonly job: Job; readonly atMs: number }[] = [];
      for (const line of lines) {
        const copies = Math.floor(scale) + (random.chance(scale - Math.floor(scale)) ? 1 : 0);
        for (let copy = 0; copy < copies; copy++) {
          const atMs = copy === 0 ? line.at : Math.round((line.at + random.next() * 1000) * 1000) / 1000;
          const request = copy === 0 ? requestOf(line) : copied(line, copy, sortKeys);
          const pattern = line.pattern ?? line.op;
          const round = { requests: [request], next: () => ({ result: {} }) };
          jobs.push({ atMs, job: { atMs, pattern, begin: () => ({ round }) } });
        }
      }
      jobs.sort((a, b) => a.atMs - b.atMs);
      let at = 0;
      return { next: () => jobs[at++]?.job };
    },
  };
}

function requestOf({ op, input }: RequestLine): Request {
  return { operation: op, input } as unknown as Request;
}

function copied(line: RequestLine, copy: number, sortKeys: ReadonlyMap<string, string | undefined>): Request {
  const { TableName, Item } = line.input as {
    readonly TableName?: string;
    readonly Item?: Readonly<Record<string, { readonly S?: string }>>;
  };
  const sortKey = TableName === undefined ? undefined : sortKeys.get(TableName);
  const value = sortKey === undefined ? undefined : Item?.[sortKey]?.S;
  if (line.op !== 'PutItem' || value === undefined) return requestOf(line);
  return requestOf({
    ...line,
    input: { ...line.input, Item: { ...Item, [sortKey!]: { S: `${value}~${copy}` } } },
  });
}

/** What DescribeTable answers, as a CreateTable request. */
function createRequestOf(description: object): object {
  const given = description as {
    readonly TableName: string;
    readonly KeySchema: object;
    readonly AttributeDefinitions: object;
    readonly BillingModeSummary?: { readonly BillingMode?: string };
    readonly ProvisionedThroughput?: {
      readonly ReadCapacityUnits?: number;
      readonly WriteCapacityUnits?: number;
    };
    readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
    readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  };
  const isProvisioned = (given.ProvisionedThroughput?.WriteCapacityUnits ?? 0) > 0;
  const units = (of: { readonly ProvisionedThroughput?: typeof given.ProvisionedThroughput }) =>
    isProvisioned
      ? {
          ProvisionedThroughput: {
            ReadCapacityUnits: of.ProvisionedThroughput?.ReadCapacityUnits ?? 1,
            WriteCapacityUnits: of.ProvisionedThroughput?.WriteCapacityUnits ?? 1,
          },
        }
      : {};
  const { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } = given;
  return {
    ...{ TableName, KeySchema, AttributeDefinitions },
    BillingMode: isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...units(given),
    ...(GlobalSecondaryIndexes?.length && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({ ...indexOf(index), ...units(index) })),
    }),
    ...(LocalSecondaryIndexes?.length && { LocalSecondaryIndexes: LocalSecondaryIndexes.map(indexOf) }),
  };
}

interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: object;
  readonly Projection: object;
  readonly ProvisionedThroughput?: {
    readonly ReadCapacityUnits?: number;
    readonly WriteCapacityUnits?: number;
  };
}

function indexOf({ IndexName, KeySchema, Projection }: IndexDescription): object {
  return { IndexName, KeySchema, Projection };
}
