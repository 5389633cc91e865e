import { DynamoError } from '../../model/errors.ts';
import type { ErrorForms } from '../../operations/api/service.ts';
import type { TargetName } from './scaling-records.ts';

/** Application Auto Scaling's own errors. */
export const scalingErrors = {
  InvalidNextTokenException: {},
  LimitExceededException: {},
  ObjectNotFoundException: {},
  ResourceNotFoundException: {},
  SerializationException: {},
  TooManyTagsException: {},
  ValidationException: {},
} as const satisfies ErrorForms;

export type ScalingError = DynamoError<keyof typeof scalingErrors>;

export function scalingError(name: keyof typeof scalingErrors, message: string): ScalingError {
  return new DynamoError(name, message);
}

export function invalid(message: string): ScalingError {
  return scalingError('ValidationException', message);
}

export function notFound(message: string): ScalingError {
  return scalingError('ObjectNotFoundException', message);
}

export function noTarget({ resourceId, dimension }: TargetName): ScalingError {
  return notFound(
    `No scalable target registered for service namespace: dynamodb, resource ID: ${resourceId}, scalable dimension: ${dimension}`,
  );
}

export function limitExceeded(message: string): ScalingError {
  return scalingError('LimitExceededException', message);
}

export function invalidNextToken(): ScalingError {
  return scalingError('InvalidNextTokenException', 'The next token supplied was invalid');
}

/** A resource that has tags, but does not exist. */
export function resourceNotFound(arn: string): ScalingError {
  return scalingError('ResourceNotFoundException', `The requested resource was not found: ${arn}`);
}

export function shapeError({ name, message }: DynamoError): ScalingError {
  return scalingError(
    name === 'ValidationException' ? name : 'SerializationException',
    message ?? 'The request cannot be read',
  );
}
