/** Binary values are Base64 on the wire, and bytes for whoever makes requests, as with the SDK. */

type Members = Readonly<Record<string, unknown>>;

/** Only attribute values have one member B with a text or BS with texts. */
export function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Members);
  const [only] = entries;
  if (entries.length === 1 && only![0] === 'B' && typeof only![1] === 'string')
    return { B: new Uint8Array(Buffer.from(only![1], 'base64')) };
  if (entries.length === 1 && only![0] === 'BS' && Array.isArray(only![1]))
    return { BS: (only![1] as string[]).map((one) => new Uint8Array(Buffer.from(one, 'base64'))) };
  return Object.fromEntries(entries.map(([name, one]) => [name, withBytes(one)]));
}

export function withText(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(withText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value as Members).map(([name, one]) => [name, withText(one)]));
}
