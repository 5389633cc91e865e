import type { DoctorReport } from './doctor.ts';

/** The tables that were asked for and do not exist. One that may not be described is none of them. */
export function missingTables(
  { tables, notSeen }: DoctorReport,
  wanted: readonly string[],
): readonly string[] {
  return wanted.filter(
    (name) => !tables.includes(name) && !notSeen.some((one) => one.tables?.includes(name) === true),
  );
}
