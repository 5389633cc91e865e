import {
  type Deliverer,
  deliveryMsMax,
  noSuchStream,
  type OutgoingRecord,
  type RecordOutcome,
} from '../engine/destinations/deliverer.ts';
import { kinesisLimits } from '../model/limits.ts';
import { isMissingPackage } from '../model/missing-package.ts';
import { type KinesisArn, parseKinesisArn } from '../model/tables/kinesis-arn.ts';
import { machine } from '../runtime/machine/machine.ts';
import { FetchHandler } from './fetch-handler.ts';

export interface StreamDelivererOptions {
  /** The URL of a Kinesis endpoint, or `aws` for the real one in the stream's Region. */
  readonly endpoint: string;
  readonly credentials?: KinesisCredentials;
}

/** Credentials for Kinesis, as AWS issues them. */
export interface KinesisCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What of the SDK's package is used. */
type KinesisPackage = typeof import('@aws-sdk/client-kinesis');
type Client = InstanceType<KinesisPackage['KinesisClient']>;

/**
 * Puts records into the streams of a Kinesis endpoint with the AWS SDK, which is loaded when it is first needed. Nothing
 * is tried again here: that is the delivery's affair, which must not lose the order.
 */
export class StreamDeliverer implements Deliverer {
  readonly recordsMax = kinesisLimits.recordsPerRequestMax;
  readonly bytesMax = kinesisLimits.requestBytesMax;
  readonly #options: StreamDelivererOptions;
  /** By Region. */
  readonly #clients = new Map<string, Client>();
  #package: Promise<KinesisPackage> | undefined;

  constructor(options: StreamDelivererOptions) {
    this.#options = options;
  }

  async check(streamArn: string, signal: AbortSignal): Promise<string | undefined> {
    const arn = parseKinesisArn(streamArn)!;
    try {
      const sdk = await this.#sdk();
      const client = await this.#client(arn);
      const request = new sdk.DescribeStreamSummaryCommand({
        StreamName: arn.streamName,
        StreamARN: streamArn,
      });
      const { StreamDescriptionSummary: stream } = await inTime(signal, (abortSignal) =>
        client.send(request, { abortSignal }),
      );
      const status = stream?.StreamStatus;
      return status === 'CREATING' || status === 'DELETING' ? noSuchStream : undefined;
    } catch (error) {
      if (error instanceof MissingPackage) return error.message;
      if (neverNames.has(nameOf(error))) return noSuchStream;
      throw error;
    }
  }

  async deliver(
    streamArn: string,
    records: readonly OutgoingRecord[],
    signal: AbortSignal,
  ): Promise<readonly RecordOutcome[]> {
    const arn = parseKinesisArn(streamArn)!;
    const fitting = records.filter((record) => bytesOf(record) <= kinesisLimits.recordBytesMax);
    const answers = new Map(records.map((record): [OutgoingRecord, RecordOutcome] => [record, 'refused']));
    if (fitting.length > 0) {
      const sdk = await this.#sdk();
      const client = await this.#client(arn);
      const request = new sdk.PutRecordsCommand({
        StreamName: arn.streamName,
        StreamARN: streamArn,
        Records: fitting.map(({ partitionKey, data }) => ({ PartitionKey: partitionKey, Data: data })),
      });
      const results = await inTime(signal, (abortSignal) => client.send(request, { abortSignal })).then(
        ({ Records = [] }) => Records,
        (error: unknown) => {
          // The whole request was throttled: nothing of it was taken.
          if (!throttleNames.has(nameOf(error))) throw error;
          return fitting.map(() => ({ ErrorCode: nameOf(error) }));
        },
      );
      for (const [i, record] of fitting.entries()) answers.set(record, outcomeOf(results[i]));
    }
    return records.map((record) => answers.get(record)!);
  }

  async #client({ region }: KinesisArn): Promise<Client> {
    const known = this.#clients.get(region);
    if (known !== undefined) return known;
    const { KinesisClient } = await this.#sdk();
    const { endpoint, credentials } = this.#options;
    const isAws = endpoint === 'aws';
    const own = credentials ?? (isAws || isOfAws(endpoint) ? undefined : anyone);
    const client = new KinesisClient({
      region,
      maxAttempts: 1,
      requestHandler: new FetchHandler() as never,
      ...(!isAws && { endpoint }),
      ...(own && { credentials: own }),
    });
    this.#clients.set(region, client);
    return client;
  }

  #sdk(): Promise<KinesisPackage> {
    this.#package ??= import('@aws-sdk/client-kinesis').catch((error: unknown) => {
      this.#package = undefined;
      if (!isMissingPackage(error)) throw error;
      throw new MissingPackage(error);
    });
    return this.#package;
  }
}

/** Nothing changes about it while the process runs. */
class MissingPackage extends Error {
  constructor(cause: unknown) {
    super(
      'This needs the package @aws-sdk/client-kinesis, which is not installed: npm install @aws-sdk/client-kinesis',
      { cause },
    );
  }
}

/** Runs something that ends when the signal is given, or when its time is up. */
async function inTime<Result>(
  signal: AbortSignal,
  run: (either: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const off = new AbortController();
  const end = () => off.abort();
  const cancel = machine.timer(deliveryMsMax, end);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await run(off.signal);
  } catch (error) {
    if (!off.signal.aborted || signal.aborted) throw error;
    throw new Error(`There was no answer for ${deliveryMsMax / 1000} seconds`, { cause: error });
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
  }
}

/** What an endpoint answers about a stream that is not there, or not for us. */
const neverNames: ReadonlySet<string> = new Set([
  'ResourceNotFoundException',
  'AccessDeniedException',
  'ValidationException',
  'InvalidArgumentException',
]);

/** What an endpoint answers, for a record or for all of a request, when the stream takes no more at the moment. */
const throttleNames: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'LimitExceededException',
  'ThrottlingException',
]);

function outcomeOf(result: { readonly ErrorCode?: string | undefined } | undefined): RecordOutcome {
  if (result === undefined) return 'failed';
  // Some endpoints say null where there was no error.
  if (!result.ErrorCode) return 'delivered';
  return throttleNames.has(result.ErrorCode) ? 'throttled' : 'failed';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function bytesOf({ partitionKey, data }: OutgoingRecord): number {
  return partitionKey.length + data.length;
}

/** Endpoints that are not Amazon's take any credentials, but the SDK needs some. */
const anyone: KinesisCredentials = { accessKeyId: 'stator', secretAccessKey: 'stator' };

function isOfAws(endpoint: string): boolean {
  return /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
}
