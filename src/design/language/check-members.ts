import { nearest } from '../../model/nearest.ts';

/** The members of a parameter object: those that a caller must give and those that it may leave out. */
export type Members<T> = { readonly [M in keyof T]-?: object extends Pick<T, M> ? 'may' : 'must' };

/**
 * Refuses a parameter object with an unknown member or without a needed one. Node and tsx strip the types of a model file
 * and check none of them, so a model that no compiler has seen fails here, in the words of the language.
 */
export function checkMembers<T extends object>(call: string, given: T, members: Members<NoInfer<T>>): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`${call} takes an object here, not ${JSON.stringify(given) ?? typeof given}`);
  const known = Object.keys(members);
  for (const name of Object.keys(given))
    if (!known.includes(name)) {
      const meant = nearest(name, known);
      const help = meant === undefined ? `It takes ${known.join(', ')}.` : `Did you mean "${meant}"?`;
      throw new TypeError(`${call} takes no "${name}". ${help}`);
    }
  for (const [name, kind] of Object.entries(members))
    if (kind === 'must' && (given as Record<string, unknown>)[name] === undefined)
      throw new TypeError(`${call} needs "${name}"`);
}
