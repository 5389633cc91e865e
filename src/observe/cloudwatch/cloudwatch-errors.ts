import { DynamoError } from '../../model/errors.ts';
import type { ErrorForms } from '../../operations/api/service.ts';

/** CloudWatch's own errors. The query protocol calls many of them otherwise. */
export const cloudWatchErrors = {
  InvalidFormatFault: { code: 'InvalidFormat' },
  InvalidNextToken: {},
  InvalidParameterCombinationException: { code: 'InvalidParameterCombination' },
  InvalidParameterValueException: { code: 'InvalidParameterValue' },
  LimitExceededFault: { code: 'LimitExceeded' },
  MissingRequiredParameterException: { code: 'MissingParameter' },
  ResourceNotFound: { status: 404 },
  ResourceNotFoundException: { status: 404 },
  SerializationException: { code: 'MalformedInput' },
  ValidationError: {},
} as const satisfies ErrorForms;

export type CloudWatchError = DynamoError<keyof typeof cloudWatchErrors>;

function cloudWatchError(name: keyof typeof cloudWatchErrors, message: string): CloudWatchError {
  return new DynamoError(name, message);
}

export function invalidValue(message: string): CloudWatchError {
  return cloudWatchError('InvalidParameterValueException', message);
}

export function invalidCombination(message: string): CloudWatchError {
  return cloudWatchError('InvalidParameterCombinationException', message);
}

export function missingParameter(message: string): CloudWatchError {
  return cloudWatchError('MissingRequiredParameterException', message);
}

/** What the alarms and GetMetricData answer to most mistakes. The model has no shape for it. */
export function validationError(message: string): CloudWatchError {
  return cloudWatchError('ValidationError', message);
}

export function invalidNextToken(): CloudWatchError {
  return cloudWatchError('InvalidNextToken', 'The next token is invalid.');
}

export function invalidFormat(message: string): CloudWatchError {
  return cloudWatchError('InvalidFormatFault', message);
}

export function limitExceeded(message: string): CloudWatchError {
  return cloudWatchError('LimitExceededFault', message);
}

/** Alarms that are missing; the older of CloudWatch's two errors of this kind. */
export function alarmNotFound(message = 'Unknown'): CloudWatchError {
  return cloudWatchError('ResourceNotFound', message);
}

export function resourceNotFound(message: string): CloudWatchError {
  return cloudWatchError('ResourceNotFoundException', message);
}

/** Words what the check of an input's shape found. */
export function shapeError({ name, message }: DynamoError): CloudWatchError {
  return name === 'ValidationException'
    ? validationError(message ?? 'The request is invalid')
    : cloudWatchError('SerializationException', message ?? 'The request cannot be read');
}
