import { arrow, badge, box, down, type Picture, textAt } from './paper.ts';

interface Node {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly lines: readonly string[];
}

const service: Node = {
  ...{ x: 14, y: 60, width: 150, height: 96 },
  title: 'service',
  lines: ['its list of patterns', 'GetItem and Query', 'conditions', 'transactions'],
};
const shards: Node = {
  ...{ x: 14, y: 214, width: 150, height: 66 },
  title: 'busy keys',
  lines: ['a suffix #0 … #9', 'merged reads'],
};
const table: Node = {
  ...{ x: 238, y: 60, width: 176, height: 98 },
  title: 'table app-main',
  lines: ['CUST#… / PROFILE', 'CUST#… / ORDER#date#id', 'ORDER#… / META, ITEM#…', 'encrypted, with recovery'],
};
const partitions: Node = {
  ...{ x: 490, y: 14, width: 224, height: 66 },
  title: 'partitions',
  lines: ['the hash of PK chooses one', '1,000 writes, 3,000 reads a second'],
};
const overloaded: Node = {
  ...{ x: 490, y: 104, width: 224, height: 52 },
  title: 'GSI1, overloaded',
  lines: ['CUST#…#STATUS / date#id'],
};
const sparse: Node = {
  ...{ x: 490, y: 180, width: 224, height: 52 },
  title: 'GSI2, sparse',
  lines: ['open orders only'],
};
const stream: Node = {
  ...{ x: 238, y: 248, width: 176, height: 52 },
  title: 'stream',
  lines: ['every change, for 24 hours'],
};
const consumers: Node = {
  ...{ x: 490, y: 256, width: 224, height: 66 },
  title: 'consumers',
  lines: ['copies, totals, search', 'backfill of new index keys'],
};

/** What fails at each number, in a line. */
const failures = [
  'one key fills a partition: throttled at 40 %',
  'a starved index holds up the table',
  'an item grows to 400 KB: writes are refused',
  'copies are late, a new index lacks history',
  'a new question becomes a Scan',
];

function node({ x, y, width, height, title, lines }: Node): string {
  const texts = lines.map((text, i) => textAt(x + 12, y + 38 + i * 16, 't s d', text));
  return box(x, y, width, height) + textAt(x + 12, y + 20, 't t600', title) + texts.join('');
}

/** The way of requests and changes, with the five places where designs fail. */
export function architecture(): Picture {
  const right = ({ x, width }: Node) => x + width;
  const middle = ({ y, height }: Node) => y + height / 2;
  const parts = [
    ...[service, shards, table, partitions, overloaded, sparse, stream, consumers].map(node),
    arrow(right(service), middle(service), table.x, middle(service)),
    arrow(right(shards), middle(shards), table.x, middle(table) + 30),
    down(service.x + 40, service.y + service.height, shards.y),
    ...[partitions, overloaded, sparse].map((to) => arrow(right(table), middle(table), to.x, middle(to))),
    down(table.x + 88, table.y + table.height, stream.y),
    arrow(right(stream), middle(stream), consumers.x, middle(consumers)),
    textAt(
      14,
      30,
      't s d',
      'metrics for each pattern, Contributor Insights for keys, alarms on what comes first',
    ),
    badge(right(partitions) - 2, partitions.y + 4, 1),
    badge(right(sparse) - 2, sparse.y + 4, 2),
    badge(right(table) - 2, table.y + 4, 3),
    badge(right(consumers) - 2, consumers.y + 4, 4),
    badge(right(service) - 2, service.y + 4, 5),
    ...failures.map((text, i) => {
      const [x, y] = [24 + Math.floor(i / 3) * 350, 358 + (i % 3) * 25];
      return badge(x, y, i + 1) + textAt(x + 18, y + 4, 't s', text);
    }),
  ];
  return {
    width: 730,
    height: 424,
    title: 'A table and what is around it, with the five places where designs fail',
    body: parts.join(''),
  };
}
