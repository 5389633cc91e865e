import { DynamoError } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { Caller } from '../operation.ts';
import { type InputShape, inputShape } from '../shapes/input-shape.ts';
import { type Members, type StructureShape, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import type { ApiError } from './api-error.ts';

/**
 * An operation of a service beside DynamoDB. Shapes are written in the language of DynamoDB's operations, so that one
 * description serves every protocol that a client may speak. Times are seconds since 1970 on both sides.
 */
export interface ApiOperation<Context> {
  readonly name: string;
  readonly input: StructureShape;
  /** The answer; undefined for operations that answer nothing. */
  readonly output: StructureShape | undefined;
  /** Takes a body in the form of JSON. */
  handle(context: Context, body: unknown, caller: Caller): MaybePromise<object | ApiError>;
}

/** A service with its own names, beside DynamoDB on the port. */
export interface ApiService {
  /** The text before the dot in X-Amz-Target, and the service in the path of RPC v2. */
  readonly targetPrefix: string;
  readonly signingName: string;
  readonly protocols: readonly ('cbor' | 'json-1.0' | 'json-1.1' | 'query')[];
  /** The text before `#` in the type of an error. */
  readonly errorPrefix: string;
  /** The member that holds the text of an error. */
  readonly messageMember: 'message' | 'Message';
  readonly xmlNamespace: string;
  readonly apiVersion: string;
  readonly operations: ReadonlyMap<string, BoundOperation>;
}

export type BoundOperation = Pick<ApiOperation<unknown>, 'name' | 'input' | 'output'> & {
  handle(body: unknown, caller: Caller): MaybePromise<object | ApiError>;
};

/** Makes the operations of one service. `asError` words what the check of a shape finds. */
export function apiOperations<Context>(asError: (wrong: DynamoError) => ApiError) {
  return function define<Name extends string, Given extends Members>(
    name: Name,
    input: Given,
    output: Members | undefined,
    run: (
      context: Context,
      input: InputValue<StructureShape<Given>>,
      caller: Caller,
    ) => MaybePromise<object | ApiError>,
  ): ApiOperation<Context> {
    const shape: InputShape<InputValue<StructureShape<Given>>> = inputShape(name, input);
    return {
      name,
      input: shape.shape,
      output: output && structure(`${name}Result`, output),
      handle(context, body, caller) {
        const checked = shape.check(body);
        return checked instanceof DynamoError ? asError(checked) : run(context, checked, caller);
      },
    };
  };
}
