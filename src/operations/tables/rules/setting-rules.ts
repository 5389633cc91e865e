import { type DynamoError, invalidParameter, validationError } from '../../../model/errors.ts';
import { tableLimits } from '../../../model/limits.ts';
import type { SseInput, StreamInput, TagInput } from '../../shapes/table-shapes.ts';

/** Rules of single settings. Texts: the control-plane catalogue of the AWS Controllers for Kubernetes, October 2026. */

/** `UpdateViewType` is the service's inner name for `StreamViewType`. */
export function createdStreamError(stream: StreamInput | undefined): DynamoError | undefined {
  if (stream?.StreamEnabled === true && stream.StreamViewType === undefined) {
    return invalidParameter('Table is being created with a stream enabled, UpdateViewType is required');
  }
  if (stream?.StreamEnabled === false && stream.StreamViewType !== undefined) {
    return invalidParameter(
      'Table is being created with a stream disabled, UpdateViewType should not be specified',
    );
  }
  return undefined;
}

export function updatedStreamError(stream: StreamInput | undefined): DynamoError | undefined {
  if (stream?.StreamEnabled === true && stream.StreamViewType === undefined) {
    return invalidParameter('If stream is being enabled then UpdateViewType is required');
  }
  if (stream?.StreamEnabled === false && stream.StreamViewType !== undefined) {
    return invalidParameter('If stream is being disabled, then UpdateViewType must not be specified');
  }
  return undefined;
}

/** Absent, `Enabled` is false. */
export function sseError(sse: SseInput | undefined): DynamoError | undefined {
  if (sse === undefined) return undefined;
  const { Enabled: enabled = false, SSEType: type, KMSMasterKeyId: key } = sse;
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

/** Tags as TagResource and CreateTable take them; lengths are counted in characters. */
export function tagsError(tags: readonly TagInput[]): DynamoError | undefined {
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
 * The characters that keys and values of tags may have (TaggingRestrictions; `@` is accepted, though only newer pages
 * of AWS list it). That others are a ValidationException was seen in 2026; the texts are those of the wrong lengths.
 */
const tagCharacters = /^[\p{L}\p{N}\s+\-=._:/@]*$/u;

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
