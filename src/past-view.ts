import { dynamoDbServices } from './dynamodb-service.ts';
import type { Engine } from './engine/engine.ts';
import { pastEngine } from './engine/history/past-engine.ts';
import { processCaller } from './engine/process-caller.ts';
import { shown } from './model/check-options.ts';
import { DynamoError } from './model/errors.ts';
import allOperations from './operations/all-operations.ts';
import { emptyBody, type NamedHandler, RawJson } from './operations/operation.ts';
import { newAnswerReader } from './plain/from-wire.ts';
import { type CallOptions, callPlain, defaultAccountId, type PlainDeps } from './plain/plain-call.ts';
import { PlainMethods } from './plain/plain-methods.ts';
import { ServiceError } from './plain/service-error.ts';
import { clientConfig, sdkClient, sdkDocumentClient } from './sdk/sdk-client.ts';
import type {
  DynamoDBClient,
  DynamoDBClientConfig,
  DynamoDBDocumentClient,
  TranslateConfig,
} from './sdk/sdk-types.ts';
import { MemoryStore } from './storage/memory/memory-store.ts';
import { openDoor } from './wire/authenticate.ts';
import type { JudgedRequester } from './wire/pages.ts';
import { bodyBytes } from './wire/reply-body.ts';
import { RequestHandler } from './wire/request-handler.ts';

/** The present database, as a view of its past needs it. */
export interface Present extends PlainDeps {
  readonly log: (line: string) => void;
  nowMs(): number;
}

/** A time: milliseconds since 1970, a date, or a text that `Date.parse` reads. */
export type PastTime = number | Date | string;

/**
 * A database as it was at a time: tables with point-in-time recovery, with the items of that moment. Every operation
 * that reads works, in process and by clients of the SDK; all others are refused.
 */
export class PastView extends PlainMethods {
  readonly region: string;
  /** The time that the view shows, in milliseconds since 1970. */
  readonly atMs: number;
  readonly #present: Present;
  readonly #engine: Engine;
  readonly #answers = newAnswerReader();
  #requests: RequestHandler | undefined;

  constructor(present: Present, atMs: number) {
    super();
    this.region = present.region;
    this.atMs = atMs;
    this.#present = present;
    this.#engine = pastEngine(present.engine, atMs, {
      log: present.log,
      newStore: () => new MemoryStore(),
    });
  }

  nowMs(): number {
    return this.#present.nowMs();
  }

  /** A client of the AWS SDK that reads the past. */
  client(config?: DynamoDBClientConfig): DynamoDBClient {
    return sdkClient(this, config);
  }

  documentClient(config?: DynamoDBClientConfig, translateConfig?: TranslateConfig): DynamoDBDocumentClient {
    return sdkDocumentClient(this, config, translateConfig);
  }

  clientConfig(config?: DynamoDBClientConfig): DynamoDBClientConfig {
    return clientConfig(this, config);
  }

  get requests(): RequestHandler {
    const { log, logFailure } = this.#present;
    this.#requests ??= new RequestHandler({
      services: dynamoDbServices(() => this.#engine),
      authenticate: openDoor(),
      authorize: this.#present.authorize,
      random: this.#engine.runtime.words,
      region: this.region,
      log,
      logFailure,
    });
    return this.#requests;
  }

  /**
   * The answer of an operation as JSON, as it would travel, judged as the requester's, else as this process's own. Rejects
   * with a `ServiceError` if it is refused.
   */
  async json(
    operation: 'GetItem' | 'Query' | 'Scan',
    input: object,
    { region = this.region, accountId = defaultAccountId }: CallOptions = {},
    requester?: JudgedRequester,
  ): Promise<Uint8Array> {
    const requestId = this.#present.newRequestId();
    const own = { accessKeyId: 'stator', authorize: this.#present.authorize };
    const caller = { ...processCaller({ accountId, region, ...own, requestId }), ...sender(requester) };
    const answer = await readers[operation].handle(this.#engine, input, caller);
    if (answer instanceof DynamoError) throw new ServiceError(answer, requestId);
    if (answer instanceof RawJson) return bodyBytes(answer.chunks);
    return Buffer.from(answer === emptyBody ? '{}' : JSON.stringify(answer));
  }

  protected override call<Output>(
    operation: NamedHandler,
    input: object,
    options?: CallOptions,
  ): Promise<Output> {
    const deps = {
      engine: this.#engine,
      region: this.region,
      authorize: this.#present.authorize,
      newRequestId: () => this.#present.newRequestId(),
      logFailure: this.#present.logFailure,
    };
    return callPlain(deps, operation, input, options, this.#answers);
  }
}

const { getItem, query, scan } = allOperations.DynamoDB_20120810;
const readers: Readonly<Record<'GetItem' | 'Query' | 'Scan', NamedHandler>> = {
  GetItem: getItem,
  Query: query,
  Scan: scan,
};

/** For whom an operation runs: its key, its principal and its authorizer, in the account and Region that it means. */
function sender(requester: JudgedRequester | undefined) {
  if (requester === undefined) return {};
  const { accessKeyId, principal, authorize } = requester;
  return { accessKeyId, principal, authorize };
}

const timeExamples = "new Date(), Date.now() or '2026-11-18T09:00:00Z'";

/** Reads a time. A wrong one is a mistake in the program. */
export function readPastTime(time: PastTime, takes: string): number {
  const ms = typeof time === 'number' ? time : time instanceof Date ? time.getTime() : Date.parse(time);
  if (Number.isFinite(ms) && ms >= 0) return Math.floor(ms);
  throw new TypeError(`${takes} a time, such as ${timeExamples}, and not ${shown(time)}`);
}
