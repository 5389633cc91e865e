import type { RequestEvent } from '../../engine/events.ts';

export type PatternSource = 'header' | 'app' | 'shape';

const nameMax = 128;

/** The name that a caller gave an access pattern: by header, or by the application id in the SDK's user agent. */
export class PatternNames {
  #latestAgent: string | undefined;
  #latestApp: string | undefined;

  of({
    pattern,
    caller,
  }: RequestEvent): { readonly name: string; readonly source: PatternSource } | undefined {
    if (pattern !== undefined && pattern !== '') return { name: clean(pattern), source: 'header' };
    const agent = caller.header('user-agent');
    if (agent === undefined) return undefined;
    // Requests of one program follow each other.
    if (agent !== this.#latestAgent) {
      this.#latestAgent = agent;
      const found = /(?:^|\s)app\/([\w!$%&*+.^`|~-]{1,50})/.exec(agent)?.[1];
      this.#latestApp = found;
    }
    return this.#latestApp === undefined ? undefined : { name: this.#latestApp, source: 'app' };
  }
}

function clean(name: string): string {
  return (
    name
      .slice(0, nameMax)
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim() || 'unnamed'
  );
}
