/**
 * Why the system refused something, for callers of the API: `permission denied (EACCES)`. Messages of Node name paths of the
 * server, which are the operator's alone.
 */
export function systemReason(error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  if (code === undefined) return message ?? String(error);
  const [, words] = /^[A-Z0-9_]+: ([^,]+)/.exec(message ?? '') ?? [];
  return words === undefined ? code : `${words} (${code})`;
}
