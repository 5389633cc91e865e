import type { DynamoError } from '../../model/errors.ts';
import { ApiError } from '../../operations/api/api-error.ts';

export function invalidValue(message: string): ApiError {
  return new ApiError('InvalidParameterValueException', message, { code: 'InvalidParameterValue' });
}

export function invalidCombination(message: string): ApiError {
  return new ApiError('InvalidParameterCombinationException', message, {
    code: 'InvalidParameterCombination',
  });
}

export function missingParameter(message: string): ApiError {
  return new ApiError('MissingRequiredParameterException', message, { code: 'MissingParameter' });
}

/** What the alarms and GetMetricData answer to most mistakes. The model has no shape for it. */
export function validationError(message: string): ApiError {
  return new ApiError('ValidationError', message);
}

export function invalidNextToken(): ApiError {
  return new ApiError('InvalidNextToken', 'The next token is invalid.');
}

export function invalidFormat(message: string): ApiError {
  return new ApiError('InvalidFormatFault', message, { code: 'InvalidFormat' });
}

export function limitExceeded(message: string): ApiError {
  return new ApiError('LimitExceededFault', message, { code: 'LimitExceeded' });
}

/** Alarms that are missing; the older of CloudWatch's two errors of this kind. */
export function alarmNotFound(message = 'Unknown'): ApiError {
  return new ApiError('ResourceNotFound', message, { status: 404 });
}

export function resourceNotFound(message: string): ApiError {
  return new ApiError('ResourceNotFoundException', message, { status: 404 });
}

/** Words what the check of an input's shape found. */
export function shapeError({ name, message }: DynamoError): ApiError {
  if (name !== 'ValidationException')
    return new ApiError('SerializationException', message ?? 'The request cannot be read', {
      code: 'MalformedInput',
    });
  return validationError(message ?? 'The request is invalid');
}
