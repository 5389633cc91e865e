import { join } from 'node:path';
import { type EmitFormat, type EmitOptions, emit as emitDesign, emitFormats } from '../../design/index.ts';
import { nearest } from '../../model/nearest.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { writeWholeFiles } from '../write-output.ts';
import type { emitOptions } from './flags.ts';
import { designOf } from './given-design.ts';
import { asFailure } from './load-model.ts';

/** Writes a design in the format of another tool. */
export const emit: Run<typeof emitOptions> = async (settings, { output, operands, directory }) => {
  const [format, file] = operands;
  const { out, design: given } = settings;
  const formats = formatsNamed(format);
  if (format === 'all' && out.value === undefined)
    throw new UsageError('The format all needs a directory.', 'Write --out <directory>.');
  const { path, model, design } = await designOf(file, directory, 'emit', given);
  const texts = new Map<EmitFormat, string>();
  try {
    for (const one of formats) texts.set(one, emitDesign(one, model, design, optionsOf(settings)));
  } catch (error) {
    throw asFailure(error, path);
  }
  if (out.value === undefined) {
    const [text] = texts.values();
    output.print(text!.trimEnd());
    return;
  }
  const folder = out.value;
  const files = [...texts].map(
    ([one, text]) => [format === 'all' ? join(folder, emitFormats[one].file) : folder, text] as const,
  );
  writeWholeFiles(new Map(files), 'shared');
  for (const [written] of files) output.log('info', `Wrote ${written}.`);
};

function formatsNamed(format: string | undefined): EmitFormat[] {
  const known = Object.keys(emitFormats) as EmitFormat[];
  if (format === 'all') return known;
  const found = known.find((one) => one === format);
  if (found !== undefined) return [found];
  const meant = format === undefined ? undefined : nearest(format, known);
  throw new UsageError(
    format === undefined
      ? 'design emit needs a format and a model.'
      : `There is no format ${JSON.stringify(format)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    `The formats are ${known.join(', ')} and all.`,
  );
}

function optionsOf(settings: Parameters<typeof emit>[0]): EmitOptions {
  const { billing, stream, environment, region, account } = settings;
  return {
    ...(billing.value === 'model' ? {} : { billing: billing.value }),
    ...(stream.value === 'model' ? {} : { streamView: stream.value }),
    ...(environment.value === undefined ? {} : { environment: environment.value }),
    ...(region.value === undefined ? {} : { region: region.value }),
    ...(account.value === undefined ? {} : { account: account.value }),
  };
}
