import { join } from 'node:path';
import { modelDocument } from '../../design/index.ts';
import type { Run } from '../command.ts';
import { writeWholeFiles } from '../write-output.ts';
import type { documentOptions } from './flags.ts';
import { designOf } from './given-design.ts';

/** Writes the document of a model. */
export const document: Run<typeof documentOptions> = async (settings, { output, operand, directory }) => {
  const { out, format, design: given } = settings;
  const { model, design } = await designOf(operand, directory, 'document', given);
  const files = modelDocument(model, design);
  if (out.value === undefined) {
    const text = files.get(format.value === 'html' ? 'model.html' : 'model.md')!;
    // Pictures are files, and there are none on standard output.
    const shown = format.value === 'html' ? text : text.replace(/^!\[.*\n\n/gm, '');
    output.print(shown.trimEnd());
    return;
  }
  const folder = out.value;
  writeWholeFiles(new Map([...files].map(([file, text]) => [join(folder, file), text])), 'shared');
  output.log('info', `Wrote ${join(folder, 'model.html')}, model.md and ${files.size - 2} pictures.`);
};
