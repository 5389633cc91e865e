import { pointerOf, schemaFaults } from '../../model/json/json-schema.ts';
import { checkModel } from '../check-model.ts';
import type { Model } from '../ir.ts';
import { ModelError } from '../model-error.ts';
import { modelSchema } from './model-schema.ts';

/** Reads a model from its JSON text, or from the value of it. Refuses anything else with the place and the reason. */
export function readModel(source: string | object): Model {
  const value = typeof source === 'string' ? parse(source) : source;
  const named = (value as { name?: unknown } | null)?.name;
  const name = typeof named === 'string' ? named : 'unnamed';
  const faults = [...schemaFaults(modelSchema, value)];
  if (faults.length > 0) {
    throw new ModelError(
      name,
      faults.map((fault) => ({ where: pointerOf(fault), rule: 'schema', message: fault.problem })),
    );
  }
  return checkModel(value as Model);
}

/** The model's JSON text. Reading it again gives the same model. */
export function writeModel(model: Model): string {
  return `${JSON.stringify(model, undefined, 2)}\n`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ModelError('unnamed', [{ where: '/', rule: 'JSON', message: `this is no JSON: ${message}` }]);
  }
}
