import { type ImageFilter, imageFilter } from '../image-filter.ts';
import type { JsonItem, JsonValue, StreamRecord } from '../kit/stream-reader.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { UsageError } from './failure.ts';

interface Wanted {
  readonly event: string | undefined;
  readonly key: string | undefined;
  readonly where: string | undefined;
  /** The first moment, in milliseconds. */
  readonly sinceMs: number | undefined;
}

/** Which changes are to be printed. Times in streams are whole seconds, so that of the first one all are. */
export function changeFilter(
  { event, key, where, sinceMs }: Wanted,
  partitionKey: string,
): (change: StreamRecord) => boolean {
  const events = event?.toUpperCase().split(',');
  const meetsKey = key === undefined ? undefined : keyFilter(key, partitionKey);
  const meets = where === undefined ? undefined : whereFilter(where);
  const sinceSeconds = sinceMs === undefined ? undefined : Math.floor(sinceMs / 1000);
  return ({ eventName, dynamodb }) => {
    const { Keys, NewImage, OldImage, ApproximateCreationDateTime } = dynamodb;
    if (events !== undefined && !events.includes(eventName)) return false;
    if (sinceSeconds !== undefined && ApproximateCreationDateTime < sinceSeconds) return false;
    if (meetsKey !== undefined && !meetsKey(Keys)) return false;
    if (meets === undefined) return true;
    const images = [NewImage, OldImage].filter((image) => image !== undefined);
    return (images.length === 0 ? [Keys] : images).some(meets);
  };
}

function whereFilter(where: string): ImageFilter {
  const filter = imageFilter(where);
  if (typeof filter === 'function') return filter;
  throw new UsageError(
    `--where is not a condition: ${filter.problem}.`,
    `Write it as after WHERE in PartiQL: --where "status = 'open' AND total > 5".`,
  );
}

function keyFilter(text: string, partitionKey: string): (keys: JsonItem) => boolean {
  const wanted = text.startsWith('{') ? keyObject(text) : { [partitionKey]: text };
  return (keys) =>
    Object.entries(wanted).every(([name, value]) => Object.hasOwn(keys, name) && isSame(keys[name]!, value));
}

function keyObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    throw new UsageError(
      `--key is not JSON: ${text}.`,
      `Write a value, or an object such as {"pk":"a","sk":1}.`,
    );
  }
}

/** What is wanted may be plain or have its type; text alone may mean a number. */
function isSame(found: JsonValue, wanted: unknown): boolean {
  const [type = '', value] = Object.entries(found)[0] ?? [];
  if (typeof wanted === 'object' && wanted !== null) return JSON.stringify(found) === JSON.stringify(wanted);
  if (type === 'N') return value === String(wanted) || Number(value) === Number(wanted);
  return value === wanted;
}
