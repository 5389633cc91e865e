import { type DynamoError, validationError } from '../../model/errors.ts';

/**
 * The error for parameters whose part of the engine does not exist yet: to take them and not act on them would be
 * worse than to refuse them. What is refused here stands on the page of differences.
 */
export function refuseNotYet<Input extends object>(
  input: Input,
  ...members: (keyof Input & string)[]
): DynamoError | undefined {
  const found = members.find((member) => input[member] !== undefined);
  return found === undefined
    ? undefined
    : validationError(`${found} is not supported by this version of Stator`);
}
