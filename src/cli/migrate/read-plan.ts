import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type MigrationPlan, migrationFormat, planId } from '../../migrate/index.ts';
import { readText } from '../design/load-model.ts';
import { Failure, messageOf, UsageError } from '../failure.ts';

/** A plan that `stator migrate plan --out` or `stator design diff --out` wrote. */
export function readPlan(operand: string | undefined, directory: string, verb: string): MigrationPlan {
  if (operand === undefined)
    throw new UsageError(`migrate ${verb} needs the file of a plan.`, `See stator help migrate ${verb}.`);
  const path = resolve(directory, operand);
  if (!existsSync(path)) throw new Failure(`There is no file ${path}.`);
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${path} is not valid JSON: ${messageOf(error)}`);
  }
  const { format, id, steps, from, to } = (value ?? {}) as Partial<MigrationPlan>;
  if (format !== migrationFormat)
    throw new Failure(
      `${path} is no plan of a migration: its format is ${JSON.stringify(format)}, not "${migrationFormat}".`,
      'stator migrate plan <old> <new> --out <file> writes one.',
    );
  if (!Array.isArray(steps) || from?.design?.tables === undefined || to?.design?.tables === undefined)
    throw new Failure(`${path} is a plan with parts missing.`, 'Write it again with stator migrate plan.');
  if (id !== planId({ from, to, steps }))
    throw new Failure(
      `${path} was changed after it was written: its id does not fit its content.`,
      'Change the models, and write the plan again with stator migrate plan.',
    );
  return value as MigrationPlan;
}
