import { type DynamoError, wireFormOf } from '../model/errors.ts';

export interface ErrorBody {
  readonly status: number;
  readonly body: string;
}

/**
 * Encodes an error. Only this function turns an error into bytes; the table beside the errors says what each one
 * looks like.
 */
export function errorBody(error: DynamoError): ErrorBody {
  const form = wireFormOf(error);
  const members: Record<string, unknown> = { __type: `${form.prefix}#${error.name}` };
  // An error without a text has no message member, rather than an empty one. So answer UnknownOperationException and
  // the SerializationException of a body that is not JSON (observed: public captures).
  if (error.message !== undefined) members[form.messageMember] = error.message;
  if (error.fields !== undefined) Object.assign(members, error.fields);
  return { status: form.status, body: JSON.stringify(members) };
}
