import type { Design, Model } from '../../design/index.ts';
import { UsageError } from '../failure.ts';
import type { Setting } from '../settings.ts';
import { derivedFrom, readDesign } from './derive.ts';
import { loadModel } from './load-model.ts';

/** A model with its design: the one in the file that --design names, or a derived one. */
export async function designOf(
  operand: string | undefined,
  directory: string,
  verb: string,
  given: Setting<string | undefined>,
): Promise<{ readonly path: string; readonly model: Model; readonly design: Design }> {
  const { path, model } = await loadModel(operand, directory, verb);
  const design = given.value === undefined ? derivedFrom(path, model) : readDesign(given.value);
  if (design.model !== model.name)
    throw new UsageError(
      `${given.value} is a design of the model ${design.model}, and ${path} is the model ${model.name}.`,
    );
  return { path, model, design };
}
