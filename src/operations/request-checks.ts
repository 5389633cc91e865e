import { DynamoError, validationError } from '../model/errors.ts';
import { itemLimits } from '../model/limits.ts';
import type { ReturnValues } from './shapes/item-input.ts';
import {
  type OperationName,
  requestCheckText,
  type ValidationLayer,
  validationLayers,
} from './shapes/validation-layer.ts';

/**
 * An error of an operation's own request checks, in the words of the layer that answers for it. What is wrong with
 * the form of an AttributeValue itself, none or several datatypes, is never put in the newer layer's envelope.
 */
export function requestCheck(
  operation: OperationName,
  error: DynamoError,
  layer: ValidationLayer = validationLayers[operation],
): DynamoError {
  const { name, message } = error;
  if (layer === 'older' || name !== 'ValidationException' || message === undefined) return error;
  if (message.startsWith('Supplied AttributeValue')) return error;
  return new DynamoError(name, requestCheckText(operation, message), error.fields);
}

/** Whether an item that a request puts there is too large. */
export function checkItemSize(bytes: number): DynamoError | undefined {
  return bytes > itemLimits.itemBytesMax
    ? validationError('Item size has exceeded the maximum allowed size')
    : undefined;
}

/** PutItem and DeleteItem change whole items: there is no part of one to return, and a deleted one has no new state. */
export function returnsOldOnly(
  operation: OperationName,
  returnValues: ReturnValues | undefined,
  layer?: ValidationLayer,
): DynamoError | undefined {
  if (returnValues === undefined || returnValues === 'NONE' || returnValues === 'ALL_OLD') return undefined;
  return requestCheck(operation, validationError('ReturnValues can only be ALL_OLD or NONE'), layer);
}
