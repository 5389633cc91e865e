import type { Answer, ItemJson, Request } from '../design/index.ts';
import type { ErrorClass } from '../kit/error-class.ts';
import { pauseAfter, type RetryPolicy } from '../kit/retry-policy.ts';
import { toolPolicies } from '../kit/tool-policies.ts';
import { UnprocessedError } from './errors.ts';

/** What is needed of a client of the AWS SDK: `DynamoDBClient` has it. */
export interface SdkClient {
  send(command: never): Promise<unknown>;
  readonly middlewareStack: { add(middleware: never, options: never): void };
}

/** The command classes of `@aws-sdk/client-dynamodb`, by name. */
export type SdkCommands = Readonly<Record<CommandName, new (input: never) => unknown>>;
type CommandName = `${Request['operation'] | 'BatchWriteItem'}Command`;

export interface SenderOptions {
  readonly client: SdkClient;
  readonly commands?: SdkCommands | undefined;
  readonly wait: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export interface BatchWrite {
  readonly operation: 'BatchWriteItem';
  readonly input: Readonly<Record<string, unknown>>;
}

/** Where an input carries the name of its pattern through the SDK's middleware. */
const label = Symbol('pattern');

interface Build {
  readonly input: { readonly [label]?: string };
  readonly request: { readonly headers?: Record<string, string> };
}

/** The header by which a server tells the requests of patterns apart. */
const labelHeader = 'x-stator-pattern';

function labelled(next: (args: Build) => unknown) {
  return (args: Build) => {
    const name = args.input[label];
    if (name !== undefined && args.request.headers !== undefined) args.request.headers[labelHeader] = name;
    return next(args);
  };
}

/** Sends requests with the SDK's client, each under the name of its pattern. */
export class Sender {
  readonly #client: SdkClient;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #random: () => number;
  #commands: SdkCommands | undefined;

  constructor({ client, commands, wait, random }: SenderOptions) {
    this.#client = client;
    this.#commands = commands;
    this.#wait = wait;
    this.#random = random;
    // In front of the signature. Several apps over one client share the middleware.
    client.middlewareStack.add(
      labelled as never,
      { step: 'build', priority: 'low', name: 'statorPattern', override: true } as never,
    );
  }

  /** A text that no other call has. */
  draw(): string {
    return String(this.#random());
  }

  async send(pattern: string, request: Request | BatchWrite): Promise<Answer> {
    const commands = this.#commands ?? (await this.#load());
    if (request.operation === 'BatchGetItem') return this.#batchGet(pattern, commands, request.input);
    return this.#one(pattern, commands, request.operation, request.input) as Promise<Answer>;
  }

  /** Writes a batch until the service has taken all of it; `behind` it so many items wait. */
  async batchWrite(
    pattern: string,
    table: string,
    items: readonly ItemJson[],
    behind: number,
  ): Promise<void> {
    const commands = this.#commands ?? (await this.#load());
    let left: readonly unknown[] = items.map((Item) => ({ PutRequest: { Item } }));
    for (let attempt = 1; left.length > 0; attempt++) {
      const answer = await this.#one(pattern, commands, 'BatchWriteItem', {
        RequestItems: { [table]: left },
      });
      const { UnprocessedItems } = answer as { UnprocessedItems?: Record<string, unknown[]> };
      left = UnprocessedItems?.[table] ?? [];
      if (left.length > 0) await this.#pause(pattern, left.length + behind, attempt);
    }
  }

  /** Reads a batch until the service has answered all of it. */
  async #batchGet(pattern: string, commands: SdkCommands, input: Request['input']): Promise<Answer> {
    const found: Record<string, ItemJson[]> = {};
    let asked = input.RequestItems as NonNullable<Answer['UnprocessedKeys']>;
    for (let attempt = 1; ; attempt++) {
      const sent = { ...input, RequestItems: asked };
      const answer = (await this.#one(pattern, commands, 'BatchGetItem', sent)) as Answer;
      for (const [table, items] of Object.entries(answer.Responses ?? {})) {
        found[table] ??= [];
        found[table].push(...items);
      }
      asked = answer.UnprocessedKeys ?? {};
      const left = Object.values(asked).reduce((sum, { Keys }) => sum + (Keys?.length ?? 0), 0);
      if (left === 0) return { Responses: found };
      await this.#pause(pattern, left, attempt);
    }
  }

  #one(
    pattern: string,
    commands: SdkCommands,
    operation: Request['operation'] | 'BatchWriteItem',
    input: Request['input'],
  ): Promise<unknown> {
    const carried = { ...input, [label]: pattern };
    return this.#client.send(new commands[`${operation}Command`](carried as never) as never);
  }

  /** Longer each time, and never twice the same, so that callers who were refused together do not return together. */
  async #pause(pattern: string, left: number, attempt: number): Promise<void> {
    if (!(await this.pause(toolPolicies.clientBatch, 'throttled', attempt)))
      throw new UnprocessedError(pattern, left, attempt);
  }

  /** Waits as a policy says; false if it allows no further attempt. */
  async pause(policy: RetryPolicy, error: ErrorClass, attempt: number): Promise<boolean> {
    const ms = pauseAfter(policy, error, attempt, this.#random);
    if (ms === undefined) return false;
    await this.#wait(ms);
    return true;
  }

  async #load(): Promise<SdkCommands> {
    this.#commands = (await import('@aws-sdk/client-dynamodb')) as unknown as SdkCommands;
    return this.#commands;
  }
}
