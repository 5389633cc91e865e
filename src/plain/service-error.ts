import { type DynamoError, type ErrorName, type WireForm, wireForms } from '../model/errors.ts';
import { converted } from './from-wire.ts';

/**
 * A DynamoDB error as the plain methods throw it. Name, message, `$fault`, `$metadata` and the members beside the
 * message (`Item`, `CancellationReasons`) are where the SDK's exceptions have them, so that code written for the SDK
 * needs no change.
 */
export class ServiceError extends Error {
  override readonly name: ErrorName;
  readonly $fault: 'client' | 'server';
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string };
  declare readonly Item?: unknown;
  declare readonly CancellationReasons?: unknown;

  constructor(error: DynamoError, requestId: string, options?: ErrorOptions) {
    super(error.message ?? '', options);
    const form: WireForm = wireForms[error.name];
    this.name = error.name;
    this.$fault = form.status >= 500 ? 'server' : 'client';
    this.$metadata = { httpStatusCode: form.status, requestId };
    if (error.fields !== undefined) Object.assign(this, converted(error.fields));
  }
}
