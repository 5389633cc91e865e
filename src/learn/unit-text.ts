/** `51.5 read units`, `1 write unit` */
export function unitsText(units: number, kind: 'read' | 'write'): string {
  return `${numberText(units)} ${kind} unit${units === 1 ? '' : 's'}`;
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** `1 item`, `3 items` */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
