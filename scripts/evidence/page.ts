import { gradedConstants } from '../../src/physics/constants.ts';
import type { Citation, Statement } from './read-marks.ts';
import { type Grade, grades, meanings, sources } from './sources.ts';

const areas: readonly (readonly [title: string, folder: string])[] = [
  ['Values, keys, limits', 'src/model/'],
  ['Expressions', 'src/expressions/'],
  ['PartiQL statements', 'src/expressions/partiql/'],
  ['Operations', 'src/operations/'],
  ['Tables, indexes, transactions, backups', 'src/engine/'],
  ['Partitions, capacity, prices', 'src/physics/'],
  ['Requests and answers', 'src/wire/'],
];

/** The page `docs/evidence.md`: sources, then every statement with a mark. */
export function evidencePage(statements: readonly Statement[]): string {
  const folders = areas.map(([, folder]) => folder);
  const areaOf = ({ path }: Statement) =>
    folders.filter((folder) => path.startsWith(folder)).sort((a, b) => b.length - a.length)[0];
  const parts = areas.map(([title, folder]) =>
    section(
      title,
      statements.filter((statement) => areaOf(statement) === folder),
    ),
  );
  return [
    head(statements),
    ...parts,
    section(
      'Elsewhere',
      statements.filter((statement) => areaOf(statement) === undefined),
    ),
    constants(),
  ].join('\n');
}

/** One sentence with the counts, which stands on the page of differences too. */
export function countsSentence(statements: readonly Statement[]): string {
  const counts = countGrades(statements);
  const shown = grades.map((grade) => `${counts[grade]} ${grade === 'guess' ? 'guesses' : grade}`);
  return `${statements.length} statements about the service name their evidence: ${shown.slice(0, -1).join(', ')}, ${shown.at(-1)}.`;
}

function head(statements: readonly Statement[]): string {
  const cited = (name: string) =>
    statements.filter(({ citations }) => citations.some(({ source }) => source?.name === name)).length;
  return `# Evidence

For contributors. Comments of the code mark what they say about DynamoDB with how it is known. \`npm run evidence\`
gathers the marks into this page; \`tests/house/evidence.test.ts\` refuses a mark whose source is not listed here, a citation without a
mark, and a page that is not current.

${countsSentence(statements)}

## Marks

A mark stands in parentheses behind the words that it supports: \`(observed: ACK DDB-TABLE-216)\`,
\`(documented: Developer Guide, Constraints)\`, \`(inferred)\`, \`(guess)\`. Several are divided by semicolons. A new source is an entry in
\`scripts/evidence/sources.ts\`. A source that cannot be named is no source: say \`inferred\` or \`guess\`.

| grade | means | statements |
| --- | --- | ---: |
${grades.map((grade) => `| ${grade} | ${meanings[grade]} | ${countGrades(statements)[grade]} |`).join('\n')}

A statement that stands on several grades counts once for each.

## Sources

| source | grade | from | what it holds | cited by |
| --- | --- | --- | --- | ---: |
${sources.map(({ name, grade, date, meaning, url }) => `| ${url === undefined ? name : `[${name}](${url})`} | ${grade} | ${date} | ${meaning} | ${cited(name)} |`).join('\n')}

What could be checked against the service by a run with an account of yours: [Checking against AWS](contributing/against-aws.md).
`;
}

function section(title: string, statements: readonly Statement[]): string {
  if (statements.length === 0) return '';
  const rows = statements.map(
    ({ path, name, text, citations }) =>
      `| ${cell(text)} | ${cell(citations.map(shown).join('; '))} | [${name === undefined ? path.split('/').at(-1) : `\`${name}\``}](../${path}) |`,
  );
  return `## ${title}\n\n| what the code says | evidence | where |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function constants(): string {
  const rows = Object.entries(gradedConstants).map(
    ([name, { value, unit, grade, why, source }]) =>
      `| \`${name}\` | ${value} ${unit} | ${grade === 'measured' ? 'observed' : grade}${source === undefined ? '' : `: ${source}`} | ${cell(why)} |`,
  );
  return `## Figures of the physical model

Constants that no limit of the API gives, from [\`src/physics/constants.ts\`](../src/physics/constants.ts). They are not in the counts above.

| constant | value | evidence | why |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function shown({ grade, source, detail }: Citation): string {
  if (source === undefined) return grade;
  return `${grade}: ${source.name}${detail === '' ? '' : `, ${detail}`}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function countGrades(statements: readonly Statement[]): Readonly<Record<Grade, number>> {
  const counts: Record<Grade, number> = { documented: 0, observed: 0, paper: 0, inferred: 0, guess: 0 };
  for (const { citations } of statements)
    for (const grade of new Set(citations.map(({ grade }) => grade))) counts[grade] += 1;
  return counts;
}
