// Writes what `stator design emit` and `stator design document` make of the example models, into the folder `generated`
// of each. A test fails when a file there is not current.
//
//   npm run generate
import { mkdirSync, writeFileSync } from 'node:fs';
import {
  derive,
  type EmitFormat,
  emit,
  emitFormats,
  type Model,
  modelDocument,
} from '../src/design/index.ts';

for (const name of ['cases', 'ecommerce', 'feed', 'orders', 'parcels', 'saas']) {
  const { default: model } = (await import(`../examples/models/${name}/model.ts`)) as { default: Model };
  const design = derive(model);
  const folder = new URL(`../examples/models/${name}/generated/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [format, { file }] of Object.entries(emitFormats))
    writeFileSync(new URL(file, folder), emit(format as EmitFormat, model, design));
  for (const [file, text] of modelDocument(model, design)) writeFileSync(new URL(file, folder), text);
}
