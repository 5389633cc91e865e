const figures = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number with its noun: `1 item`, `2,500 indexes`, `3 entries`. `figure` is the number as the caller writes numbers. */
export function counted(count: number, noun: string, figure = figures.format(count)): string {
  return `${figure} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (/(x|ch|sh|ss)$/.test(noun)) return `${noun}es`;
  // `query` becomes `queries`, `key` becomes `keys`.
  return noun.replace(/([^aeo])y$/, '$1ie').concat('s');
}
