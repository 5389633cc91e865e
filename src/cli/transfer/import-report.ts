import type { AttributeReport } from '../../anonymise/rule-tree.ts';
import type { Unlisted } from '../../anonymise/rules.ts';
import type { Output, Styler } from '../output.ts';
import { figure } from '../progress-text.ts';
import type { Settings } from '../settings.ts';
import { writeWholeFiles } from '../write-output.ts';
import type { ImportState } from './import-state.ts';
import type { importOptions } from './transfer-options.ts';

interface Ended {
  readonly output: Output;
  readonly state: ImportState;
  readonly errorsPath: string;
  readonly ms: number;
  /** What became of values without a rule. */
  readonly unlisted: Unlisted | undefined;
}

/** Tells the counts of an import and what was anonymised, and writes the file of `--report`. */
export function tellImport(
  table: string,
  { rules, report }: Settings<typeof importOptions>,
  { output, state, errorsPath, ms, unlisted }: Ended,
): void {
  const { read, written, refused, attributes, untouched, untouchedIsCut } = state.counts;
  const anonymised = rules.value === undefined ? undefined : { attributes, untouched, untouchedIsCut };
  const fields = {
    ...{ table, read, written, refused, ms },
    ...(refused > 0 && { errors: errorsPath }),
    ...(anonymised && { anonymised }),
  };
  if (report.value !== undefined)
    writeWholeFiles(new Map([[report.value, `${JSON.stringify(fields, undefined, 2)}\n`]]), 'private');
  output.result('imported', fields, (style) =>
    [
      `${style('bold', table)}: ${figure(written)} items in ${(ms / 1000).toFixed(1)} s`,
      ...(anonymised === undefined ? [] : anonymisedText(anonymised, unlisted === 'drop', style)),
    ].join('\n'),
  );
  const idle = read === 0 ? [] : attributes.filter(isIdle).map(({ path }) => path);
  if (rules.value !== undefined && idle.length > 0) {
    output.log(
      'warning',
      `No value stands at ${idle.join(', ')}: ${idle.length === 1 ? 'this rule' : 'these rules'} changed nothing. What was meant may have been written as it is.`,
    );
    process.exitCode = 1;
  }
  if (refused === 0) return;
  output.log(
    'warning',
    `${figure(refused)} of ${figure(read)} rows were refused; they stand in ${errorsPath}.`,
  );
  process.exitCode = 1;
}

/** A misspelt path leaves values in the clear and fits no value. */
function isIdle({ changed, kept, dropped, unmatched }: AttributeReport): boolean {
  return changed + kept + dropped + unmatched === 0;
}

function anonymisedText(
  {
    attributes,
    untouched,
    untouchedIsCut,
  }: Pick<ImportState['counts'], 'attributes' | 'untouched' | 'untouchedIsCut'>,
  hasDropped: boolean,
  style: Styler,
): string[] {
  const width = Math.max(...attributes.map(({ path }) => path.length));
  const lines = attributes.map(({ path, changed, kept, dropped, unmatched }) => {
    const counts = { changed, dropped, kept, unmatched };
    const told = Object.entries(counts).filter(([, count]) => count > 0);
    const text = told.map(([name, count]) => `${figure(count)} ${name}`).join(', ') || 'nowhere';
    return `  ${path.padEnd(width)}  ${text}`;
  });
  const left = Object.entries(untouched).map(([name, count]) => `${name} (${figure(count)})`);
  return [
    style('bold', 'Anonymised'),
    ...lines,
    left.length === 0
      ? '  Every value has a rule.'
      : `  ${style('yellow', hasDropped ? 'Dropped, because no rule names them:' : 'Left as they are, because no rule names them:')} ${left.join(', ')}${untouchedIsCut ? ' and more' : ''}`,
  ];
}
