import { describe, expect, it } from 'vitest';
import { withCounts } from '../../scripts/evidence/differences.ts';
import { gatherMarks, sourcePaths, sourceText } from '../../scripts/evidence/gather.ts';
import { countsSentence, evidencePage } from '../../scripts/evidence/page.ts';
import { commentsOf, readMarks } from '../../scripts/evidence/read-marks.ts';
import { sources } from '../../scripts/evidence/sources.ts';
import { gradedConstants } from '../../src/physics/constants.ts';
import { textOf } from './source-files.ts';

/**
 * Where comments say what the service does, they say how that is known, in a form that leads to a source
 * (`docs/evidence.md`).
 */
const { statements, faults } = gatherMarks();
const advice = 'write the page anew with `npm run evidence`';

/** Folders that imitate the service. The others call it, or speak of Stator's own. */
const imitates = /^src\/(?:model|expressions|engine|operations|physics|rows|wire)\//;

/** Words that cite evidence. Where they stand outside of a mark, nobody can follow them. */
const citation = new RegExp(
  [
    'DDB-[A-Z]+-\\d',
    'protocol notes|api notes|Controllers for Kubernetes',
    '\\((?:both )?(?:observed|measured|captured|seen)\\b',
    '\\b(?:observed|measured|captured|seen)\\b[^.;]{0,60}\\b20(?:1\\d|2\\d)\\b',
    "\\b(?:Alternator|Scylla|moto|LocalStack|dynoxide|ExtendDB|floci)(?:'s)? (?:tests|captures|snapshots|issue|pull)",
    'dynamodb-conformance',
    '\\bRegions?, (?:January|February|March|April|May|June|July|August|September|October|November|December) 20',
  ].join('|'),
);

describe('evidence', () => {
  it('is marked in a form that can be read, with a source that is listed', () => {
    expect(faults).toEqual([]);
    expect(statements.length).toBeGreaterThan(250);
  });

  it('is not cited outside of marks', () => {
    const loose = sourcePaths()
      .filter((path) => imitates.test(path))
      .flatMap((path) => commentsOf(sourceText(path)).map(({ text }) => ({ path, text: withoutMarks(text) })))
      .filter(({ text }) => citation.test(text));
    expect(loose).toEqual([]);
  });

  it('is on its page, which is current', () => {
    expect(textOf('docs/evidence.md') === evidencePage(statements), advice).toBe(true);
  });

  it('is counted on the page of differences', () => {
    const page = textOf('docs/differences.md');
    expect(page === withCounts(page, countsSentence(statements)), advice).toBe(true);
  });

  it('lists no source that nothing cites', () => {
    const constants = Object.values(gradedConstants).map(
      (constant) => 'source' in constant && constant.source,
    );
    const idle = sources.filter(
      (source) =>
        !constants.includes(source.name) &&
        !statements.some(({ citations }) => citations.some((cited) => cited.source === source)),
    );
    expect(idle.map(({ name }) => name)).toEqual([]);
  });

  it('names the sources of constants as the list does', () => {
    for (const constant of Object.values(gradedConstants)) {
      const source = 'source' in constant ? sources.find(({ name }) => name === constant.source) : undefined;
      const grade = constant.grade === 'measured' ? 'observed' : constant.grade;
      expect(source?.grade ?? 'inferred').toBe(grade);
    }
  });
});

describe('the reader of marks', () => {
  const read = (comment: string) => readMarks('src/a.ts', `${comment}\nexport const answer = 42;\n`);

  it('reads grades, sources and details, and what they support', () => {
    const { statements, faults } = read(
      '/** An empty name is refused (observed: ACK DDB-TABLE-216; documented: API Reference). The text is ours (guess). */',
    );
    expect(faults).toEqual([]);
    expect(statements.map(({ text, name }) => [text, name])).toEqual([
      ['An empty name is refused.', 'answer'],
      ['The text is ours.', 'answer'],
    ]);
    expect(
      statements[0]!.citations.map(({ grade, source, detail }) => [grade, source!.name, detail]),
    ).toEqual([
      ['observed', 'ACK', 'DDB-TABLE-216'],
      ['documented', 'API Reference', ''],
    ]);
  });

  it('refuses sources that are not listed, marks without one, and wrong grades', () => {
    for (const mark of ['observed: hearsay', 'observed', 'observed in 2026', 'documented: ACK', 'guess: ACK'])
      expect(read(`// A name is refused (${mark}).`).faults, mark).toHaveLength(1);
  });

  it('finds citations that lead nowhere', () => {
    for (const text of [
      'A text (DDB-TABLE-216).',
      'Its form (wire protocol notes, "Errors").',
      'Reported first (observed before 2024).',
      'Refused (two Regions, October 2026).',
      "As Scylla's tests have it.",
    ])
      expect(citation.test(withoutMarks(text)), text).toBe(true);
    for (const text of ['Refused (observed: ACK DDB-TABLE-216).', 'An item is measured once.'])
      expect(citation.test(withoutMarks(text)), text).toBe(false);
  });
});

function withoutMarks(text: string): string {
  return text.replaceAll(
    /\((?:documented|observed|paper|inferred|guess)(?:: (?:[^()]|\([^()]*\))*|; (?:[^()])*)?\)/g,
    '',
  );
}
