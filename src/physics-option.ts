import { sharingProblem } from './engine/capacity/several-processes.ts';
import { type Check, shown } from './model/check-options.ts';
import { tableArnIn } from './model/tables/table-arn.ts';
import {
  defaultPhysicsSettings,
  mergeSettings,
  type PhysicsEffect,
  type PhysicsMode,
  type PhysicsOverrides,
  physicsEffects,
  physicsModes,
  readOverrides,
} from './physics/modes.ts';
import { defaultAccountId } from './wire/credentials.ts';

export { type PhysicsEffect, type PhysicsMode, type PhysicsOverrides, physicsEffects };

/** Settings of the physical model: a mode, switches for its effects, and settings of single tables by name. */
export interface PhysicsOptions extends PhysicsOverrides {
  /** Tables of the database's Region that differ from the server. */
  readonly tables?: Readonly<Record<string, PhysicsMode | PhysicsOverrides>>;
}

export const mustBePhysics: Check = (value, name) => {
  const problem = physicsProblem(value);
  return problem === undefined ? undefined : `${name} ${problem}`;
};

function physicsProblem(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value !== 'object' || value === null) {
    if (physicsModes.some((mode) => mode === value)) return undefined;
    return `must be one of ${physicsModes.map((mode) => `"${mode}"`).join(', ')} or an object with them, and not ${shown(value)}`;
  }
  const { tables, ...server } = value as { readonly tables?: unknown };
  const problem = readOverrides(server);
  if (typeof problem === 'string') return `is wrong: ${problem}`;
  if (tables === undefined) return undefined;
  if (typeof tables !== 'object' || tables === null || Array.isArray(tables))
    return 'is wrong: "tables" must be an object of settings by table name.';
  for (const [table, settings] of Object.entries(tables)) {
    const wrong = typeof settings === 'string' ? physicsProblem(settings) : readOverrides(settings);
    if (typeof wrong === 'string') return `is wrong for table ${table}: ${wrong}`;
  }
  return undefined;
}

/** Why settings cannot be acted out where several processes share the data. */
export function sharedPhysicsProblem(settings: PhysicsOverrides): string | undefined {
  return sharingProblem(mergeSettings(defaultPhysicsSettings, settings));
}

function overridesOf(option: PhysicsMode | PhysicsOverrides): PhysicsOverrides {
  return typeof option === 'string' ? { mode: option } : option;
}

/** The settings of the server, and those of tables by ARN. */
export function readPhysics(option: PhysicsMode | PhysicsOptions, region: string) {
  const { tables = {}, ...server } = typeof option === 'string' ? { mode: option } : option;
  const scope = { account: defaultAccountId, region };
  const ofTables = Object.entries(tables).map(
    ([name, settings]) => [tableArnIn(scope, name), overridesOf(settings)] as const,
  );
  return { server: server as PhysicsOverrides, configured: new Map<string, PhysicsOverrides>(ofTables) };
}
