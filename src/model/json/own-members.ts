/**
 * Sets a member whose name comes from a client. An attribute may be called `__proto__`. A plain assignment would then
 * change the object's prototype; this adds a member, as JSON.parse does.
 */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** Copies the members before `end`, for a walk that starts in place and turns into a copy. */
export function membersBefore(
  source: Readonly<Record<string, unknown>>,
  end: string,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in source) {
    if (name === end) break;
    setOwn(copy, name, source[name]);
  }
  return copy;
}
