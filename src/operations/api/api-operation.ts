import { firstRefusal } from '../../model/access/authorize.ts';
import type { Intent } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Caller } from '../operation.ts';
import { type InputShape, inputShape } from '../shapes/input-shape.ts';
import { type Members, type StructureShape, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import { ApiError } from './api-error.ts';

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

/** The intents of a request, from its checked input alone. `action` is the operation's own. */
export type ApiIntents<Input> = (input: Input, caller: Caller, action: string) => readonly Intent[];

/**
 * Makes the operations of one service. `prefix` is the service's name in IAM; `asError` words what the check of a shape
 * finds.
 */
export function apiOperations<Context>(
  prefix: 'cloudwatch' | 'application-autoscaling',
  asError: (wrong: DynamoError) => ApiError,
) {
  return function define<Name extends string, Given extends Members>(
    name: Name,
    intents: ApiIntents<InputValue<StructureShape<Given>>>,
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
        if (checked instanceof DynamoError) return asError(checked);
        const { authorize } = caller;
        if (authorize === undefined) return run(context, checked, caller);
        const refusal = firstRefusal(authorize, intents(checked, caller, `${prefix}:${name}`), caller);
        return whenDone(
          refusal,
          (error): MaybePromise<object | ApiError> =>
            error === undefined ? run(context, checked, caller) : asDenial(error),
        );
      },
    };
  };
}

/** The query protocol calls it AccessDenied; the status is that of all refusals of these services. */
function asDenial({ name, message = name }: DynamoError): ApiError {
  return new ApiError(name, message, { code: name.replace(/Exception$/, ''), status: 403 });
}
