import { Findings } from './findings.ts';
import { excessOf, parsePath, reservedWordIn } from './path.ts';
import { TokenReader } from './token-reader.ts';
import type { ExpressionProblem, ParsedProjection } from './tree.ts';

const noKeywords: ReadonlySet<string> = new Set();

/** Reads a projection: paths with commas between them. */
export function parseProjection(text: string): ParsedProjection | ExpressionProblem {
  const reader = new TokenReader(text, noKeywords);
  const paths = [parsePath(reader)];
  while (reader.takeIf(',')) paths.push(parsePath(reader));
  reader.expectEnd();
  if (reader.problem !== undefined) return reader.problem;

  const findings = new Findings(['reserved word', 'excess']);
  for (const path of paths) {
    findings.add('reserved word', reservedWordIn(path));
    findings.add('excess', excessOf(path));
  }
  return findings.problem ?? { paths };
}
