import { checkStore } from '../check-store.ts';
import { type CheckReport, type Finding, type FindingKind, findingTitles, type Unjudged } from '../index.ts';
import { counted } from '../model/counted.ts';
import type { StoreChoice } from '../open-store.ts';
import type { Run } from './command.ts';
import { Failure, messageOf, UsageError } from './failure.ts';
import type { checkOptions } from './flags.ts';
import { adviceToCheck } from './in-use-advice.ts';
import type { Output, Styler } from './output.ts';
import type { Settings } from './settings.ts';
import { StopSignals } from './stop-signals.ts';
import { chosenPlace, type StorePlace, withoutPassword } from './store-setting.ts';
import { troubleAsFailure } from './store-trouble.ts';

/** The check itself was not to be had, which is neither a clean database nor a damaged one. */
class NotChecked extends Failure {
  override readonly name = 'NotChecked';
  override readonly exitCode = 3;
}

export const check: Run<typeof checkOptions> = async (settings, { output }) => {
  const place = chosenPlace(settings);
  const shown = shownPlace(place);
  const store = storeOf(place, settings);
  const signals = new StopSignals();
  let report: CheckReport | undefined;
  try {
    report = await checkStore(store, {
      signal: signals.asked,
      onProgress: progressLine(output, shown),
    });
  } catch (error) {
    throw signals.asked.aborted ? new NotChecked('The check was stopped.') : await notChecked(error);
  } finally {
    signals.release();
  }
  if (report === undefined)
    throw new NotChecked(
      `There is no data in ${shown}.`,
      `${settings.dataDir.name} names the directory that stator start keeps its data in.`,
    );
  const whole = report;
  output.result('checked', { data: shown, ...whole }, (style) => reportText(shown, whole, style));
  if (!report.clean) throw new Failure(`${counted(totalOf(report), 'finding')} in ${shown}.`, advice);
};

const advice =
  'Keep a copy of the data as it is now, go back to a copy from before, and please report what was found.';

function storeOf(place: StorePlace, { shared }: Settings<typeof checkOptions>): StoreChoice {
  switch (place.kind) {
    case 'memory':
      throw new UsageError(
        'A database in memory is gone with its process: there is nothing to check.',
        'Ask the running server instead: POST /_stator/check.',
      );
    case 'directory':
      return { directory: place.directory, shared: shared.value };
    case 'postgres':
      return { url: place.url };
  }
}

function shownPlace(place: StorePlace): string {
  if (place.kind === 'postgres') return withoutPassword(place.url);
  return place.kind === 'directory' ? place.directory : 'memory';
}

/** Trouble with the store, and defects too, must not end with the exit code of findings. */
async function notChecked(error: unknown): Promise<NotChecked> {
  const failure = await troubleAsFailure(error, adviceToCheck);
  if (failure instanceof Failure) return new NotChecked(failure.message, failure.advice, error);
  return new NotChecked(
    `The check itself failed: ${messageOf(error)}`,
    'This is a defect in Stator: please report it, with what the same command prints under STATOR_DEBUG=1.',
    error,
  );
}

function progressLine(output: Output, shown: string) {
  let told = -1;
  return ({ done, total }: { readonly done: number; readonly total: number }) => {
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
    if (percent === told) return;
    told = percent;
    const width = 24;
    const filled = Math.round((percent / 100) * width);
    output.progress(`[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${percent} % of ${shown}`);
  };
}

function reportText(shown: string, report: CheckReport, style: Styler): string {
  const { tables, items, indexEntries, clean, findings, counts, unjudged } = report;
  const seen = `${counted(tables, 'table')}, ${counted(items, 'item')}, ${counted(indexEntries, 'index entry')}`;
  const lines = [
    `Checked ${shown}: ${seen}.`,
    clean ? style('green', 'Everything fits together.') : style('red', counted(totalOf(report), 'finding')),
  ];
  for (const [kind, count] of Object.entries(counts)) {
    lines.push('', style('bold', `${kind}: ${findingTitles[kind as FindingKind]}`));
    const ofKind = findings.filter((finding) => finding.kind === kind);
    for (const finding of ofKind) lines.push(...findingLines(finding));
    if (count > ofKind.length) lines.push(`  … and ${count - ofKind.length} more`);
  }
  if (unjudged.length > 0) lines.push('', style('yellow', 'Not judged:'), ...unjudged.map(unjudgedLine));
  return lines.join('\n');
}

function findingLines({ key, storeKey, expected, found, ...place }: Finding): string[] {
  const at = [
    placeText(place),
    key && JSON.stringify(key),
    key === undefined && storeKey !== undefined && `key ${storeKey}`,
  ];
  return [
    `  ${at.filter(Boolean).join(' ') || 'the store'}`,
    `    expected ${expected}`,
    `    found    ${found}`,
  ];
}

function unjudgedLine({ what, why, ...place }: Unjudged): string {
  return `  ${[placeText(place), `${what}: ${why}`].filter(Boolean).join(' ')}`;
}

function placeText({ account, region, table, index }: Partial<Finding>): string {
  if (table === undefined) return '';
  return `${account}/${region}/${table}${index === undefined ? '' : `/${index}`}`;
}

function totalOf({ counts }: CheckReport): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
