import { type Members, type StructureShape, structure } from './shape.ts';
import type { OutputValue } from './shape-types.ts';

/** The answer of an operation. Plain methods take their types from it; tests hold the answers against it. */
export interface OutputShape<Output> {
  readonly shape: StructureShape;
  /** Only the type checker sees this property. */
  readonly outputType?: Output;
}

/** The TypeScript type of an operation's answer, as a plain method returns it. */
export type OutputOf<Of> = Of extends OutputShape<infer Output> ? Output : never;

export function outputShape<Given extends Members>(
  members: Given,
): OutputShape<OutputValue<StructureShape<Given>>> {
  return { shape: structure('Output', members) };
}
