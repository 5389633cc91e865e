import type { Engine } from '../engine/engine.ts';
import type { Caller, ControlEvent, Observer } from '../engine/events.ts';
import type { Intent } from '../model/access/intent.ts';
import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { StoredList } from '../model/stored/stored-list.ts';
import { RequestRoad } from './request-road.ts';
import type { InputShape } from './shapes/input-shape.ts';
import type { OutputShape } from './shapes/output-shape.ts';

export { processCaller } from '../engine/process-caller.ts';
export type { Caller, ControlEvent, Observer };

/** A piece of JSON: text, UTF-8 bytes, or a list of stored items. */
export type JsonPiece = string | Uint8Array | StoredList;

/** JSON in pieces. Stored items reach the socket without being parsed. */
export class RawJson {
  readonly #chunks: readonly JsonPiece[];

  constructor(chunks: readonly JsonPiece[]) {
    this.#chunks = chunks;
  }

  get chunks(): readonly JsonPiece[] {
    return this.#chunks;
  }
}

/** The answer of TagResource and UntagResource: status 200 with an empty body, not with `{}`. */
export const emptyBody = Symbol('empty body');

/** The answer of an operation. A plain object goes through JSON.stringify. */
export type Answer = RawJson | DynamoError | typeof emptyBody | object;

/** Handles the requests of one operation: takes a parsed body and returns the answer. */
export interface NamedHandler {
  readonly name: string;
  handle(engine: Engine, body: unknown, caller: Caller): MaybePromise<Answer>;
}

/** A DynamoDB operation. Its entry in `all-operations.ts` makes it available over HTTP and as a plain method. */
export interface Operation<Input = unknown, Output = unknown> extends NamedHandler {
  readonly input: InputShape<Input>;
  readonly output: OutputShape<Output>;
}

/** The intents of a request, from its checked input alone. */
export type Intents<Checked> = (input: Checked, road: RequestRoad) => readonly Intent[];

/**
 * Makes an operation from its shapes, its intents, and `run`, which gets a checked input that is authorized. `check`
 * replaces the check of the shape.
 */
export function operation<Input extends object, Output extends object, Checked extends object = Input>(
  shape: InputShape<Input>,
  output: OutputShape<Output>,
  intents: Intents<Checked>,
  run: (road: RequestRoad, input: Checked) => MaybePromise<Answer>,
  check?: (road: RequestRoad, body: unknown) => Checked | DynamoError,
): Operation<Input, Output> {
  const answered = (road: RequestRoad, body: unknown): MaybePromise<Answer> => {
    const input = check === undefined ? (shape.check(body) as Checked | DynamoError) : check(road, body);
    if (input instanceof DynamoError) return road.ended(input);
    const { authorize } = road.caller;
    const answer =
      authorize === undefined
        ? run(road, input)
        : whenDone(
            road.authorize(() => intents(input, road), authorize),
            (refusal): MaybePromise<Answer> => refusal ?? run(road, input),
          );
    return whenDone(answer, (done) => road.ended(done));
  };
  return {
    name: shape.operation,
    input: shape,
    output,
    handle(engine, body, caller) {
      const road = new RequestRoad(shape.operation, engine, caller, body);
      if (engine.observer === undefined) return answered(road, body);
      return failing(road, () => answered(road, body));
    },
  };
}

/** A checked request with what `read` made of its items and expressions. */
export interface ReadRequest<Input, Read> {
  readonly input: Input;
  readonly request: Read;
}

/**
 * The check of an operation that reads items and expressions before it is authorized, so that policies can judge the
 * attributes in them. `read` needs no table.
 */
export function reading<Input extends object, Read extends object>(
  shape: InputShape<Input>,
  read: (engine: Engine, input: Input, caller: Caller) => Read | DynamoError,
): (road: RequestRoad, body: unknown) => ReadRequest<Input, Read> | DynamoError {
  return ({ engine, caller }, body) => {
    const input = shape.check(body);
    if (input instanceof DynamoError) return input;
    const request = read(engine, input, caller);
    return request instanceof DynamoError ? request : { input, request };
  };
}

/** Reports to the observer a request that ends in an exception. */
function failing(road: RequestRoad, run: () => MaybePromise<Answer>): MaybePromise<Answer> {
  const failed = (error: unknown): never => {
    road.failed(error);
    throw error;
  };
  try {
    const answer = run();
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}
