// Writes docs/evidence.md from the marks in the comments of src, and their counts into docs/differences.md.
//
//   npm run evidence
import { readFileSync, writeFileSync } from 'node:fs';
import { withCounts } from './evidence/differences.ts';
import { gatherMarks } from './evidence/gather.ts';
import { countsSentence, evidencePage } from './evidence/page.ts';

const { statements, faults } = gatherMarks();
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else {
  const differences = new URL('../docs/differences.md', import.meta.url);
  writeFileSync(new URL('../docs/evidence.md', import.meta.url), evidencePage(statements));
  writeFileSync(differences, withCounts(readFileSync(differences, 'utf8'), countsSentence(statements)));
}
