export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether a value is a plain object: of no class, with only its own members. */
export function isOrdinary(json: unknown): json is JsonObject {
  if (typeof json !== 'object' || json === null) return false;
  const prototype: unknown = Object.getPrototypeOf(json);
  return prototype === Object.prototype || prototype === null;
}

/** The name of the only member; undefined if there are several, or none. */
export function soleMember(json: JsonObject): string | undefined {
  let sole: string | undefined;
  for (const name in json) {
    if (sole !== undefined) return undefined;
    sole = name;
  }
  return sole;
}
