import { firstRefusal } from '../../model/access/authorize.ts';
import type { Intent } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Caller } from '../operation.ts';
import { type InputShape, inputShape } from '../shapes/input-shape.ts';
import { type Members, type StructureShape, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';

/**
 * An operation of a service beside DynamoDB. Shapes are written in the language of DynamoDB's operations, so that one
 * description serves every protocol that a client may speak. Times are seconds since 1970 on both sides.
 */
export interface ApiOperation<Context> {
  readonly name: string;
  readonly input: StructureShape;
  /** The answer; undefined for operations that answer nothing. */
  readonly output: StructureShape | undefined;
  /** The largest body that the operation takes, if it takes less than the service. */
  readonly bodyBytesMax?: number;
  /** Takes a body in the form of JSON. */
  handle(context: Context, body: unknown, caller: Caller): MaybePromise<object | DynamoError<string>>;
}

/** The intents of a request, from its checked input alone. `action` is the operation's own. */
export type ApiIntents<Input> = (input: Input, caller: Caller, action: string) => readonly Intent[];

/**
 * Makes the operations of one service. `prefix` is the service's name in IAM; `asError` words what the check of a shape
 * finds.
 */
export function apiOperations<Context>(
  prefix: 'cloudwatch' | 'application-autoscaling',
  asError: (wrong: DynamoError) => DynamoError<string>,
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
    ) => MaybePromise<object | DynamoError<string>>,
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
          (error): MaybePromise<object | DynamoError<string>> => error ?? run(context, checked, caller),
        );
      },
    };
  };
}
