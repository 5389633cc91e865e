/**
 * Sets a member that a client named. An attribute may be called `__proto__`; a plain assignment of it would change
 * the object's prototype instead of adding a member, which is what JSON.parse does.
 */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** A copy of the members that come before `end`: where a walk in place turns into a copy. */
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
