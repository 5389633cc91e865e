import type { EntityWork, MigrationPlan, Step, StepCost } from '../../design/index.ts';
import { counted } from '../../model/counted.ts';
import type { Styler } from '../output.ts';
import { dollars, grid, paragraph } from './text-grid.ts';

/** A plan for people: what differs, what happens in which order, and what it costs. */
export function diffText(plan: MigrationPlan, style: Styler, done: readonly string[] = []): string {
  const { changes, warnings, steps } = plan;
  const lines = [
    `${style('bold', `Migration ${plan.id}`)}  model ${plan.model}, ${counted(changes.length, 'change')}, ${counted(steps.length, 'step')}`,
  ];
  const shownChanges = (additive: boolean) =>
    changes
      .filter((one) => one.additive === additive)
      .map((one) => [marks[one.change], one.what, one.name, shortened(one.text)]);
  const [more, other] = [shownChanges(true), shownChanges(false)];
  if (more.length > 0)
    lines.push('', style('bold', 'Additive'), ...grid(['', '', '', ''], more, style).slice(1));
  if (other.length > 0)
    lines.push(
      '',
      style('bold', 'Needs a migration, or an eye'),
      ...grid(['', '', '', ''], other, style).slice(1),
    );
  lines.push('', style('bold', 'Steps'), ...stepLines(steps, style, done));
  const work = steps.flatMap((step) => (step.kind === 'backfill' ? step.work : []));
  if (work.length > 0) lines.push('', style('bold', 'Backfill'), ...work.flatMap(workLines));
  if (warnings.length > 0) lines.push('', style('bold', 'Look at'), ...warnings.flatMap(bullet));
  lines.push('', style('bold', 'Forecast'), ...forecastLines(plan));
  if (steps.some(({ kind }) => kind === 'backfill'))
    lines.push('', ...paragraph(rollbackText, 2).map((line) => style('dim', line)));
  return lines.join('\n');
}

const marks = { added: '+', removed: '−', changed: '~' } as const;

const rollbackText =
  '"Back to" tells where stator migrate down leads after the step: to start, everything that was added is taken away; to dual-write, readers read by the old keys again. Behind the phase done there is no way back.';

/** The first sentence; a key is shown whole. */
function shortened(text: string): string {
  const [first] = text.split('. ');
  return first!;
}

function bullet(text: string): string[] {
  const [first, ...rest] = paragraph(text, 4);
  return [`  - ${first!.trimStart()}`, ...rest];
}

function stepLines(steps: readonly Step[], style: Styler, done: readonly string[]): string[] {
  const rows = steps.map((step, at) => [
    done.includes(step.id) ? '✓' : '',
    String(at + 1),
    step.title,
    step.kind === 'phase' ? 'gate' : step.kind === 'create-index' ? 'until ACTIVE' : '',
    step.cost === undefined || step.cost.seconds === 0 ? '' : duration(step.cost.seconds),
    step.cost === undefined || step.cost.dollars === 0 ? '' : dollars(step.cost.dollars),
    step.rollback ?? '',
  ]);
  return grid(['', '', 'Step', 'Waits', 'Takes', 'Costs', 'Back to'], rows, style);
}

function workLines({ entity, items, needs, condition }: EntityWork): string[] {
  return [
    `  ${entity}: ${counted(items, 'item')}`,
    ...paragraph(`gets ${needs}`, 4),
    ...paragraph(`only if ${condition}`, 4),
  ];
}

function forecastLines({ forecast, steps }: MigrationPlan): string[] {
  const { readRate, writeRate, readUnits, writeUnits, indexUnits, monthly } = forecast;
  const units = (value: number) => Math.round(value).toLocaleString('en-US');
  const costs = steps.flatMap(({ cost }) => cost ?? []);
  if (costs.every((cost: StepCost) => cost.readUnits + cost.writeUnits + cost.indexUnits === 0))
    return [`  No item has to be touched. ${monthlyText(monthly)}`];
  return paragraph(
    `${duration(forecast.seconds)} at ${units(readRate)} read and ${units(writeRate)} write units a second, without the waits for indexes and programs; ${units(readUnits)} read, ${units(writeUnits)} write units on tables and ${units(indexUnits)} on indexes, ${dollars(forecast.dollars)} on demand at list prices. ${monthlyText(monthly)}`,
    2,
  );
}

function monthlyText(monthly: number): string {
  if (Math.abs(monthly) < 0.005) return 'Afterwards a month costs the same.';
  return `Afterwards a month costs ${dollars(Math.abs(monthly))} ${monthly > 0 ? 'more' : 'less'} at the mean rates.`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3_600;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}
