import { expect, it } from 'vitest';
import { handbookTopics } from '../../src/cli/handbook/handbook-pages.ts';
import { markdownText } from '../../src/cli/handbook/markdown-text.ts';
import { visibleLength } from '../../src/cli/handbook/wrap-text.ts';
import { runHere } from './run-here.ts';

const topics = handbookTopics();

it('lists the pages of the handbook', async () => {
  expect(topics.length).toBeGreaterThan(20);
  expect((await runHere('.', ['help'])).out).toContain('stator help topics');
  const { out: titles } = await runHere('.', ['help', 'topics']);
  for (const { name } of topics) expect(titles).toContain(name);
  expect(titles).toMatch(/^ {2}limits +Limits$/m);
});

it.each(topics)('prints the page $name within the width of a terminal', async ({ name, title }) => {
  const { out, code } = await runHere('.', ['help', name]);
  expect(code).toBe(0);
  const lines = out.split('\n');
  expect(lines[0]).toBe(title);
  // Code stays as it is; everything else is wrapped.
  const wide = lines.filter((line) => !line.startsWith('    ') && visibleLength(line) > 100);
  expect(wide).toEqual([]);
  const prose = lines.filter((line) => !line.startsWith('    ')).join('\n');
  expect(prose).not.toMatch(/\]\(|^#+ |^\||<details|<summary/m);
});

it('prefers a command to a page, and names what was meant', async () => {
  expect((await runHere('.', ['help', 'physics'])).out).toContain('Usage: stator physics');
  const near = await runHere('.', ['help', 'partition']);
  expect([near.code, near.err]).toEqual([2, expect.stringContaining('Did you mean stator help partitions?')]);
  const within = await runHere('.', ['help', 'transactions']);
  expect(within.err).toContain('Did you mean stator help conditions-and-transactions?');
  const unknown = await runHere('.', ['help', 'qqqqq']);
  expect([unknown.code, unknown.err]).toEqual([
    2,
    expect.stringContaining('Unknown command or topic "qqqqq"'),
  ]);
});

const page = `# Title

Some \`code\` and **strong** words with [a link](other.md#part), [one](../physics.md) and [outside](https://example.com).

- first point that is long enough to be broken at this width
  and goes on
  - nested

| name | meaning |
| --- | --- |
| \`a|b\` | a bar in code |
| c \\| d | a long cell that has to be wrapped at this width |

\`\`\`js run
const kept = '  as it is';
\`\`\`
`;

it('shows headings, lists, tables, code and links', () => {
  const plain = markdownText(page, { style: (_, text) => text, columns: 40, folder: 'docs/handbook' });
  expect(plain).toBe(`Title
═════

Some \`code\` and strong words with a
link, one and outside.

  • first point that is long enough to
    be broken at this width and goes on
    • nested

name   meaning
─────  ─────────────────────────────────
\`a|b\`  a bar in code
c | d  a long cell that has to be
       wrapped at this width

    const kept = '  as it is';

Leads on to
  stator help other
  docs/physics.md
  https://example.com`);
});

it('ends colours with the line', () => {
  const style = (_: string, text: string) => `\u001b[36m${text}\u001b[0m`;
  const text = markdownText('| a |\n| --- |\n| `one two three four five` |\n', {
    ...{ style, columns: 12, folder: 'docs/handbook' },
  });
  for (const line of text.split('\n'))
    expect([line.split('\u001b[36m').length, line.split('\u001b[0m').length]).toEqual([2, 2]);
});
