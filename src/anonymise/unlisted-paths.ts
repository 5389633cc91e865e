import { type PathStep, pathText, readPath } from './path.ts';

/** A map with more members than this has data for names: its members are counted together, as `*`. */
const membersMax = 50;
const pathsMax = 1_000;

/** Paths that no rule names, with the number of values at each. Bounded, whatever the names of members are. */
export class UnlistedPaths {
  readonly #counts = new Map<string, number>();
  /** The members seen below each path, until there are too many of them. */
  readonly #members = new Map<string, Set<string> | 'many'>();
  #isCut = false;

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Whether there were more paths than are kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(steps: readonly PathStep[], count = 1): void {
    let text = '';
    for (const step of steps) text = pathText(text, this.#counted(text, step));
    if (!this.#counts.has(text) && this.#counts.size >= pathsMax) this.#isCut = true;
    else this.#counts.set(text, (this.#counts.get(text) ?? 0) + count);
  }

  /** Adds what other rows had. */
  addAll(counts: Iterable<readonly [string, number]>, isCut: boolean): void {
    for (const [path, count] of counts) this.add(readPath(path)!, count);
    this.#isCut ||= isCut;
  }

  /** Attributes are the table's own words; the members of one map may be anything. */
  #counted(before: string, step: PathStep): PathStep {
    if (step.kind !== 'member' || before === '') return step;
    const known = this.#members.get(before);
    if (known === 'many') return { kind: 'any' };
    if (known === undefined) this.#members.set(before, new Set([step.name]));
    else if (!known.has(step.name)) known.add(step.name);
    if (known === undefined || known.size <= membersMax) return step;
    this.#members.set(before, 'many');
    this.#joinMembers(before);
    return { kind: 'any' };
  }

  #joinMembers(before: string): void {
    const all = [...this.#counts];
    this.#counts.clear();
    for (const path of this.#members.keys()) if (path.startsWith(`${before}.`)) this.#members.delete(path);
    for (const [path, count] of all) this.add(readPath(path)!, count);
  }
}
