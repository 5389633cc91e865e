import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distinctFakes } from '../../anonymise/fakes.ts';
import type { PathStep } from '../../anonymise/path.ts';
import { type Rules, RulesError, readRules } from '../../anonymise/rules.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { machine, secrets } from '../../runtime/machine/machine.ts';
import type { CommandContext, Run } from '../command.ts';
import { Failure, messageOf, UsageError } from '../failure.ts';
import { openCaller } from '../open-caller.ts';
import type { Output } from '../output.ts';
import { onPast, type PastPlace } from '../past/past-place.ts';
import type { Settings } from '../settings.ts';
import { BatchWriter } from './batch-writer.ts';
import { copyFiles } from './copy-files.ts';
import { copyTable } from './copy-table.ts';
import { tellImport } from './import-report.ts';
import { ImportState } from './import-state.ts';
import { s3Of } from './place-buckets.ts';
import { RowCopier } from './row-copier.ts';
import { serverImport } from './server-import.ts';
import { findFiles, type SourceFiles } from './source-files.ts';
import { type SourcePlace, sourcePlace } from './source-place.ts';
import { copiedDefinition, definitionIn, prepareTarget } from './target-table.ts';
import type { importOptions } from './transfer-options.ts';

type ImportSettings = Settings<typeof importOptions>;

/** Fills a table from another table, an export or files; or lets the server import from a bucket. */
export const importTable: Run<typeof importOptions> = async (settings, context) => {
  const { operand: tableName, environment } = context;
  const { source, sourceTable, bucket } = settings;
  const sources = [source, sourceTable, bucket].filter(({ value }) => value !== undefined);
  if (tableName === undefined || sources.length !== 1)
    throw new UsageError(
      tableName === undefined
        ? 'There is no table to import into.'
        : `An import has one source, and ${sources.length} are given.`,
      'Write stator import <table> with --source <place>, --source-table <table> or --bucket <bucket>.',
    );
  if (bucket.value !== undefined) return serverImport(settings, context, tableName);
  const { secretFile, rules } = settings;
  if (secretFile.value !== undefined && rules.value === undefined)
    throw new UsageError('A secret is of no use without rules.', 'Add --rules <file>.');
  await onPast(
    settings,
    environment,
    (place) => copyRows(place, tableName, settings, context),
    s3Of({ ...settings, s3Endpoint: { ...settings.s3Endpoint, value: undefined } }),
  );
};

async function copyRows(
  place: PastPlace,
  tableName: string,
  settings: ImportSettings,
  context: CommandContext,
): Promise<void> {
  const { output, directory } = context;
  const began = machine.nowMs();
  const rules = rulesOf(settings);
  const from = await openSource(place, settings, context);
  const statePath = settings.state.value ?? join(directory, `.stator-import-${tableName}.json`);
  const errorsPath = settings.errors.value ?? join(directory, `stator-import-${tableName}.errors.jsonl`);
  const request = requestOf(place, tableName, settings, from, rules);
  const state = new ImportState(statePath, errorsPath, request, settings.restart.value);
  if (state.isResumed) output.log('info', `Going on behind ${state.counts.read} items of an earlier run.`);
  let hasBegun = state.isResumed;
  try {
    const { signal } = place;
    const anonymise = rules && { rules: rules.rules, secret: secretOf(settings, state) };
    const target = await prepareTarget(place, tableName, {
      merge: settings.merge.value,
      isResumed: state.isResumed,
      hasRows: state.counts.read > 0,
      definition: async () => {
        const found = await definitionOf(place, settings, from);
        if (found !== undefined) refuseDroppedKeys(rules?.rules, found.KeySchema ?? []);
        return found;
      },
      // An import that is killed from here on is known to have made its table.
      creating: () => state.save(),
    });
    refuseDroppedKeys(
      rules?.rules,
      target.keyNames.map((AttributeName) => ({ AttributeName })),
    );
    warnOfRepeatedKeys(rules?.rules, target.keyNames, output);
    // What is written from here on depends on the secret, which a later run must find.
    state.save();
    hasBegun = true;
    const writer = new BatchWriter(place.caller, target, settings.parallel.value, { output, signal });
    const copier = new RowCopier({ target, writer, state, anonymise });
    const copying = { settings, output, signal, state, copier, target };
    if (from.kind === 'table') await copyTable(from.caller, from.tableName, copying);
    else await copyFiles(from.place, from.files, copying);
    if (signal.aborted) throw new Failure('The command was stopped.');
    state.complete();
    tellImport(tableName, settings, {
      ...{ output, state, errorsPath, ms: machine.nowMs() - began },
      unlisted: rules?.rules.unlisted,
    });
  } catch (error) {
    if (!hasBegun) {
      state.forget();
      throw error;
    }
    keepState(state, tableName, output);
    throw error;
  }
}

/** What stopped the import matters more than a state that cannot be written for the same reason. */
function keepState(state: ImportState, tableName: string, output: Output): void {
  const done = `${state.counts.read} items are in table ${tableName}`;
  try {
    state.keep();
    output.log('warning', `${done}; the same command goes on behind them.`);
  } catch (error) {
    output.log('warning', `${done}; how far the import has come cannot be noted: ${messageOf(error)}`);
  }
}

type Source =
  | { readonly kind: 'table'; readonly caller: EndpointCaller; readonly tableName: string }
  | { readonly kind: 'files'; readonly place: SourcePlace; readonly files: SourceFiles };

