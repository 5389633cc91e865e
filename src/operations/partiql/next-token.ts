import type { Table } from '../../engine/tables/table-record.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { type Hash16, hashBytes } from '../../model/keys/keys.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { decodeBase64, encodeBase64, isBase64 } from '../../model/values/base64.ts';
import { compareBytes, concatBytes } from '../../model/values/bytes.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import { plainItem } from '../items/item-answer.ts';

/** What a NextToken is bound to: it continues this request and no other. */
export interface TokenBinding {
  readonly statement: string;
  /** As they were sent. */
  readonly parameters: readonly unknown[] | undefined;
}

/** Where a statement goes on: in which of its reads, and behind which entry of it. */
export interface Continuation {
  readonly read: number;
  readonly startKey: Item | undefined;
}

const fromTheStart: Continuation = { read: 0, startKey: undefined };

/**
 * A token is base64 of 16 bytes of a hash and of the continuation as JSON. The hash is over the continuation, the
 * statement, its parameters and the table that it reads, so that a token that was changed, or that belongs to something
 * else, is told from a good one. It guards against mistakes and not against malice, which would gain nothing: a start
 * key is checked like any ExclusiveStartKey, and whoever may run a statement may read all that it reads.
 */
export function nextToken(
  { read, startKey }: Continuation,
  binding: TokenBinding,
  table: Table,
  h16: Hash16,
): string {
  const content = encodeUtf8(JSON.stringify([read, startKey === undefined ? null : plainItem(startKey)]));
  return encodeBase64(concatBytes(checksum(content, binding, table, h16), content));
}

export function readNextToken(
  token: string | undefined,
  binding: TokenBinding,
  table: Table,
  h16: Hash16,
): Continuation | DynamoError {
  if (token === undefined) return fromTheStart;
  if (!isBase64(token)) return invalidToken();
  const bytes = decodeBase64(token);
  if (bytes.length <= hashBytes) return invalidToken();
  const content = bytes.subarray(hashBytes);
  const expected = checksum(content, binding, table, h16);
  if (compareBytes(bytes.subarray(0, hashBytes), expected) !== 0) return tokenMismatch();
  return readContinuation(content) ?? invalidToken();
}

/** The hash is no secret, so that even what it fits may be anything. */
function readContinuation(content: Uint8Array): Continuation | undefined {
  let parsed: unknown;
  try {
    parsed = parseJson(decodeUtf8(content));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) return undefined;
  const [read, sent] = parsed as readonly unknown[];
  if (typeof read !== 'number') return undefined;
  const startKey = sent === null ? undefined : readItem(sent, 'older');
  return startKey instanceof DynamoError ? undefined : { read, startKey };
}

export function tokenMismatch(): DynamoError {
  return validationError('NextToken does not match request');
}

function invalidToken(): DynamoError {
  return validationError('Invalid NextToken');
}

/** JSON is its own end, so that nothing can move from one part to the other. */
function checksum(
  content: Uint8Array,
  { statement, parameters }: TokenBinding,
  { record }: Table,
  h16: Hash16,
): Uint8Array {
  const bound = JSON.stringify([statement, parameters ?? [], record.storageId]);
  return h16(concatBytes(encodeUtf8(bound), content));
}
