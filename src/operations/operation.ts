import type { Engine } from '../engine/engine.ts';
import { DynamoError } from '../model/errors.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { StoredList } from '../model/stored-list.ts';
import type { InputShape } from './shapes/input-shape.ts';
import type { OperationName } from './shapes/validation-layer.ts';
import { unlessStruck } from './struck-by-fault.ts';

/** Who asks. The same for every door; HTTP fills it from the signature, an embedded caller as it likes. */
export interface Caller {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly requestId: string;
  /** A header of the request, by its lower-case name; DescribeEndpoints tells the host that was asked. */
  header(name: string): string | undefined;
}

/** Text, bytes of UTF-8, or items as they are stored. */
export type JsonPiece = string | Uint8Array | StoredList;

/** JSON that is already text or UTF-8 bytes, so that stored items reach the socket without being parsed. */
export class RawJson {
  readonly #chunks: readonly JsonPiece[];

  constructor(chunks: readonly JsonPiece[]) {
    this.#chunks = chunks;
  }

  get chunks(): readonly JsonPiece[] {
    return this.#chunks;
  }
}

/** TagResource and UntagResource answer 200 with a body of no bytes at all, not with `{}`. */
export const emptyBody = Symbol('empty body');

/** A plain object is sent through JSON.stringify. */
export type Answer = RawJson | DynamoError | typeof emptyBody | object;

/** One of DynamoDB's operations: from a parsed body to an answer. */
export interface Operation {
  readonly name: OperationName;
  handle(engine: Engine, body: unknown, caller: Caller): MaybePromise<Answer>;
}

/** An operation from its shape and what it does with an input that has passed the shape's checks. */
export function operation<Input extends object>(
  shape: InputShape<Input>,
  run: (engine: Engine, input: Input, caller: Caller) => MaybePromise<Answer>,
): Operation {
  return {
    name: shape.operation,
    handle(engine, body, caller) {
      const input = shape.check(body);
      if (input instanceof DynamoError) return input;
      if (engine.faults.isEmpty) return run(engine, input, caller);
      return unlessStruck(engine, shape.operation, input, caller, () => run(engine, input, caller));
    },
  };
}
