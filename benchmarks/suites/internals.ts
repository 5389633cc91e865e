import { jsonReads } from '../internals/json-reads.ts';
import { shapes } from '../internals/shapes.ts';
import { suiteOf } from '../suite.ts';

/** Counts of things inside V8 and inside Stator that no test may depend on. */
export const internals = suiteOf({ shapes, 'json-reads': jsonReads });
