import { type DynamoError, invalidParameter, validationError } from '../../../model/errors.ts';
import { tableLimits } from '../../../model/limits.ts';
import type { RequestedEncryption, RequestedStream } from '../requests.ts';

/** Rules of single settings. Their texts (observed: ACK, October 2026). */

/** `UpdateViewType` is the service's inner name for `StreamViewType`. */
export function createdStreamError(stream: RequestedStream | undefined): DynamoError | undefined {
  if (stream?.enabled === true && stream.viewType === undefined) {
    return invalidParameter('Table is being created with a stream enabled, UpdateViewType is required');
  }
  if (stream?.enabled === false && stream.viewType !== undefined) {
    return invalidParameter(
      'Table is being created with a stream disabled, UpdateViewType should not be specified',
    );
  }
  return undefined;
}

export function updatedStreamError(stream: RequestedStream | undefined): DynamoError | undefined {
  if (stream?.enabled === true && stream.viewType === undefined) {
    return invalidParameter('If stream is being enabled then UpdateViewType is required');
  }
  if (stream?.enabled === false && stream.viewType !== undefined) {
    return invalidParameter('If stream is being disabled, then UpdateViewType must not be specified');
  }
  return undefined;
}

/** Absent, `enabled` is false. */
export function sseError(encryption: RequestedEncryption | undefined): DynamoError | undefined {
  if (encryption === undefined) return undefined;
  const { enabled = false, type, key } = encryption;
  if (!enabled && type !== undefined) {
    return invalidParameter('SSEType can not be specified if Enabled is false');
  }
  if (!enabled && key !== undefined) {
    return invalidParameter('KMSMasterKeyId can not be specified if Enabled is false');
  }
  if (type === 'AES256') return invalidParameter('SSEType AES256 is not supported');
  if (key !== undefined && type !== 'KMS') {
    return invalidParameter('SSEType KMS is required if KMSMasterKeyId is specified');
  }
  return undefined;
}

const tableClasses = ['STANDARD', 'STANDARD_INFREQUENT_ACCESS'];

export function tableClassError(tableClass: string | undefined): DynamoError | undefined {
  if (tableClass === undefined || tableClasses.includes(tableClass)) return undefined;
  return validationError(
    'Invalid table-class parameter provided. Please try again with a valid table-class value: ' +
      `[${tableClasses.join(', ')}].`,
  );
}

const { tagsMax, tagKeyLengthMax, tagValueLengthMax } = tableLimits;

/** A tag as it is sent: its members may be missing. */
export interface SentTag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

/** Tags as TagResource and CreateTable take them; lengths are counted in characters. */
export function tagsError(tags: readonly SentTag[]): DynamoError | undefined {
  const seen = new Set<string>();
  for (const { Key: key, Value: value } of tags) {
    const keyError = tagKeyError(key);
    if (keyError !== undefined) return keyError;
    if (!tagCharacters.test(key!)) return invalidTagKey(key);
    if (value === undefined || characters(value) > tagValueLengthMax || !tagCharacters.test(value)) {
      return validationError(`The Tag Value provided is invalid, Value: ${value ?? null}`);
    }
    if (key !== undefined && seen.has(key)) {
      return validationError(`Duplicate Tag Keys provided as input: Duplicate Tag Key found ${key}`);
    }
    if (key !== undefined) seen.add(key);
  }
  if (tags.length > tagsMax) {
    return validationError('Number of Tags exceed the current limit for the provided ResourceArn');
  }
  return undefined;
}

export function tagKeyError(key: string | undefined): DynamoError | undefined {
  if (key === undefined || key === '' || characters(key) > tagKeyLengthMax) {
    return invalidTagKey(key);
  }
  if (key.startsWith('aws:')) return validationError(`Tag Key cannot be prefixed with aws:, Key: ${key}`);
  return undefined;
}

function invalidTagKey(key: string | undefined): DynamoError {
  return validationError(`The Tag Key provided is invalid, Key: ${key ?? null}`);
}

/**
 * The characters that keys and values of tags may have (documented: Developer Guide, TaggingRestrictions; `@` is on
 * newer pages only). Others are a ValidationException (observed: public captures, 2026); the texts are those of the
 * wrong lengths (inferred).
 */
const tagCharacters = /^[\p{L}\p{N}\s+\-=._:/@]*$/u;

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