async function openSource(
  { signal, region }: PastPlace,
  settings: ImportSettings,
  { directory, environment }: CommandContext,
): Promise<Source> {
  const { source, sourceTable, sourceEndpoint, sourceRegion, s3Endpoint } = settings;
  const own = { ...sourceRegion, value: sourceRegion.value ?? region };
  if (sourceTable.value !== undefined)
    return {
      kind: 'table',
      caller: openCaller({ endpoint: sourceEndpoint, region: own }, environment, signal),
      tableName: sourceTable.value,
    };
  const place = sourcePlace(source.value!, directory, {
    s3Endpoint: s3Endpoint.value,
    region: own.value,
  });
  const files = await findFiles(place, signal).catch((error: unknown) => {
    if (error instanceof Failure || signal.aborted) throw error;
    throw new Failure(`${source.value} cannot be read: ${messageOf(error)}.`, undefined, error);
  });
  return { kind: 'files', place, files };
}

/** What makes two imports the same one. */
function requestOf(
  { region }: PastPlace,
  tableName: string,
  settings: ImportSettings,
  from: Source,
  rules: { readonly text: string } | undefined,
): object {
  const { source, sourceTable, sourceEndpoint, sourceRegion, segments } = settings;
  const { endpoint, dataDir, format, delimiter, header } = settings;
  const into = dataDir.source === 'default' ? { endpoint: endpoint.value } : { dataDir: dataDir.value };
  const read =
    from.kind === 'table'
      ? {
          ...{ sourceTable: sourceTable.value, endpoint: sourceEndpoint.value },
          ...{ region: sourceRegion.value, segments: segments.value },
        }
      : {
          ...{ source: source.value, exportArn: from.files.exportArn },
          files: from.files.files.map(({ key, bytes, manifest }) => [key, manifest?.md5 ?? bytes]),
          ...{ format: format.value, delimiter: delimiter.value, header: header.value },
        };
  return { tableName, into: { ...into, region }, ...read, rules: rules?.text };
}

async function definitionOf({ region }: PastPlace, { create }: ImportSettings, from: Source) {
  if (create.value !== undefined) return definitionIn(create.value, region);
  if (from.kind === 'files') return undefined;
  return copiedDefinition(await from.caller.call<object>('DescribeTable', { TableName: from.tableName }));
}

function rulesOf({ rules }: ImportSettings): { readonly rules: Rules; readonly text: string } | undefined {
  if (rules.value === undefined) return undefined;
  try {
    const text = readFileSync(rules.value, 'utf8');
    return { rules: readRules(parseJson(text)), text };
  } catch (error) {
    const why = error instanceof RulesError ? error.message : messageOf(error);
    throw new Failure(
      `The rules in ${rules.value} cannot be used: ${why}.`,
      'docs/export-import.md describes them.',
      error,
    );
  }
}

/** An item without its key cannot be written, so that such rules would refuse every row. */
function refuseDroppedKeys(
  rules: Rules | undefined,
  keys: readonly { readonly AttributeName: string }[],
): void {
  const unnamed = keys.find(
    ({ AttributeName: name }) => !rules?.attributes.some(({ steps }) => isAt(steps, name)),
  );
  if (rules?.unlisted === 'drop' && unnamed !== undefined)
    throw new Failure(
      `The rules drop ${unnamed.AttributeName}, which is a part of the table's key: no rule names it, and unlisted is drop.`,
      'Hash it, or keep it with "{}".',
    );
  for (const { path, steps, templates } of rules?.attributes ?? [])
    if (
      keys.some(({ AttributeName: name }) => isAt(steps, name)) &&
      templates.some(({ pieces }) => pieces.some(isDropped))
    )
      throw new Failure(
        `The rules drop ${path}, which is a part of the table's key.`,
        'Hash it, or keep the piece with {}.',
      );

  function isDropped(kind: string | undefined): boolean {
    return kind !== undefined && rules?.values.get(kind)?.kind === 'drop';
  }
}

function isAt([step, ...more]: readonly PathStep[], name: string): boolean {
  return more.length === 0 && step?.kind === 'member' && step.name === name;
}

/** Fakes of names, places and digits repeat. Two items whose keys become one overwrite each other, which no count shows. */
function warnOfRepeatedKeys(rules: Rules | undefined, keyNames: readonly string[], output: Output): void {
  for (const { path, steps, templates } of rules?.attributes ?? []) {
    if (!keyNames.some((name) => isAt(steps, name))) continue;
    for (const kind of new Set(templates.flatMap(({ pieces }) => pieces))) {
      const rule = kind === undefined ? undefined : rules!.values.get(kind);
      if (rule?.kind === 'fake' && !distinctFakes.has(rule.as))
        output.log(
          'warning',
          `The rules fake {${kind}} in ${path}, a part of the table's key, as ${rule.as}. Such fakes repeat, and items ` +
            'whose keys become equal overwrite each other: hash it instead, unless the rest of the key tells them apart.',
        );
    }
  }
}

/** The secret of a file, or one that is drawn and stays in the state until the import is over. */
function secretOf({ secretFile }: ImportSettings, state: ImportState): Uint8Array {
  if (secretFile.value !== undefined) {
    try {
      const secret = readFileSync(secretFile.value);
      if (secret.length >= 16) return secret;
    } catch (error) {
      throw new Failure(`${secretFile.value} cannot be read: ${messageOf(error)}.`, undefined, error);
    }
    throw new Failure(
      `${secretFile.value} is too short for a secret: it needs 16 bytes.`,
      'Make one with: head -c 32 /dev/urandom > secret',
    );
  }
  const { secret } = state.counts;
  if (secret !== undefined) return Buffer.from(secret, 'hex');
  const drawn = secrets.bytes(32);
  state.keepSecret(Buffer.from(drawn).toString('hex'));
  return drawn;
}
