import type { MigrationEvent, MigrationStatus, UpResult } from '../../migrate/index.ts';
import type { Run } from '../command.ts';
import { diffText } from '../design/diff-text.ts';
import { grid } from '../design/text-grid.ts';
import type { Output, Styler } from '../output.ts';
import { figure, progressText } from '../progress-text.ts';
import type { downOptions, statusOptions, upOptions } from './migrate-options.ts';
import { readPlan } from './read-plan.ts';
import { type PlaceSettings, withMigration } from './with-migration.ts';

/** Runs a migration as far as it was asked to. */
export const up: Run<typeof upOptions> = async (settings, context) => {
  const { output, operand, directory } = context;
  const plan = readPlan(operand, directory, 'up');
  const result = await withMigration(
    plan,
    settings,
    context,
    (migration) => migration.up({ until: settings.until.value, writersReady: settings.writersReady.value }),
    { ...passOptions(settings, output), samples: settings.samples.value },
  );
  output.result('migrated', { ...result }, (style) => resultText(result, settings.until.value, style));
};

/** Takes a migration back. */
export const down: Run<typeof downOptions> = async (settings, context) => {
  const { output, operand, directory } = context;
  const plan = readPlan(operand, directory, 'down');
  const to = settings.to.value;
  const result = await withMigration(
    plan,
    settings,
    context,
    (migration) => migration.down(to === 'last' ? undefined : to),
    passOptions(settings, output),
  );
  output.result('rolled-back', { ...result }, () =>
    result.phase === 'before'
      ? 'Everything is as before the migration.'
      : 'Readers read by the old keys again; both are still written. The same command once more takes away what was added.',
  );
};

/** Tells how far a migration has come. */
export const status: Run<typeof statusOptions> = async (settings, context) => {
  const { output, operand, directory } = context;
  const plan = readPlan(operand, directory, 'status');
  const found = await withMigration(plan, settings, context, (migration) => migration.status());
  const { plan: _, ...fields } = found;
  output.result('status', { ...fields, migration: plan.id }, (style) => statusText(found, style));
};

type PassSettings = Pick<
  Parameters<typeof up>[0],
  'readRate' | 'writeRate' | 'segments' | 'parallel' | 'settle'
> &
  PlaceSettings;

function passOptions(settings: PassSettings, output: Output) {
  const { readRate, writeRate } = settings;
  return {
    ...(readRate.value === undefined ? {} : { readRate: readRate.value }),
    ...(writeRate.value === undefined ? {} : { writeRate: writeRate.value }),
    segments: settings.segments.value,
    width: settings.parallel.value,
    settleMs: settings.settle.value * 1_000,
    report: (event: MigrationEvent) => show(event, output),
  };
}

function show(event: MigrationEvent, output: Output): void {
  if (event.kind === 'step') output.log('info', `${event.text} …`);
  else if (event.kind === 'done') output.log('info', `✓ ${event.text}`);
  else {
    const { items, seconds, readUnits, writeUnits, throttles, segmentsLeft } = event.figures;
    output.progress(
      progressText({ done: items, total: event.total, seconds, unit: 'items' }, [
        `${figure(writeUnits / seconds)} write and ${figure(readUnits / seconds)} read units/s`,
        `${segmentsLeft} segments left`,
        ...(throttles === 0 ? [] : [`${figure(throttles)} throttles`]),
      ]),
    );
  }
}

function resultText({ phase, left, waitsForWriters }: UpResult, until: string, style: Styler): string {
  const at = `The migration is in the phase ${style('bold', phase)}.`;
  if (waitsForWriters)
    return [
      at,
      'Now deploy programs that write by the new model: client(model, { client, migration: { plan } }).',
      'When no other program writes any more: stator migrate up <plan> --writers-ready',
    ].join('\n');
  if (left.length === 0) return `${at} All steps are done.`;
  if (phase === 'flipped')
    return [
      at,
      'Readers use the new keys, and both are written. stator migrate down takes the readers back.',
      'To take the old keys away, with no way back: stator migrate up <plan> --until done',
    ].join('\n');
  return `${at} It stopped at ${until}, as it was asked to; ${left.length} steps are left.`;
}

function statusText({ plan, state, isOther, runner, pass, history }: MigrationStatus, style: Styler): string {
  if (state === undefined) return `Migration ${plan.id} has not begun.`;
  if (isOther)
    return `The migration in the table is of another plan, ${state.plan}, in the phase ${state.phase}. This plan is ${plan.id}.`;
  const lines = [
    diffText(plan, style, state.done),
    '',
    `Phase ${style('bold', state.phase)}${state.direction === 'down' ? ', on the way back' : ''}; ${runner === undefined ? 'nobody runs it' : `run by ${runner}`}${state.writersReady ? '; writers are ready' : ''}.`,
  ];
  if (pass !== undefined)
    lines.push(
      `${pass.step}: ${figure(pass.counts.items ?? 0)} items looked at, ${pass.segmentsLeft} segments left.`,
    );
  lines.push(
    '',
    style('bold', 'History'),
    ...grid(
      ['At', '', ''],
      history.map(({ at, event, text }) => [at, event, text]),
      style,
    ),
  );
  return lines.join('\n');
}
