import { type MigrationPlan, planMigration } from '../../design/index.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import type { Settings } from '../settings.ts';
import { writeWholeFiles } from '../write-output.ts';
import { readDesign } from './derive.ts';
import { diffText } from './diff-text.ts';
import type { diffOptions } from './diff-verb.ts';
import { asFailure, loadModel } from './load-model.ts';

/** Plans a migration from two model files and prints it. */
export const diff: Run<typeof diffOptions> = async (settings, { output, operands, directory }) => {
  const plan = await planOf(operands, directory, settings, 'design diff');
  writePlan(plan, settings.out.value);
  output.result('planned', { plan }, (style) => diffText(plan, style));
  if (settings.out.value !== undefined) output.log('info', `Wrote ${settings.out.value}.`);
};

export function writePlan(plan: MigrationPlan, out: string | undefined): void {
  if (out !== undefined) writeWholeFiles(new Map([[out, `${JSON.stringify(plan, null, 2)}\n`]]), 'shared');
}

/** The plan between the models of two files. */
export async function planOf(
  operands: readonly string[],
  directory: string,
  {
    oldDesign,
    design,
    readRate,
    writeRate,
  }: Pick<Settings<typeof diffOptions>, 'oldDesign' | 'design' | 'readRate' | 'writeRate'>,
  verb: string,
): Promise<MigrationPlan> {
  if (operands.length !== 2)
    throw new UsageError(
      `${verb} needs two models, the old one and the new one.`,
      `See stator help ${verb}.`,
    );
  const [old, next] = [
    await loadModel(operands[0], directory, 'diff'),
    await loadModel(operands[1], directory, 'diff'),
  ];
  try {
    return planMigration(
      { model: old.model, ...(oldDesign.value === undefined ? {} : { design: readDesign(oldDesign.value) }) },
      { model: next.model, ...(design.value === undefined ? {} : { design: readDesign(design.value) }) },
      {
        ...(readRate.value === undefined ? {} : { readRate: readRate.value }),
        ...(writeRate.value === undefined ? {} : { writeRate: writeRate.value }),
      },
    );
  } catch (error) {
    throw asFailure(error, next.path);
  }
}
