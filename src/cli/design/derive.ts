import { createTableRequests, type Design, derive as deriveDesign, type Model } from '../../design/index.ts';
import { writeSharedFile } from '../../files/shared-files.ts';
import type { Run } from '../command.ts';
import { Failure, messageOf } from '../failure.ts';
import { designText } from './design-text.ts';
import type { deriveOptions } from './flags.ts';
import { asFailure, loadModel, readText } from './load-model.ts';

/** Derives the tables of a model and prints them for a design review. */
export const derive: Run<typeof deriveOptions> = async (settings, { output, operand, directory }) => {
  const { path, model } = await loadModel(operand, directory, 'derive');
  const previous = settings.previous.value;
  const design = derivedFrom(path, model, previous === undefined ? undefined : readDesign(previous));
  const { out, createTable } = settings;
  if (out.value !== undefined) writeJson(out.value, design);
  if (createTable.value) {
    const requests = createTableRequests(model, design);
    output.print(JSON.stringify(requests.length === 1 ? requests[0] : requests, null, 2));
    return;
  }
  output.result('derived', { design }, (style) => designText(model, design, style));
  if (out.value !== undefined) output.log('info', `Wrote ${out.value}.`);
};

export function derivedFrom(path: string, model: Model, previous?: Design): Design {
  try {
    return deriveDesign(model, previous === undefined ? {} : { previous });
  } catch (error) {
    throw asFailure(error, path);
  }
}

/** A design that `--out` wrote. */
export function readDesign(path: string): Design {
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${path} is not valid JSON: ${messageOf(error)}`);
  }
  const { format } = (value ?? {}) as { readonly format?: unknown };
  if (format !== 'stator-design/1')
    throw new Failure(
      `${path} is no design: its format is ${JSON.stringify(format)}, not "stator-design/1".`,
      'stator design derive <model> --out <file> writes one.',
    );
  return value as Design;
}

export function writeJson(path: string, value: unknown): void {
  try {
    writeSharedFile(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error);
  }
}
