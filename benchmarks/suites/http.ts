import { type CaseName, caseNames, cases } from '../http/cases.ts';
import { measureServers, type ServerResult, type ServerSettings } from '../http/measure-servers.ts';
import { againstPeers, rateOf, serverTable } from '../http/server-table.ts';
import { atLeast, atMost, type Finding, type Options, oneOf, ratio, type Suite } from '../suite.ts';

/** The least ratio to the best peer in memory. */
const peerBars: Readonly<Partial<Record<CaseName, number>>> = {
  get: 2,
  query: 4,
  index: 4,
  filter: 4,
  'batch-get': 4,
  put: 2.5,
  update: 2.5,
  transact: 3,
};

/** Words that stand for several cases. */
const sets: Readonly<Record<string, readonly CaseName[]>> = {
  reads: ['get', 'query', 'index', 'filter', 'batch-get'],
  writes: ['put', 'update', 'transact'],
  partiql: ['select'],
};

/** Our server in memory beside its peers and the bare server, over HTTP. */
export const http: Suite = async (options, onProgress) => {
  const measured = await measureServers(httpSettings(options), onProgress);
  const { results, hash, notes } = measured;
  return { findings: findingsOf(results), tables: [serverTable('HTTP', results)], hash, notes };
};

export function httpSettings(options: Options): ServerSettings {
  const { small } = options;
  return {
    seed: options.seed,
    items: options.items ?? (small ? 200 : 20_000),
    connections: options.connections ?? (small ? 4 : 16),
    seconds: options.seconds ?? (small ? 0.05 : 2),
    warmUpSeconds: small ? 0.02 : 0.5,
    rounds: options.rounds ?? (small ? 1 : 5),
    contenders:
      options.contenders ??
      (small ? ['stator', 'bare'] : ['stator', 'dynalite', 'dynoxide', 'extenddb', 'bare']),
    groups: groupsOf(options.what),
    nodeFlags: options.nodeFlags,
  };
}

/** One case after the other; a SELECT takes turns with the GetItem that it is compared with. */
function groupsOf(words: readonly string[]): (readonly CaseName[])[] {
  const chosen =
    words.length === 0
      ? caseNames
      : words.flatMap(
          (word) => sets[word] ?? [oneOf([...caseNames, ...Object.keys(sets)], word, 'case') as CaseName],
        );
  return chosen.map((name) => (name === 'select' ? ['select', 'get'] : [name]));
}

function findingsOf(results: readonly ServerResult[]): Finding[] {
  const findings: Finding[] = [];
  const ours = (name: CaseName) => rateOf(results, 'stator', name);
  for (const name of caseNames) {
    const bar = peerBars[name];
    if (bar !== undefined && ours(name) !== null)
      findings.push(...againstPeers(results, 'stator', name, bar));
  }
  const bare = ratio(ours('get'), rateOf(results, 'bare', 'get'));
  if (bare !== null) findings.push(atLeast(`${cases.get.title}, stator to bare`, bare, 0.75));
  // The GetItem of the same turns is the last one in the list.
  const beside = results.findLast((result) => result.name === 'stator' && result.case === 'get');
  if (ours('select') !== null)
    findings.push(
      atMost(
        `${cases.select.title}: its cost to GetItem’s`,
        ratio(beside?.operationsPerSecond, ours('select')),
        1.5,
      ),
    );
  return findings;
}
