export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** The names and values of the query in their order, still percent-encoded. */
export function queryOf(url: string): [name: string, value: string][] {
  const query = url.indexOf('?');
  if (query === -1 || query === url.length - 1) return [];
  return url
    .slice(query + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** Decodes percent-encoding. Leaves an ill-formed text as it is, because any client can send one. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
