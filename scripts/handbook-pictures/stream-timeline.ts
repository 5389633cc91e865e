import { bar, box, down, line, type Picture, textAt } from './paper.ts';

const consumers = [
  { name: 'totals', delayMs: 60, colour: 'e2' },
  { name: 'search index', delayMs: 180, colour: 'e3' },
  { name: 'mail, slow today', delayMs: 620, colour: 'e1' },
] as const;
const writes = [40, 110, 300, 340] as const;

/** Four writes, their records, and three consumers that come to them at their own speed. */
export function streamTimeline(): Picture {
  const [left, right] = [150, 720];
  const x = (ms: number) => left + (ms / 1_100) * (right - left);
  const parts = [textAt(20, 44, 't t600', 'the table'), line(left, 40, right, 40, 'dim')];
  parts.push(textAt(20, 94, 't t600', 'the stream'), box(left, 78, right - left, 26));
  for (const [i, at] of writes.entries()) {
    parts.push(bar(x(at) - 5, 34, 10, 12, 'e0'), textAt(x(at), 26, 't s d', `w${i + 1}`, 'middle'));
    parts.push(down(x(at), 48, 84), bar(x(at) - 5, 85, 10, 12, 'e0', 0.7));
  }
  for (const [row, { name, delayMs, colour }] of consumers.entries()) {
    const y = 144 + row * 36;
    parts.push(textAt(20, y + 5, 't', name), line(left, y, right, y));
    let free = 0;
    for (const [i, at] of writes.entries()) {
      const begin = Math.max(at + delayMs / 3, free);
      free = begin + delayMs / 3;
      parts.push(
        bar(x(begin), y - 7, Math.max(8, x(free) - x(begin) - 2), 14, colour, 0.85),
        textAt(x(begin) + 2, y + 21, 't s d', `w${i + 1}`),
      );
    }
  }
  parts.push(textAt(right, 26, 't s d', 'the caller has its answer', 'end'));
  parts.push(textAt(right - 10, 95, 't s d', 'kept for 24 hours', 'end'));
  parts.push(textAt(right, 202, 't s d', 'late, and nothing is lost', 'end'));
  return {
    width: 740,
    height: 250,
    title: 'Consumers read the stream after the write was answered, each at its own speed',
    body: parts.join(''),
  };
}
