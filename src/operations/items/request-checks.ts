import { DynamoError, validationError } from '../../model/errors.ts';
import { itemLimits } from '../../model/limits.ts';
import type { ReturnValues } from '../shapes/item-shapes.ts';
import { inEnvelope, type ValidationLayer } from '../shapes/operation-layers.ts';

/**
 * The error of a request check of PutItem, UpdateItem or DeleteItem (an expression's syntax, an empty set, mixed
 * parameters, …), which the newer layer wraps in its envelope. The layer never wraps errors that depend on the table,
 * item sizes, keys, or AttributeValues with no datatype or several. Other operations never wrap their checks, except
 * for Query's rules about `Select`.
 */
export function requestCheck(error: DynamoError, layer: ValidationLayer): DynamoError {
  const { name, message } = error;
  if (layer === 'older' || name !== 'ValidationException' || message === undefined) return error;
  if (message.startsWith('Supplied AttributeValue')) return error;
  return new DynamoError(name, inEnvelope(message), error.fields);
}

/** Checks the size of an item to put. */
export function checkItemSize(bytes: number): DynamoError | undefined {
  return bytes > itemLimits.itemBytesMax
    ? validationError('Item size has exceeded the maximum allowed size')
    : undefined;
}

/**
 * Checks the ReturnValues of PutItem and DeleteItem. They replace whole items, so no part is updated, and a deleted
 * item has no new state.
 */
export function returnsOldOnly(
  returnValues: ReturnValues | undefined,
  layer: ValidationLayer,
): DynamoError | undefined {
  if (returnValues === undefined || returnValues === 'NONE' || returnValues === 'ALL_OLD') return undefined;
  return requestCheck(validationError('ReturnValues can only be ALL_OLD or NONE'), layer);
}
