import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a consumer of a stream gets. */
export interface TakenRecord {
  readonly partitionKey: string;
  readonly data: {
    readonly awsRegion: string;
    readonly eventID: string;
    readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
    readonly userIdentity: unknown;
    readonly recordFormat: string;
    readonly tableName: string;
    readonly dynamodb: {
      readonly ApproximateCreationDateTime: number;
      readonly Keys: Record<string, object>;
      readonly NewImage?: Record<string, object>;
      readonly OldImage?: Record<string, object>;
      readonly SizeBytes: number;
      readonly ApproximateCreationDateTimePrecision?: string;
    };
    readonly eventSource: string;
  };
}

interface PutRecords {
  readonly StreamName: string;
  readonly StreamARN: string;
  readonly Records: { readonly PartitionKey: string; readonly Data: string }[];
}

/** How a request to put records is answered; what is taken is taken before the answer. */
export type Manner =
  /** Takes the records for which this holds and throttles the others. */
  | { readonly kind: 'takes'; readonly isTaken: (index: number) => boolean }
  /** Takes nothing. */
  | { readonly kind: 'refuses'; readonly status: number; readonly type: string }
  /** Takes everything and hangs up without a word. */
  | { readonly kind: 'hangs-up' }
  /** Takes everything and answers when told to. */
  | { readonly kind: 'waits'; readonly until: Promise<unknown> };

export const takesAll: Manner = { kind: 'takes', isTaken: () => true };

/** A Kinesis endpoint of one process: JSON 1.1 over HTTP/1.1, streams that exist, and answers as a test wants them. */
export class FakeKinesis {
  readonly streams = new Map<string, 'ACTIVE' | 'CREATING' | 'DELETING'>([['orders', 'ACTIVE']]);
  readonly taken: TakenRecord[] = [];
  /** The partition keys of each request, as they came. */
  readonly requests: string[][] = [];
  manner: () => Manner = () => takesAll;
  readonly #waiting = new Set<() => void>();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<FakeKinesis> {
    const fake = new FakeKinesis();
    await fake.open();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  arn(stream = 'orders', region = 'us-east-1'): string {
    return `arn:aws:kinesis:${region}:000000000000:stream/${stream}`;
  }

  /** Listens, again on the same port once it has had one. */
  async open(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Nobody listens any more: connections are refused. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** Resolves when this holds; looked at with every request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as PutRecords;
    const target = String(request.headers['x-amz-target']);
    if (
      !/^Kinesis_20131202\./.test(target) ||
      request.headers['content-type'] !== 'application/x-amz-json-1.1'
    )
      return reply(response, 400, { __type: 'UnknownOperationException', message: target });
    const status = this.streams.get(body.StreamName);
    if (status === undefined)
      return reply(response, 400, { __type: 'ResourceNotFoundException', message: body.StreamName });
    if (target.endsWith('.DescribeStreamSummary'))
      return reply(response, 200, { StreamDescriptionSummary: { StreamStatus: status } });
    await this.#put(body, response);
  }

  async #put({ Records: records }: PutRecords, response: ServerResponse): Promise<void> {
    this.requests.push(records.map(({ PartitionKey }) => PartitionKey));
    const manner = this.manner();
    const isTaken = records.map((_, i) =>
      manner.kind === 'takes' ? manner.isTaken(i) : manner.kind !== 'refuses',
    );
    for (const [i, { PartitionKey, Data }] of records.entries())
      if (isTaken[i])
        this.taken.push({
          partitionKey: PartitionKey,
          data: JSON.parse(Buffer.from(Data, 'base64').toString()) as TakenRecord['data'],
        });
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
    if (manner.kind === 'hangs-up') return void response.destroy();
    if (manner.kind === 'refuses')
      return reply(response, manner.status, { __type: manner.type, message: 'no' });
    if (manner.kind === 'waits') await manner.until;
    reply(response, 200, {
      FailedRecordCount: isTaken.filter((each) => !each).length,
      Records: isTaken.map((each, i) =>
        each
          ? { SequenceNumber: String(i), ShardId: 'shardId-000000000000' }
          : { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded for shard' },
      ),
    });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
}
