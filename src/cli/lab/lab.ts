import { writePrivateFile } from '../../files/private-files.ts';
import { includedScenarios } from '../../lab/included.ts';
import type { LabReport } from '../../lab/lab-report.ts';
import { runLab } from '../../lab/run-lab.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Run } from '../command.ts';
import { paragraph } from '../design/text-grid.ts';
import { Failure, messageOf, UsageError } from '../failure.ts';
import { listed } from '../flags.ts';
import type { Output } from '../output.ts';
import { figure, progressText } from '../progress-text.ts';
import { StopSignals } from '../stop-signals.ts';
import type { labOptions } from './lab-command.ts';
import { labText } from './lab-text.ts';
import { type LoadedLab, loadLab, type Overrides } from './load-scenario.ts';

/** Runs a scenario in simulated time and reports what happened; without one it lists those that there are. */
export const lab: Run<typeof labOptions> = async (settings, { output, operands, directory }) => {
  const [first] = operands;
  if (first === undefined) {
    if (settings.compare.value)
      throw new UsageError('--compare needs two scenarios or variants.', 'See stator help lab.');
    return list(output);
  }
  const { seed, seconds, clients, retry, variant } = settings;
  const overrides: Overrides = {
    seed: seed.value,
    seconds: seconds.value,
    clients: clients.value,
    retry: retry.value === 'scenario' ? undefined : retry.value,
    variants: variant.value === undefined ? undefined : listed(variant.value),
  };
  const found = settings.compare.value
    ? await compared(operands, directory, overrides)
    : await single(operands, directory, overrides);
  const report = await run(found, settings.scale.value, output);
  const { html, out } = settings;
  if (html.value !== undefined) {
    const { labHtml } = await import('../../lab/lab-html.ts');
    write(html.value, labHtml(report));
  }
  if (out.value !== undefined) write(out.value, `${JSON.stringify(report)}\n`);
  // No time is added to the JSON: the same seed gives the same bytes.
  if (output.isJson) output.print(JSON.stringify(report));
  else output.result('lab', {}, (style) => labText(report, style));
  for (const file of [html.value, out.value]) if (file !== undefined) output.log('info', `Wrote ${file}.`);
};

function list(output: Output): void {
  const all = includedScenarios.map(({ scenario: { name, description = '', variants = {} } }) => ({
    name,
    description,
    variants: Object.keys(variants),
  }));
  output.result('scenarios', { scenarios: all }, (style) => {
    const width = Math.max(...all.map(({ name }) => name.length));
    return [
      style('bold', 'Scenarios that come with Stator'),
      '',
      ...all.flatMap(({ name, description, variants }) => {
        const [line, ...rest] = paragraph(description, width + 4);
        return [
          `  ${style('bold', name.padEnd(width))}  ${line!.trimStart()}`,
          ...rest,
          style('dim', `  ${' '.repeat(width)}  ${variants.join(', ')}`),
        ];
      }),
      '',
      'stator lab <name> runs one. docs/lab.md tells how to write your own.',
    ].join('\n');
  });
}

async function single(
  operands: readonly string[],
  directory: string,
  overrides: Overrides,
): Promise<LoadedLab> {
  if (operands.length > 1)
    throw new UsageError(
      `One scenario at a time: ${JSON.stringify(operands[1])} is one too many.`,
      'With --compare, two of them are shown side by side.',
    );
  return loadLab(operands[0]!, directory, overrides);
}

/** Two variants of one scenario, or two scenarios; of a scenario with variants, the last one. */
async function compared(
  operands: readonly string[],
  directory: string,
  overrides: Overrides,
): Promise<LoadedLab> {
  const [first, second, third] = operands;
  if (second === undefined)
    throw new UsageError(
      '--compare needs two scenarios, or a scenario and two of its variants.',
      'See stator help lab.',
    );
  if (third !== undefined) return loadLab(first!, directory, { ...overrides, variants: [second, third] });
  const [a, b] = [await loadLab(first!, directory, overrides), await loadLab(second, directory, overrides)];
  const last = ({ sources, name }: LoadedLab) => ({
    ...sources.at(-1)!,
    name: sources.length > 1 ? `${name} ${sources.at(-1)!.name}` : name,
  });
  return { name: `${a.name} and ${b.name}`, description: '', seed: a.seed, sources: [last(a), last(b)] };
}

async function run(found: LoadedLab, scale: number, output: Output): Promise<LabReport> {
  const signals = new StopSignals();
  const started = machine.stopwatchMs();
  try {
    const report = await runLab(found, {
      seed: found.seed,
      scale,
      signal: signals.asked,
      onProgress(variant, share, requests) {
        if (!output.showsProgress) return;
        const seconds = (machine.stopwatchMs() - started) / 1000;
        const progress = { done: share * 100, total: 100, seconds, unit: '% of the time' };
        output.progress(progressText(progress, [variant, `${figure(requests)} requests`]));
      },
    });
    const seconds = (machine.stopwatchMs() - started) / 1000;
    const requests = report.runs.reduce((sum, { totals }) => sum + totals.requests, 0);
    output.log(
      'info',
      `${figure(requests)} requests in ${figure(seconds)} seconds, ${figure(requests / seconds)} a second.`,
    );
    return report;
  } catch (error) {
    if (signals.asked.aborted) throw new Failure('Stopped before the end; there is no report.');
    throw error;
  } finally {
    signals.release();
  }
}

function write(path: string, text: string): void {
  try {
    writePrivateFile(path, text);
  } catch (error) {
    throw new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error);
  }
}
