import { readFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import {
  atLeast,
  type CheckReport,
  check as checkModel,
  type Design,
  designFormat,
  type Finding,
  junit,
  type Model,
  modelFormat,
  refusalReport,
  sarif,
} from '../../design/index.ts';
import type { CommandContext, Run } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import type { Settings } from '../settings.ts';
import { packageVersion } from '../version.ts';
import { checkText } from './check-text.ts';
import type { checkOptions } from './check-verb.ts';
import { readDesign } from './derive.ts';
import { importFrom } from './import.ts';
import { givenFile, loadModel, ModelRefused, readText } from './load-model.ts';
import { watchAndRerun } from './watch.ts';

/** Judges a model and its tables, and fails the run if something is as bad as `--fail-on` says. */
export const check: Run<typeof checkOptions> = async (settings, context) => {
  if (settings.watch.value) {
    await watchAndRerun(givenFile(context.operand, context.directory, 'check'), context);
    return;
  }
  const { path, report } = await reportOn(settings, context);
  const failOn = settings.failOn.value;
  const fails = ({ severity }: Finding) => failOn !== 'never' && atLeast(severity, failOn);
  print(report, path, fails, settings, context);
  const failed = report.findings.filter(fails).length;
  if (failed > 0) throw new Failure(`${failed} of the findings fail the check (--fail-on ${failOn}).`);
};

/** The report on what was given. A model that contradicts itself cannot be loaded, which is a finding like others. */
async function reportOn(
  settings: Settings<typeof checkOptions>,
  context: CommandContext,
): Promise<{ readonly path: string; readonly report: CheckReport }> {
  try {
    const { path, model, design, imported } = await subjectOf(settings, context);
    const judged = checkModel(model, design);
    return { path, report: { ...judged, findings: [...imported, ...judged.findings] } };
  } catch (error) {
    if (!(error instanceof ModelRefused)) throw error;
    const { path, refusal } = error;
    return { path, report: refusalReport(refusal.model ?? 'model', refusal.troubles) };
  }
}

interface Judged {
  readonly path: string;
  readonly model: Model;
  readonly design?: Design;
  /** What an importer found in a foreign file. */
  readonly imported: readonly Finding[];
}

async function subjectOf(settings: Settings<typeof checkOptions>, context: CommandContext): Promise<Judged> {
  const { operand, directory } = context;
  const path = givenFile(operand, directory, 'check');
  const modelPath = settings.model.value;
  if (extname(path) === '.json' && formatOf(path) === designFormat) {
    if (modelPath === undefined)
      throw new UsageError(
        `${path} is a design, which is judged by its model.`,
        'Name the model with --model <file>.',
      );
    const { model } = await loadModel(modelPath, directory, 'check');
    const design = readDesign(path);
    if (design.model !== model.name)
      throw new Failure(
        `${path} is a design of the model "${design.model}", and ${modelPath} is "${model.name}".`,
      );
    return { path, model, design, imported: [] };
  }
  if (isForeign(path)) {
    const { model, findings } = importFrom(path);
    return { path, model, imported: findings };
  }
  const loaded = await loadModel(path, directory, 'check');
  return { ...loaded, imported: [] };
}

/** Files that `stator design import` reads: anything that is neither a module nor a model. */
function isForeign(path: string): boolean {
  if (/\.(ya?ml|jsonl|ndjson)$/i.test(path)) return true;
  const format = extname(path) === '.json' ? formatOf(path) : modelFormat;
  if (format !== undefined) return false;
  try {
    const value = JSON.parse(readText(path)) as object | null;
    return value !== null && !('entities' in value && 'reads' in value);
  } catch {
    return false;
  }
}

function formatOf(path: string): unknown {
  try {
    return (JSON.parse(readText(path)) as { readonly format?: unknown } | null)?.format;
  } catch {
    return undefined;
  }
}

function print(
  report: CheckReport,
  path: string,
  fails: (found: Finding) => boolean,
  { format }: Settings<typeof checkOptions>,
  { output, directory }: CommandContext,
): void {
  switch (format.value) {
    case 'sarif': {
      const uri = relative(directory, path).replaceAll('\\', '/');
      output.print(JSON.stringify(sarif(report, uri, packageVersion(), lineFinder(path)), null, 2));
      return;
    }
    case 'junit':
      output.print(junit(report, fails).trimEnd());
      return;
    case 'text': {
      const { model, findings, awsSignals, forecast } = report;
      const heat = forecast?.partitions;
      output.result('checked', { model, findings, awsSignals, heat }, (style) => checkText(report, style));
    }
  }
}

/** The line on which a pattern or an entity is declared, found by its name; the first line if it is not. */
function lineFinder(path: string): (where: string) => number {
  const lines = readFileSync(path, 'utf8').split('\n');
  return (where) => {
    const name = /^(?:read|write|entity|index|table) ([\w.-]+)/.exec(where)?.[1];
    if (name === undefined) return 1;
    const escaped = name.replaceAll('.', '\\.');
    const declared = new RegExp(`(?:^|[\\s{,])['"]?${escaped}['"]?\\s*:|['"]${escaped}['"]`);
    const at = lines.findIndex((line) => declared.test(line));
    return at < 0 ? 1 : at + 1;
  };
}
