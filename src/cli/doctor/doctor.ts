import type { DoctorReport, Finding } from '../../doctor/index.ts';
import { wait } from '../../runtime/machine/machine.ts';
import type { CommandContext, Run } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import type { Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import { packageVersion } from '../version.ts';
import type { doctorOptions } from './doctor-command.ts';
import { doctorSarif } from './doctor-sarif.ts';
import { doctorText, type TextChoices } from './doctor-text.ts';
import { openExamination } from './examine.ts';
import { watchTables } from './watch-tables.ts';

type DoctorSettings = Settings<typeof doctorOptions>;

/** Examines tables, and fails if something is as bad as `--fail-on` says. */
export const doctor: Run<typeof doctorOptions> = async (settings, context) => {
  const { watch, format, minutes, budget, failOn } = settings;
  if (watch.value && format.value === 'sarif')
    throw new UsageError(
      '--watch prints text or, with --json, an object for each look; SARIF is one report.',
    );
  const signals = new StopSignals();
  try {
    const wish = { tables: tableNames(settings.table.value), minutes: minutes.value, budget: budget.value };
    const examine = await openExamination(settings, wish, context.environment, signals.asked);
    if (watch.value) {
      const { output } = context;
      await watchTables(examine, {
        output,
        choices: choicesOf(settings),
        signal: signals.asked,
        print: (report) => print(report, settings, context),
        pause: (signal) => wait(settings.seconds.value * 1_000, undefined, { signal }).catch(() => {}),
      });
      return;
    }
    const report = await examine();
    print(report, settings, context);
    const failed = report.findings.filter((found) => fails(found, failOn.value)).length;
    if (failed > 0)
      throw new Failure(
        `${failed === 1 ? 'One finding is' : `${failed} findings are`} as bad as --fail-on ${failOn.value} says.`,
      );
  } catch (error) {
    if (!signals.asked.aborted) throw error;
  } finally {
    signals.release();
  }
};

export function tableNames(given: string | undefined): readonly string[] {
  const names = (given ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => !/^[A-Za-z0-9_.-]{1,255}$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(
      `--table: ${JSON.stringify(wrong)} is no name of a table.`,
      'Separate names by commas.',
    );
  return [...new Set(names)];
}

const ranks = { error: 0, warning: 1, note: 2, never: -1 } as const;

function fails({ severity }: Finding, failOn: keyof typeof ranks): boolean {
  return ranks[severity] <= ranks[failOn];
}

function print(
  report: DoctorReport,
  settings: DoctorSettings,
  { output, environment }: CommandContext,
): void {
  if (settings.format.value === 'sarif') {
    const region =
      settings.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1');
    output.print(JSON.stringify(doctorSarif(report, region, packageVersion()), null, 2));
    return;
  }
  output.result('doctor', { ...report }, (style) => doctorText(report, choicesOf(settings), style));
}

function choicesOf({ endpoint, minutes, quiet }: DoctorSettings): TextChoices {
  return {
    endpoint: endpoint.value,
    minutes: minutes.value,
    columns: Math.min(120, Math.max(60, process.stdout.columns ?? 110)),
    quiet: quiet.value,
  };
}
