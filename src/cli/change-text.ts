import type { JsonItem, JsonValue, StreamRecord } from '../kit/stream-reader.ts';
import type { Styler } from './output.ts';

/** A change for people to read: its time, kind and key, and what is different now. */
export function changeText({ eventName, dynamodb, userIdentity }: StreamRecord, style: Styler): string {
  const { ApproximateCreationDateTime: seconds, Keys: keys, NewImage: after, OldImage: before } = dynamodb;
  const time = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const kind = style(colours[eventName], eventName);
  const key = Object.entries(keys).map(([name, value]) => `${name}=${valueText(value)}`);
  const how = userIdentity?.Type === 'Service' ? style('dim', ' (expired)') : '';
  const head = `${style('dim', time)}  ${kind}  ${style('bold', key.join(' '))}${how}`;
  const shown = differences(eventName, before, after).filter(({ path }) => !Object.hasOwn(keys, path));
  const width = Math.min(24, Math.max(0, ...shown.map(({ path }) => path.length)));
  return [head, ...shown.map((each) => differenceText(each, width, style))].join('\n');
}

const colours = { INSERT: 'green', MODIFY: 'yellow', REMOVE: 'red' } as const;

interface Difference {
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** A stream that shows one image only has no differences to tell: then the image is shown as it is. */
function differences(
  eventName: StreamRecord['eventName'],
  before: JsonItem | undefined,
  after: JsonItem | undefined,
): Difference[] {
  if (eventName !== 'MODIFY' || (before !== undefined && after !== undefined))
    return compared('', before ?? {}, after ?? {});
  return Object.entries(after ?? before ?? {}).map(([path, value]) => ({
    path,
    before: value,
    after: value,
  }));
}

/** Goes into maps, so that a change deep in a document is a short line. */
function compared(prefix: string, before: JsonItem, after: JsonItem): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): Difference[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const [old, next] = [own(before, name), own(after, name)];
    if (old === undefined || next === undefined)
      return [{ path, ...(old && { before: old }), ...(next && { after: next }) }];
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    if (isMap(old) && isMap(next)) return compared(path, old.M, next.M);
    return [{ path, before: old, after: next }];
  });
}

function own(item: JsonItem, name: string): JsonValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

function isMap(value: JsonValue): value is { readonly M: JsonItem } {
  return typeof value.M === 'object' && value.M !== null;
}

function differenceText({ path, before, after }: Difference, width: number, style: Styler): string {
  const name = path.padEnd(width);
  if (before === undefined) return style('green', `  + ${name}  ${valueText(after!)}`);
  if (after === undefined) return style('red', `  - ${name}  ${valueText(before)}`);
  if (before === after) return `    ${name}  ${valueText(after)}`;
  return `  ~ ${name}  ${style('red', valueText(before))} → ${style('green', valueText(after))}`;
}

/** As JSON would have it, without the types where they are plain to see. */
function valueText(value: JsonValue): string {
  const text = written(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

const shownMax = 200;

function written(value: JsonValue): string {
  const [type = '', inner] = Object.entries(value)[0] ?? [];
  switch (type) {
    case 'N':
      return String(inner);
    case 'NULL':
      return 'null';
    case 'L':
      return `[${(inner as JsonValue[]).map(written).join(', ')}]`;
    case 'M':
      return `{${Object.entries(inner as JsonItem)
        .map(([name, each]) => `${name}: ${written(each)}`)
        .join(', ')}}`;
    case 'NS':
      return `<<${(inner as string[]).join(', ')}>>`;
    case 'SS':
      return `<<${(inner as string[]).map((each) => JSON.stringify(each)).join(', ')}>>`;
    case 'B':
      return `b'${String(inner)}'`;
    case 'BS':
      return `<<${(inner as string[]).map((each) => `b'${each}'`).join(', ')}>>`;
    default:
      return JSON.stringify(inner) ?? '';
  }
}
