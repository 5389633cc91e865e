/**
 * Moves a date or time by whole days and keeps its spelling: ISO 8601 dates and times with any fraction and offset,
 * seconds or milliseconds since 1970. One shift for all values keeps their order and the distance between any two, so
 * that sort keys still sort. Returns undefined for a text that is none of these.
 */
export function shiftDate(text: string, days: number): string | undefined {
  const iso = /^(\d{4}-\d{2}-\d{2})([T ].*)?$/.exec(text);
  if (iso !== null) {
    const at = Date.parse(`${iso[1]}T00:00:00Z`);
    const moved = at + days * dayMs;
    if (Number.isNaN(at) || moved < yearOneMs || moved >= yearTenThousandMs) return undefined;
    return new Date(moved).toISOString().slice(0, 10) + (iso[2] ?? '');
  }
  if (!/^\d{9,10}$|^\d{12,13}$/.test(text)) return undefined;
  const moved = Number(text) + days * (text.length <= 10 ? dayMs / 1000 : dayMs);
  return moved < 0 ? undefined : String(moved);
}

const dayMs = 86_400_000;
const yearOneMs = Date.parse('0001-01-01T00:00:00Z');
const yearTenThousandMs = Date.parse('9999-12-31T00:00:00Z');
