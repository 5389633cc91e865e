import type { DynamoError } from '../../model/errors.ts';
import { ApiError } from '../../operations/api/api-error.ts';
import type { TargetName } from './scaling-records.ts';

export function invalid(message: string): ApiError {
  return new ApiError('ValidationException', message);
}

export function notFound(message: string): ApiError {
  return new ApiError('ObjectNotFoundException', message);
}

export function noTarget({ resourceId, dimension }: TargetName): ApiError {
  return notFound(
    `No scalable target registered for service namespace: dynamodb, resource ID: ${resourceId}, scalable dimension: ${dimension}`,
  );
}

export function limitExceeded(message: string): ApiError {
  return new ApiError('LimitExceededException', message);
}

export function invalidNextToken(): ApiError {
  return new ApiError('InvalidNextTokenException', 'The next token supplied was invalid');
}

/** A resource with tags that there is none of. */
export function resourceNotFound(arn: string): ApiError {
  return new ApiError('ResourceNotFoundException', `The requested resource was not found: ${arn}`);
}

export function shapeError({ name, message }: DynamoError): ApiError {
  return new ApiError(
    name === 'ValidationException' ? name : 'SerializationException',
    message ?? 'The request cannot be read',
  );
}
