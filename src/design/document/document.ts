import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model } from '../ir.ts';
import { documentRows } from './document-rows.ts';
import { entityMarks } from './entity-marks.ts';
import { loadDiagram } from './load-diagram.ts';
import { markdownDocument } from './markdown.ts';
import { overlayDiagram } from './overlay-diagram.ts';
import { htmlDocument } from './page.ts';
import { relationshipDiagram } from './relationship-diagram.ts';
import { type Picture, standaloneSvg } from './svg.ts';

/**
 * The document of a model: `model.html`, one file with everything inside, and `model.md` with its pictures as SVG files
 * beside it. Access patterns with their plans and prices, keys, item collections with sample rows, what each index
 * holds, and why.
 */
export function modelDocument(asked: Model, design: Design): ReadonlyMap<string, string> {
  const model = storedModel(asked, design);
  const rows = documentRows(model, design, asked);
  const marks = entityMarks(model);
  const pictures = new Map<string, Picture>();
  pictures.set('entities', relationshipDiagram(model));
  pictures.set('load', loadDiagram(model, design));
  for (const table of design.tables)
    for (const index of table.indexes)
      pictures.set(
        `${table.name}-${index.name}`,
        overlayDiagram(table, index, rows.samples.get(table.name)!, marks),
      );
  const names = new Map([...pictures.keys()].map((name) => [name, `${name}.svg`]));
  return new Map([
    ['model.html', htmlDocument(rows, pictures)],
    ['model.md', markdownDocument(rows, names)],
    ...[...pictures].map(([name, picture]) => [names.get(name)!, standaloneSvg(picture)] as const),
  ]);
}
