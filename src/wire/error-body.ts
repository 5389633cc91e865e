import { type DynamoError, type WireForm, wireForms } from '../model/errors.ts';

export interface ErrorBody {
  readonly status: number;
  readonly body: string;
}

/** The one place where an error becomes bytes; what each one looks like is the table beside the errors. */
export function errorBody(error: DynamoError): ErrorBody {
  const form: WireForm = wireForms[error.name];
  const members: Record<string, unknown> = { __type: `${form.prefix}#${error.name}` };
  // An error without a text has no message member at all, rather than an empty one: seen for
  // UnknownOperationException and for the SerializationException of a body that is not JSON.
  if (error.message !== undefined) members[form.messageMember] = error.message;
  if (error.fields !== undefined) Object.assign(members, error.fields);
  return { status: form.status, body: JSON.stringify(members) };
}
