import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import type { Door } from './doors.ts';

/** The prefix that one of the service's two layers puts before many texts; Regions are still moving between them. */
const envelope = '1 validation error detected: ';

/** Expects an error of this name and exactly this text. */
export async function expectRefused(
  door: Door,
  request: Promise<unknown>,
  name: string,
  message: string,
): Promise<void> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DynamoDBServiceException)) {
    throw new Error(`expected ${name}: ${message}, got ${String(error)}`, { cause: error });
  }
  const worded = (text: string) => (door.onAws ? text.replace(envelope, '') : text);
  expect({ name: error.name, message: worded(error.message) }).toEqual({ name, message: worded(message) });
  expect(error.$metadata.httpStatusCode).toBe(400);
}

/** Expects a ValidationException. */
export function expectInvalid(door: Door, request: Promise<unknown>, message: string): Promise<void> {
  return expectRefused(door, request, 'ValidationException', message);
}

export const invalidParameters = 'One or more parameter values were invalid: ';
