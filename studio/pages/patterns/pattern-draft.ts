/** Where an entity of the model lies. */
export interface DraftKey {
  readonly entity: string;
  readonly slot: string;
  readonly partition: string;
}

/** A request as it was seen or written, from which a pattern can be made. */
export interface RequestShape {
  readonly operation: string;
  readonly index?: string | null | undefined;
  readonly keyCondition?: string | null | undefined;
  readonly filter?: string | null | undefined;
}

/**
 * A read or write of `stator/design` to start from. Where the model's keys tell which entity lies under the key that the
 * request asks by, its name and attributes are filled in; the rest is left to a person, and says so.
 */
export function patternDraft(name: string, shape: RequestShape, keys: readonly DraftKey[]): string {
  const { operation, index, keyCondition, filter } = shape;
  const about = [
    `// seen as ${operation}${index ? ` on ${index}` : ''}`,
    ...(keyCondition ? [`//   by ${keyCondition}`] : []),
    ...(filter ? [`//   filtered by ${filter}`] : []),
  ];
  const id = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const [key, ...others] = keys.filter(({ slot }) => slot === (index || 'table'));
  const alternatives =
    others.length > 0 ? [`// or of ${[...new Set(others.map(({ entity }) => entity))].join(', ')}`] : [];
  const entity = key?.entity ?? 'Entity';
  const by = key === undefined ? [] : namesIn(key.partition);
  const rates = 'rate: { peak: 1, mean: 0.1 }';
  if (!/Get|Query|Scan|SELECT/i.test(operation)) {
    const step = /Delete/.test(operation) ? 'remove' : /Update/.test(operation) ? 'change' : 'create';
    return [...about, ...alternatives, `${id}: write({ steps: [${step}(${entity})], ${rates} }),`].join('\n');
  }
  const isOne = /Get/.test(operation);
  const members = [
    `by: [${by.map((one) => JSON.stringify(one)).join(', ')}]`,
    ...(isOne ? [] : ['page: 25']),
    rates,
  ];
  return [
    ...about,
    ...alternatives,
    `${id}: ${isOne ? 'get' : 'list'}(${entity}, { ${members.join(', ')} }),`,
  ].join('\n');
}

function namesIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)/g)].map(([, name]) => name!);
}
