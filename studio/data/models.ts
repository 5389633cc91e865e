import { computed, signal } from '@preact/signals';
import type { Design } from '../../src/design/design.ts';
import type { Model } from '../../src/design/ir.ts';
import { read, write } from '../shell/preferences.ts';
import { control, ServiceError } from './api.ts';

/** A model with its design, and where the studio has it from. */
export interface KnownModel {
  readonly model: Model;
  readonly design: Design;
  readonly from: 'server' | 'page';
}

type Kept = Readonly<Record<string, Pick<KnownModel, 'model' | 'design'>>>;

/** Models that the server was started with. */
const served = signal<readonly KnownModel[]>([]);
/** Models that somebody opened in this browser, by name. They stand above the server's. */
const kept = signal<Kept>(read('models', {}));

/** Models of the examples that were started in this browser. A server's own stand above them. */
const examples = signal<Kept>(read('example models', {}));

const models = computed<readonly KnownModel[]>(() => [
  ...Object.values(kept.value).map((one): KnownModel => ({ ...one, from: 'page' })),
  ...served.value,
  ...Object.values(examples.value).map((one): KnownModel => ({ ...one, from: 'page' })),
]);

/** The model whose design has this table. */
export function modelOfTable(table: string): KnownModel | undefined {
  return models.value.find(({ design }) => design.tables.some(({ name }) => name === table));
}

export async function loadModels(signal?: AbortSignal): Promise<void> {
  try {
    const answer = await control<{ models: readonly Pick<KnownModel, 'model' | 'design'>[] }>(
      'GET',
      'models',
      undefined,
      signal,
    );
    served.value = answer.models.map((one) => ({ ...one, from: 'server' }));
  } catch (error) {
    // An older server, or a caller who may not ask.
    if (!(error instanceof ServiceError)) throw error;
  }
}

export function keepModel(model: Model, design: Design): void {
  kept.value = { ...kept.value, [model.name]: { model, design } };
  write('models', kept.value);
}

export function keepExample({ model, design }: Pick<KnownModel, 'model' | 'design'>): void {
  examples.value = { ...examples.value, [model.name]: { model, design } };
  write('example models', examples.value);
}

export function forgetModel(name: string): void {
  if (kept.value[name] === undefined) {
    examples.value = without(examples.value, name);
    write('example models', examples.value);
    return;
  }
  kept.value = without(kept.value, name);
  write('models', kept.value);
}

function without(all: Kept, name: string): Kept {
  const { [name]: _, ...others } = all;
  return others;
}
