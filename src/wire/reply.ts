import { DynamoError } from '../model/errors.ts';
import { StoredList } from '../model/stored/stored-list.ts';
import { type Answer, emptyBody, type JsonPiece, RawJson } from '../operations/operation.ts';
import { errorBody } from './error-body.ts';
import type { HeaderFields } from './header-fields.ts';

/** An answer for any client. HTTP adds checksum, length and perhaps compression. */
export interface Reply {
  readonly status: number;
  readonly requestId: string;
  readonly contentType: string | undefined;
  readonly body: ReplyBody;
  /** Further headers: names and values, alternating. */
  readonly headers: readonly string[];
}

/** The body: text, UTF-8 bytes, or several pieces. */
export type ReplyBody = string | Uint8Array | readonly JsonPiece[];

export const plainJson = 'application/json';
export const noHeaders: readonly string[] = [];
/** Pages may read the headers that the service names (observed: user reports, March 2020). */
export const anyOrigin: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date',
];

/** Answers an error in DynamoDB's JSON. */
export function errorReply(
  error: DynamoError,
  requestId: string,
  contentType: string,
  headers: readonly string[],
): Reply {
  const { status, body } = errorBody(error);
  return { status, requestId, contentType, body, headers };
}

export function bodyOf(answer: Exclude<Answer, DynamoError>): ReplyBody {
  if (answer === emptyBody) return '';
  if (!(answer instanceof RawJson)) return JSON.stringify(answer);
  const { chunks } = answer;
  const [first] = chunks;
  return chunks.length === 1 && !(first instanceof StoredList) ? first! : chunks;
}

/** Refuses a request because of its origin. SDKs show the message of an error in this form. */
export function refusalReply(why: string, requestId: string): Reply {
  const { body } = errorBody(new DynamoError('AccessDeniedException', why));
  return { status: 403, requestId, contentType: plainJson, body, headers: noHeaders };
}

/**
 * Answers another method than POST, another path, or a content type we do not support. The service sometimes sends an
 * HTML page instead.
 */
export function notFound(requestId: string, headers: readonly string[] = noHeaders): Reply {
  return { status: 404, requestId, contentType: undefined, body: '<UnknownOperationException/>\n', headers };
}

export function preflight(request: HeaderFields, requestId: string): Reply {
  const headers = [...anyOrigin];
  const names = request.first('access-control-request-headers');
  if (names !== undefined) headers.push('Access-Control-Allow-Headers', names);
  const method = request.first('access-control-request-method');
  if (method !== undefined) headers.push('Access-Control-Allow-Methods', method);
  headers.push('Access-Control-Max-Age', '172800');
  return { status: 200, requestId, contentType: undefined, body: '', headers };
}
