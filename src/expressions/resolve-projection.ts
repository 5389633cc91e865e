import { pathClash } from './path-clash.ts';
import { projectionOf } from './project.ts';
import { resolvedPath, undefinedName } from './resolve-operand.ts';
import type { Substitutions } from './substitutions.ts';
import { ExpressionProblem, type ParsedProjection, type Projection } from './tree.ts';

export function resolveProjection(
  projection: ParsedProjection,
  substitutions: Substitutions,
): Projection | ExpressionProblem {
  for (const path of projection.paths) {
    const problem = undefinedName(path, substitutions);
    if (problem !== undefined) return new ExpressionProblem(problem);
  }
  const paths = projection.paths.map((path) => resolvedPath(path, substitutions));
  const clash = pathClash(paths);
  return clash === undefined ? projectionOf(paths) : new ExpressionProblem(clash);
}
