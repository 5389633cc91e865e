/** `51.5 read units`, `1 write unit` */
export function unitsText(units: number, kind: 'read' | 'write'): string {
  return `${numberText(units)} ${kind} unit${units === 1 ? '' : 's'}`;
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
