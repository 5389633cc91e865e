import { pointerOf, schemaFaults } from '../../model/json/json-schema.ts';
import { checkModel } from '../check-model.ts';
import {
  type Environment,
  type HandIndex,
  type Model,
  modelFormat,
  type Projection,
  type StreamConsumer,
} from '../ir.ts';
import { modelSchema } from '../json/model-schema.ts';
import { ModelError } from '../model-error.ts';
import { checkMembers, type Members } from './check-members.ts';
import type { EntityDefinition, NamesOf } from './entity.ts';
import type { ReadDefinition } from './read.ts';
import type { WriteDefinition } from './write.ts';

/** What the compiler knows of a model, for its typed client. */
export interface ModelTypes {
  readonly entities: readonly EntityDefinition[];
  readonly reads: Readonly<Record<string, ReadDefinition>>;
  readonly writes: Readonly<Record<string, WriteDefinition>>;
}

/** A model that remembers the types of its entities and patterns. */
export interface TypedModel<T extends ModelTypes = ModelTypes> extends Model {
  /** Only the compiler looks at it. */
  readonly types?: T;
}

/** What `model` is given. */
export interface ModelSpec<
  E extends readonly EntityDefinition[],
  R extends ModelTypes['reads'] = ModelTypes['reads'],
  W extends ModelTypes['writes'] = ModelTypes['writes'],
> {
  readonly description?: string;
  readonly entities: E;
  /** The access-pattern table: a name for each row. */
  readonly reads: R;
  readonly writes: W;
  /** The attribute that leads every partition key, and the entities that belong to no tenant. */
  readonly tenancy?: {
    readonly attribute: E[number] extends infer One ? NamesOf<One> : never;
    readonly except?: readonly EntityDefinition[];
  };
  readonly streams?: Readonly<
    Record<string, { readonly entities: readonly EntityDefinition[]; readonly view: StreamConsumer['view'] }>
  >;
  readonly capacity?: Environment['capacity'];
  readonly headroom?: number;
  readonly shardsMax?: number;
  /** Indexes of keys by hand that are local or do not project everything. */
  readonly indexes?: Readonly<
    Record<string, { readonly local?: true; readonly project?: 'all' | 'keys' | readonly string[] }>
  >;
}

const modelMembers: Members<ModelSpec<readonly EntityDefinition[]>> = {
  ...{ description: 'may', entities: 'must', reads: 'must', writes: 'must', tenancy: 'may', streams: 'may' },
  ...{ capacity: 'may', headroom: 'may', shardsMax: 'may', indexes: 'may' },
};

/** Puts a model together and refuses one that contradicts itself. The answer is plain data: the model's JSON form. */
export function model<
  const E extends readonly EntityDefinition[],
  R extends ModelTypes['reads'],
  W extends ModelTypes['writes'],
>(
  name: string,
  spec: ModelSpec<E, R, W>,
): TypedModel<{ readonly entities: E; readonly reads: R; readonly writes: W }> {
  checkMembers(`model("${name}", …)`, spec, modelMembers);
  const { tenancy } = spec;
  const built: Model = {
    format: modelFormat,
    name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    entities: spec.entities.map(({ ir }) => ir),
    reads: Object.entries(spec.reads).map(([pattern, { ir }]) => ({ name: pattern, ...ir })),
    writes: Object.entries(spec.writes).map(([pattern, { ir }]) => ({ name: pattern, ...ir })),
    environment: {
      capacity: spec.capacity ?? 'on-demand',
      ...(tenancy === undefined
        ? {}
        : {
            tenancy: {
              attribute: tenancy.attribute as string,
              except: (tenancy.except ?? []).map(({ ir }) => ir.name),
            },
          }),
      streams: Object.entries(spec.streams ?? {}).map(([consumer, { entities, view }]) => ({
        name: consumer,
        entities: entities.map(({ ir }) => ir.name),
        view,
      })),
      headroom: spec.headroom ?? 0.7,
      shardsMax: spec.shardsMax ?? 100,
      ...(spec.indexes === undefined ? {} : { indexes: Object.entries(spec.indexes).map(readIndex) }),
    },
  };
  const faults = [...schemaFaults(modelSchema, built)];
  if (faults.length > 0)
    throw new ModelError(
      name,
      faults.map((fault) => ({
        where: named(built, pointerOf(fault)),
        rule: 'schema',
        message: fault.problem,
      })),
    );
  return checkModel(built);
}

/** A JSON Pointer into a model, with the names of entities and patterns for their numbers. */
function named(built: Model, pointer: string): string {
  const [, list, at, ...rest] = pointer.split('/');
  const names = { entities: 'entity', reads: 'read', writes: 'write' } as const;
  if (!(list! in names) || at === undefined) return pointer;
  const group = list as keyof typeof names;
  return [`${names[group]} ${built[group][Number(at)]!.name}`, ...rest].join('/');
}

function readIndex([name, { local, project = 'all' }]: [
  string,
  { readonly local?: true; readonly project?: 'all' | 'keys' | readonly string[] },
]): HandIndex {
  const projection: Projection =
    project === 'all'
      ? { type: 'ALL' }
      : project === 'keys'
        ? { type: 'KEYS_ONLY' }
        : { type: 'INCLUDE', names: [...project] };
  return { name, kind: local ? 'local' : 'global', projection };
}
