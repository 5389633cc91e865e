// Draws the pictures of the handbook from what the engine does. A test fails when one of them is not current.
//
//   npm run draw
import { writeFileSync } from 'node:fs';
import { drawings } from './handbook-pictures/drawings.ts';
import { standaloneSvg } from './handbook-pictures/paper.ts';

for (const { file, draw } of drawings)
  writeFileSync(new URL(`../docs/handbook/pictures/${file}`, import.meta.url), standaloneSvg(await draw()));
