import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type AlarmActionMap, alarmActionsProblem } from '../alarm-actions.ts';
import { UsageError } from './failure.ts';

/** Reads the file of `--alarm-actions`. Paths in it are relative to the file itself. */
export function alarmActionsIn(path: string): AlarmActionMap {
  const given = parsed(path);
  const problem = alarmActionsProblem(given);
  if (problem !== undefined)
    throw new UsageError(`The alarm actions in ${path} are wrong: the file ${problem}.`, example);
  return Object.fromEntries(
    Object.entries(given as AlarmActionMap).map(([name, action]) => [
      name,
      'file' in action ? { file: resolve(dirname(path), action.file) } : action,
    ]),
  );
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`The alarm actions in ${path} cannot be read: ${(error as Error).message}`, example);
  }
}

const example =
  'An example: {"page": {"webhook": "http://127.0.0.1:9000/alarms"}, "note": {"file": "alarms.jsonl"}}';
