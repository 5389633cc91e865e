import { required, string } from './shape.ts';

/** Absent, the resource of the tag operations has a text of its own (observed: dynalite's tests, about 2018). */
export const resourceArn = required(string({ min: 1, max: 1283 }), { ifAbsent: 'Invalid TableArn' });
