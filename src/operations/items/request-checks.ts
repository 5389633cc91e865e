import { DynamoError, validationError } from '../../model/errors.ts';
import { itemLimits } from '../../model/limits.ts';
import type { ReturnValues } from '../shapes/item-shapes.ts';
import { inEnvelope, type ValidationLayer } from '../shapes/operation-layers.ts';

/**
 * An error of PutItem's, UpdateItem's or DeleteItem's own request checks (an expression's syntax, an empty set, mixed
 * parameters, …), which the newer layer puts in its envelope. It never wraps errors that are found with the table, item
 * sizes, keys, and AttributeValues with no datatype or several. Other operations never wrap their checks, except for
 * Query's rules about `Select`.
 */
export function requestCheck(error: DynamoError, layer: ValidationLayer): DynamoError {
  const { name, message } = error;
  if (layer === 'older' || name !== 'ValidationException' || message === undefined) return error;
  if (message.startsWith('Supplied AttributeValue')) return error;
  return new DynamoError(name, inEnvelope(message), error.fields);
}

/** Whether an item that a request puts there is too large. */
export function checkItemSize(bytes: number): DynamoError | undefined {
  return bytes > itemLimits.itemBytesMax
    ? validationError('Item size has exceeded the maximum allowed size')
    : undefined;
}

/** PutItem and DeleteItem change whole items: there is no part of one to return, and a deleted one has no new state. */
export function returnsOldOnly(
  returnValues: ReturnValues | undefined,
  layer: ValidationLayer,
): DynamoError | undefined {
  if (returnValues === undefined || returnValues === 'NONE' || returnValues === 'ALL_OLD') return undefined;
  return requestCheck(validationError('ReturnValues can only be ALL_OLD or NONE'), layer);
}
